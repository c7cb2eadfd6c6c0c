/**
 * MMBench: reads the option that an answer names, without a judge model.
 *
 * Sources: Liu et al. 2023 (https://arxiv.org/abs/2307.06281); lmms-eval 0.7.2, `tasks/mmbench/mmbench_evals.py`.
 */
import { splitWhiteSpace } from '../../../../base/python/white-space.js'

/** The options' texts by letter. */
export type Options = Readonly<Record<string, string>>

/** Characters that can surround a letter which is a separate word. */
const around: readonly (readonly [string, string])[] = [
  ['', '.'],
  ['', ','],
  ['', ':'],
  ['', ')'],
  ['', ').'],
  ['(', ')'],
  ['(', ').'],
  [':', ''],
  [':', ','],
  [':', '.'],
  [':', ')'],
  [':', ').'],
]

/**
 * The only letter, of the first `count` ones, that is a separate word. Else it is the only one in one of the forms
 * `B.`, `B,`, `(B)` and so on. An "A" in an answer of more than three words is taken as an article, and separate
 * letters are then ignored.
 */
export function inferOption(answer: string, count = 5): string | undefined {
  if (answer.includes('Failed to obtain answer via API')) return undefined
  const words = new Set(splitWhiteSpace(answer))
  const length = splitWhiteSpace(answer).length
  const letters = Array.from({ length: count }, (_, i) => String.fromCharCode(65 + i))
  const only = (before: string, after: string): string | undefined => {
    const matchingLetters = letters.filter(letter => words.has(before + letter + after))
    return matchingLetters.length === 1 ? matchingLetters[0] : undefined
  }
  const hasArticle = words.has('A') && length > 3
  const bare = hasArticle ? undefined : only('', '')
  if (bare !== undefined) return bare
  for (const [before, after] of around) {
    const letter = only(before, after)
    if (letter !== undefined) return letter
  }
  return undefined
}

/** The only option whose text is in the answer. Case is ignored. The text "nan" means that the option is absent. */
export function inferText(answer: string, options: Options): string | undefined {
  const lower = answer.toLowerCase()
  const matchingOptions = Object.entries(options).filter(
    ([, text]) => text.toLowerCase() !== 'nan' && lower.includes(text.toLowerCase()),
  )
  return matchingOptions.length === 1 ? matchingOptions[0]?.[0] : undefined
}

/** The option that the answer names by letter, else by text. */
export const inferAnswer = (answer: string, options: Options): string | undefined =>
  inferOption(answer) ?? inferText(answer, options)
