/**
 * Answers to MMMU's questions.
 *
 * Sources: Yue et al. 2023 (https://arxiv.org/abs/2311.16502), `eval/eval_utils.py`; lmms-eval 0.7.2, `tasks/mmmu/utils.py` and
 * `tasks/_task_utils/mmmu_mcq_utils.py`.
 */
import { splitWhiteSpace, stripWhiteSpace } from '../../../base/python/white-space.js'
import { pythonRegex } from '../../../base/python/python-regex.js'
import { codePointCount, stripCharacter } from '../text/code-points.js'
import { parsePythonFloat, pythonRound } from '../text/python-number.js'

/**
 * The option's letter that a response names, or undefined: the benchmark's script draws one at random then, this does
 * not.
 *
 * `(B)` goes before `B ` before `B.`; in a response of more than five words without these, the text of an option
 * counts. Of several the one that stands last holds. `bounded` asks that no other letter of the alphabet touches it
 * from the left, so that "USA is" names none; the benchmark's script asks nothing.
 */
export function parseMmmuChoice(
  response: string,
  options: readonly string[],
  { bounded = true }: { readonly bounded?: boolean } = {},
): string | undefined {
  const bare = [',', '.', '!', '?', ';', ':', "'"].reduce(stripCharacter, response)
  const text = ` ${bare} `
  const letters = options.map((_, i) => String.fromCharCode(65 + i))
  const named = (before: string, after: string): readonly string[] => {
    const isThere = (letter: string): boolean =>
      bounded && before === ''
        ? new RegExp(`(?<!\\p{Script=Latin})${escaped(letter + after)}`, 'u').test(text)
        : text.includes(before + letter + after)
    return letters.filter(isThere)
  }
  const inBrackets = named('(', ')')
  if (inBrackets.length > 0) return lastOf(inBrackets, letter => text.lastIndexOf(`(${letter})`))
  const alone = [named('', ' '), named('', '.')].find(found => found.length > 0)
  if (alone !== undefined) return lastOf(alone, letter => text.lastIndexOf(` ${letter} `))
  if (splitWhiteSpace(text).length <= 5) return undefined
  const lower = text.toLowerCase()
  const placeOf = (letter: string): number => lower.lastIndexOf((options[letters.indexOf(letter)] ?? '').toLowerCase())
  return lastOf(
    letters.filter(letter => placeOf(letter) >= 0),
    placeOf,
  )
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** The letter with the largest place; the first one of equals. */
function lastOf(letters: readonly string[], placeOf: (letter: string) => number): string | undefined {
  let best: { readonly letter: string; readonly place: number } | undefined
  for (const letter of letters) {
    const place = placeOf(letter)
    if (best === undefined || place > best.place) best = { letter, place }
  }
  return best?.letter
}

/** A sign, or where no digit stands before: an attempt amid digits would end as the one at the first of them did. */
const begin = String.raw`(?:-|(?<!\d)|(?=\.))`
const numberForms = [
  pythonRegex(String.raw`-?\b\d{1,3}(?:,\d{3})+\b`, 'g'),
  pythonRegex(String.raw`${begin}\d+(?:\.\d+)?[eE][+-]?\d+`, 'g'),
  pythonRegex(String.raw`${begin}(?:\d+\.\d+|\.\d+|\d+\b)(?![eE][+-]?\d+)(?![,\d])`, 'g'),
]

/** The numbers in a text as they are written: those with thousands commas, then those with exponents, then all others. */
export const mmmuNumbers = (text: string): readonly string[] => numberForms.flatMap(form => text.match(form) ?? [])

/**
 * What a text is compared as: a number, rounded to two places, or else its lower case. A single character gets a space
 * on either side, as two texts, so that it does not match within words.
 */
export function normaliseMmmuAnswer(text: string): readonly (string | number)[] {
  const bare = stripWhiteSpace(text)
  const number = parsePythonFloat(bare.replaceAll(',', ''))
  if (number !== undefined) return [pythonRound(number, 2)]
  const lower = bare.toLowerCase()
  return codePointCount(lower) === 1 ? [` ${lower}`, `${lower} `] : [lower]
}

const signs = ['could be ', 'so ', 'is ', 'thus ', 'therefore ', 'final ', 'answer ', 'result ']

/**
 * All that an open answer may be saying, as texts and numbers: what follows the words that announce a result, line by line
 * (in the last line an equals sign too), or else the whole answer; and every number therein.
 */
export function parseMmmuOpen(response: string): readonly (string | number)[] {
  const text = stripCharacter(stripWhiteSpace(response), '.').toLowerCase()
  const lines = text.split('\n')
  const tails = lines.flatMap((line, i) => {
    const tail = shortestTail(line, i === lines.length - 1 ? [...signs, '='] : signs)
    return tail === undefined || [':', ',', '.', '!', '?', ';', "'"].includes(tail) ? [] : [tail]
  })
  const said = tails.length > 0 ? tails : [text]
  return [...new Set([...said, ...said.flatMap(mmmuNumbers)].flatMap(normaliseMmmuAnswer))]
}

/** Of what follows the last of each sign the shortest. As in the script, an empty one drops what came before it. */
function shortestTail(line: string, among: readonly string[]): string | undefined {
  let best = ''
  for (const sign of among) {
    const at = line.lastIndexOf(sign)
    if (at < 0) continue
    const tail = stripWhiteSpace(line.slice(at + sign.length))
    if (best === '' || codePointCount(tail) < codePointCount(best)) best = tail
  }
  return best === '' ? undefined : best
}

/** Whether an open answer is right: a text of it holds a gold text, or a number of it equals a gold number. */
export function isMmmuOpenRight(candidates: readonly (string | number)[], gold: string | readonly string[]): boolean {
  const golds = (typeof gold === 'string' ? [gold] : gold).flatMap(normaliseMmmuAnswer)
  return candidates.some(candidate =>
    golds.some(one =>
      typeof candidate === 'string' ? typeof one === 'string' && candidate.includes(one) : one === candidate,
    ),
  )
}

/** MMMU's accuracy over all questions, 0 to 1, rounded to five places as the benchmark prints it. */
export function mmmuAccuracy(isRight: readonly boolean[]): number {
  return isRight.length === 0 ? 0 : pythonRound(isRight.filter(Boolean).length / isRight.length, 5)
}
