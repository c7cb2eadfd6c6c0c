/**
 * Reads answers to MMMU's questions.
 *
 * Sources: Yue et al. 2023 (https://arxiv.org/abs/2311.16502), `eval/eval_utils.py`; lmms-eval 0.7.2,
 * `tasks/mmmu/utils.py` and `tasks/_task_utils/mmmu_mcq_utils.py`.
 */
import { splitWhiteSpace, stripWhiteSpace } from '../../../../base/python/white-space.js'
import { pythonRegex } from '../../../../base/python/python-regex.js'
import { escapePattern } from '../../../../base/text/escape-pattern.js'
import { codePointCount, stripCharacter } from '../../text/code-points.js'
import { parsePythonFloat, pythonRound } from '../../text/python-number.js'

/**
 * The option letter that a response names, or undefined. The benchmark's script then chooses a random option; this
 * function does not.
 *
 * `(B)` precedes `B `, which precedes `B.`. In a response of more than five words without these forms, an option's
 * text counts. The last of several letters counts. With `bounded`, no letter may precede the option's letter, so
 * that "USA is" names none. The benchmark's script has no such check.
 */
export function parseMmmuChoice(
  response: string,
  options: readonly string[],
  { bounded = true }: { readonly bounded?: boolean } = {},
): string | undefined {
  const bare = [',', '.', '!', '?', ';', ':', "'"].reduce(stripCharacter, response)
  const text = ` ${bare} `
  const letters = options.map((_, i) => String.fromCharCode(65 + i))
  const listNamedLetters = (before: string, after: string): readonly string[] => {
    const isThere = (letter: string): boolean =>
      bounded && before === ''
        ? new RegExp(`(?<!\\p{Script=Latin})${escapePattern(letter + after)}`, 'u').test(text)
        : text.includes(before + letter + after)
    return letters.filter(isThere)
  }
  const inBrackets = listNamedLetters('(', ')')
  if (inBrackets.length > 0) return findLastLetter(inBrackets, letter => text.lastIndexOf(`(${letter})`))
  const alone = [listNamedLetters('', ' '), listNamedLetters('', '.')].find(namedLetters => namedLetters.length > 0)
  if (alone !== undefined) return findLastLetter(alone, letter => text.lastIndexOf(` ${letter} `))
  if (splitWhiteSpace(text).length <= 5) return undefined
  const lower = text.toLowerCase()
  const findOptionStart = (letter: string): number =>
    lower.lastIndexOf((options[letters.indexOf(letter)] ?? '').toLowerCase())
  return findLastLetter(
    letters.filter(letter => findOptionStart(letter) >= 0),
    findOptionStart,
  )
}

/** The letter with the largest position; the first one if several are equal. */
function findLastLetter(letters: readonly string[], placeOf: (letter: string) => number): string | undefined {
  let best: { readonly letter: string; readonly index: number } | undefined
  for (const letter of letters) {
    const index = placeOf(letter)
    if (best === undefined || index > best.index) best = { letter, index }
  }
  return best?.letter
}

/**
 * A sign, or a position without a digit before it. A match from amid digits would end like one from their start, so
 * it is not tried.
 */
const begin = String.raw`(?:-|(?<!\d)|(?=\.))`
const numberForms = [
  pythonRegex(String.raw`-?\b\d{1,3}(?:,\d{3})+\b`, 'g'),
  pythonRegex(String.raw`${begin}\d+(?:\.\d+)?[eE][+-]?\d+`, 'g'),
  pythonRegex(String.raw`${begin}(?:\d+\.\d+|\.\d+|\d+\b)(?![eE][+-]?\d+)(?![,\d])`, 'g'),
]

/** The numbers in a text as written: those with thousands separators, then those with exponents, then all others. */
export const mmmuNumbers = (text: string): readonly string[] => numberForms.flatMap(form => text.match(form) ?? [])

/**
 * The form in which a text is compared: a number rounded to two places, else the text in lower case. A single
 * character becomes two texts, with a space before or after it, so that it does not match within words.
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
 * The candidate answers in an open response, as texts and numbers. A text is what follows words that announce a
 * result, line by line, or else the whole response. In the last line an equals sign announces a result too. All
 * numbers in the texts are candidates.
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

/**
 * The shortest text after the last occurrence of each sign. As in the script, an empty text discards the shorter
 * ones before it.
 */
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

/**
 * Returns whether an open answer is right: one of its texts contains a gold text, or one of its numbers equals a gold
 * number.
 */
export function isMmmuOpenRight(candidates: readonly (string | number)[], gold: string | readonly string[]): boolean {
  const golds = (typeof gold === 'string' ? [gold] : gold).flatMap(normaliseMmmuAnswer)
  return candidates.some(candidate =>
    golds.some(goldAnswer =>
      typeof candidate === 'string'
        ? typeof goldAnswer === 'string' && candidate.includes(goldAnswer)
        : goldAnswer === candidate,
    ),
  )
}
