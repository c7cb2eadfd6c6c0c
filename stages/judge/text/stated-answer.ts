/** Finds the answer that a box, a tag or JSON states, which other text may follow. */

const tagged = /<(?:final_)?answer>([^<]{0,2000})<\/(?:final_)?answer>/giu
const inJson = /["'](?:final_?)?answer["']\s*:\s*(?:"((?:[^"\\\n]|\\.){0,500})"|([-+\w.]{1,100})(?=\s*[,}\n]))/giu

/** The content of the last `\boxed{…}`, else of the last `<answer>…</answer>`, else of the last `"answer": …`. */
export function findStatedAnswer(text: string): string | undefined {
  const box = text.includes('\\boxed{') ? readBraces(text, text.lastIndexOf('\\boxed{') + '\\boxed'.length) : undefined
  if (box !== undefined) return box
  if (!/answer["'>]/iu.test(text)) return undefined
  const last = [...text.matchAll(tagged)].at(-1) ?? [...text.matchAll(inJson)].at(-1)
  return last?.[1] ?? last?.[2]
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
