/** Finds the answer that a box, a tag or JSON states, which other text may follow. */
import { isValueDenied } from './value-claims/denials.js'
import { isValueSupposed } from './value-claims/suppositions.js'

const tagged = /<(?:final_)?answer>([^<]{0,2000})<\/(?:final_)?answer>/giu
const inJson = /["'](?:final_?)?answer["']\s*:\s*(?:"((?:[^"\\\n]|\\.){0,500})"|([-+\w.]{1,100})(?=\s*[,}\n]))/giu

/** A JSON object that names its answer otherwise. */
const named =
  /^\s*(?:```(?:json)?\s*)?\{[\s\S]*?["'](?:result|value|solution|output)["']\s*:\s*(?:"((?:[^"\\\n]|\\.){0,500})"|([-+\w.]{1,100})(?=\s*[,}\n]))/iu

/** The number of the last boxes that are read where the answer denies them. */
const mostBoxes = 20

/**
 * The content of the last `\boxed{…}` that the text does not deny or suppose, else of the last `<answer>…</answer>`,
 * else of the last `"answer": …`, at most one.
 */
export function findStatedAnswers(text: string): readonly string[] {
  const box = findBox(text)
  if (box !== undefined) return [text.slice(box.inner, box.end - 1)]
  const last = /answer["'>]/iu.test(text)
    ? ([...text.matchAll(tagged)].at(-1) ?? [...text.matchAll(inJson)].at(-1))
    : /^\s*(?:`|\{)/.test(text)
      ? named.exec(text)
      : undefined
  return [last?.[1] ?? last?.[2] ?? []].flat()
}

/** A box in a text, from its command to behind its closing brace. */
export interface Box {
  readonly start: number
  /** The position behind the opening brace. */
  readonly inner: number
  readonly end: number
}

/** The last `\boxed{…}` or `\fbox{…}` that the text does not deny, suppose or ask for. Braces in it are balanced. */
export function findBox(text: string): Box | undefined {
  let before = text.length
  for (let tries = 0; tries < mostBoxes && before >= 0; tries += 1) {
    const command = /\\f?box(?:ed)?\s*\{/
    const start = Math.max(text.lastIndexOf('\\boxed{', before), text.lastIndexOf('\\fbox{', before))
    if (start < 0) return undefined
    const inner = start + (command.exec(text.slice(start, start + 10))?.[0].length ?? 0)
    const content = readBraces(text, inner - 1)
    const box = { start, inner, end: inner + (content?.length ?? 0) + 1 }
    if (content !== undefined && !isValueDenied(text, box) && !isValueSupposed(text, box)) return box
    before = start - 1
  }
  return undefined
}

/** Reads the text between the brace at `open` and the one that closes it; undefined if none does. */
export function readBraces(text: string, open: number): string | undefined {
  let depth = 0
  for (let at = open; at < text.length; at += 1) {
    if (text.charAt(at) === '{') depth += 1
    if (text.charAt(at) === '}' && --depth === 0) return text.slice(open + 1, at)
  }
  return undefined
}
