/**
 * Rules that read option letters for JMMMU, Video-MMMU and JMMMU-Pro. If no option is named, the references choose
 * a random one or report it. Here the result is undefined.
 * No shipped task uses them yet; see `docs/decisions/helpers-before-tasks.md`.
 *
 * Source: lmms-eval 0.7.2, `tasks/_task_utils/mmmu_mcq_utils.py`.
 */
import { pythonRegex } from '../../../../base/python/python-regex.js'
import { splitWhiteSpace, stripWhiteSpace } from '../../../../base/python/white-space.js'
import { stripCharacter } from '../../text/code-points.js'

/** A form in which a letter can occur in a text. */
interface Form {
  readonly isIn: (text: string, letter: string) => boolean
  /** The position of the letter in the text. The largest position wins if several letters occur. */
  readonly placeIn: (text: string, letter: string) => number
}

const makeForm = (before: string, after: string, place: readonly [string, string] = [before, after]): Form => ({
  isIn: (text, letter) => text.includes(before + letter + after),
  placeIn: (text, letter) => text.lastIndexOf(place[0] + letter + place[1]),
})

const bracketed = makeForm('(', ')')
const spaced = makeForm('', ' ', [' ', ' '])
const dotted = makeForm('', '.')
const coloned = makeForm('', ':')
const amidJapanese: Form = {
  isIn: (text, letter) =>
    new RegExp(`[\\u3040-\\u30ff\\u4e00-\\u9fff]${letter}[\\u3040-\\u30ff\\u4e00-\\u9fff]`).test(text),
  placeIn: spaced.placeIn,
}
const ofOption = (options: readonly string[]): Form => {
  const placeIn = (text: string, letter: string): number =>
    text.toLowerCase().lastIndexOf((options[letter.charCodeAt(0) - 65] ?? '').toLowerCase())
  return { isIn: (text, letter) => splitWhiteSpace(text).length > 5 && placeIn(text, letter) >= 0, placeIn }
}

const listLetters = (options: readonly string[]): readonly string[] =>
  options.map((_, i) => String.fromCharCode(65 + i))

/** The letter whose occurrence in this form is last; the first letter if several are equal. */
function lastIn(text: string, letters: readonly string[], form: Form): string | undefined {
  const positions = letters.map(letter => form.placeIn(text, letter))
  return letters[positions.indexOf(Math.max(...positions))]
}

function padResponse(response: string, marks: readonly string[]): string {
  return ` ${marks.reduce(stripCharacter, response)} `
}

const marks = [',', '.', '!', '?', ';', ':', "'"]

/** Like `parseMmmuChoice` without `bounded`. A letter between Japanese characters is also read; it ranks after `B `. */
export function parseJmmmuChoice(response: string, options: readonly string[]): string | undefined {
  const text = padResponse(response, [...marks, '、', '。', '！', '？', '；', '：'])
  const letters = listLetters(options)
  const forms = [bracketed, spaced, amidJapanese, { ...dotted, placeIn: spaced.placeIn }, ofOption(options)]
  for (const form of forms) {
    const matchingLetters = letters.filter(letter => form.isIn(text, letter))
    if (matchingLetters.length > 0) return lastIn(text, matchingLetters, form)
  }
  return undefined
}

/** Reads `B.` or `B:`, then `(B)`, then `B `, then an option's text in an answer of more than five words. */
export function parseVideoMmmuChoice(response: string, options: readonly string[]): string | undefined {
  if (response === 'API Error' || response === '') return undefined
  const text = padResponse(response, marks)
  const letters = listLetters(options)
  const holding = (form: Form): readonly string[] => letters.filter(letter => form.isIn(text, letter))
  const marked = [...holding(dotted), ...holding(coloned)]
  if (marked.length > 0) return lastIn(text, marked, holding(dotted).length > 0 ? dotted : coloned)
  for (const form of [bracketed, spaced, ofOption(options)]) {
    const matchingLetters = holding(form)
    if (matchingLetters.length > 0) return lastIn(text, matchingLetters, form)
  }
  return undefined
}

const optionLine = pythonRegex(String.raw`(?i)^\s*(?:[-*・>•]\s*)?[A-ZＡ-Ｚ][.)、。：:]`)
const stated = pythonRegex(
  String.raw`(?i)(?:answer|final|correct|solution|ans|正解(?:は)?|答え(?:は)?|解答(?:は)?)\s*[:：]?\s*[【\[(】*_-]*([A-Z])[】\])*_-]*\b`,
)
const standing = pythonRegex(String.raw`(?i)(?:(?<![【\[(*])[【\[(*]+)?([A-Z])[】\])*]*\b`, 'g')
const lineBreak = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/

/**
 * Reads the letter after "answer", 正解 and similar words: first in the first line, then anywhere. Else it is the
 * last letter that ends a word, outside lines that are options. Full-width letters count too. Undefined if the
 * letter is not an option.
 */
export function parseJmmmuProChoice(response: string, options: readonly string[]): string | undefined {
  const text = response.replace(/[Ａ-Ｚ]/g, wide => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
  const lines = text
    .split(lineBreak)
    .map(stripWhiteSpace)
    .filter(line => line !== '')
  const said = stated.exec(lines[0] ?? '')?.[1] ?? (lines.length === 0 ? undefined : stated.exec(text)?.[1])
  const letter = (said ?? lastStanding(lines))?.toUpperCase()
  return letter !== undefined && listLetters(options).includes(letter) ? letter : undefined
}

const lastStanding = (lines: readonly string[]): string | undefined =>
  lines
    .filter(line => !optionLine.test(line))
    .flatMap(line => Array.from(line.matchAll(standing), match => match[1]))
    .at(-1)
