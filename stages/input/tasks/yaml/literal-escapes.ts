import { isMap, isScalar, visit, type Document, type Scalar } from 'yaml'

/** A text of a prompt with a backslash where a line break or tab was probably meant. */
export interface LiteralEscape {
  /** The key of the file that the text belongs to. */
  readonly key: string
  readonly escape: string
  readonly offset: number
}

/** The keys whose texts become a part of prompts. Patterns and code have backslashes of their own. */
const promptKeys: ReadonlySet<string> = new Set([
  ...['doc_to_text', 'doc_to_target', 'doc_to_choice', 'description', 'gen_prefix', 'fewshot_config'],
  ...['target_delimiter', 'fewshot_delimiter', 'lmms_eval_specific_kwargs', 'generation_kwargs'],
])

/** Commands of LaTeX that begin with n or t. */
const commands =
  /^\\(?:n(?:abla|atural|e|earrow|eg|eq|exists|geq|i|leq|mid|olimits|onumber|ot|otin|u|warrow)|t(?:an|anh|au|binom|ext[a-z]*|frac|herefore|heta|ilde|imes|o|op|riangle[a-z]*))(?![a-z])/

/**
 * Finds texts of prompts in which YAML does not read `\n` or `\t` as an escape: only double quotes have escapes. In a template, `{{ "\n" }}` is a line
 * break all the same.
 */
export function findLiteralEscapes(document: Document): readonly LiteralEscape[] {
  if (!isMap(document.contents)) return []
  return document.contents.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : ''
    const found: LiteralEscape[] = []
    if (!promptKeys.has(name) || value === null) return []
    const check = (scalar: Scalar): void => {
      if (scalar.type === 'QUOTE_DOUBLE' || typeof scalar.value !== 'string' || scalar.tag === '!function') return
      const escape = findEscape(scalar.value)
      if (escape !== undefined) found.push({ key: name, escape, offset: scalar.range?.[0] ?? 0 })
    }
    if (isScalar(value)) check(value)
    else
      visit(value as Parameters<typeof visit>[0], {
        Scalar: (at, scalar) => (at === 'key' ? undefined : check(scalar)),
      })
    return found
  })
}

function findEscape(text: string): string | undefined {
  const plain = text.replace(/\{\{[^]*?\}\}|\{%[^]*?%\}|\{#[^]*?#\}/g, '')
  for (const { index } of plain.matchAll(/(?<!\\)\\[nt]/g))
    if (!commands.test(plain.slice(index, index + 20))) return plain.slice(index, index + 2)
  return undefined
}

const words: Readonly<Record<string, string>> = { '\\n': 'an n, not a line break', '\\t': 'a t, not a tab' }

/** Words what a text with such an escape holds, and what to do. */
export const describeEscape = (key: string, escape: string): string =>
  `${key}: ${escape} is a backslash and ${words[escape] ?? ''} here. YAML reads it as an escape in double quotes alone: write the text in double quotes`
