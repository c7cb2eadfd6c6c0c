/** Rules by which other programs read a time span from an answer, to reproduce their numbers. */
import { pythonRegex } from '../../../base/python/python-regex.js'
import { orderSpan, parseSeconds, type TimeSpan } from './time-spans.js'

type Pair = readonly [string, string]

const listMatches = (text: string, pattern: RegExp): readonly string[] =>
  Array.from(text.matchAll(pattern), ([match]) => match)

const listPairs = (text: string, pattern: RegExp): readonly Pair[] =>
  Array.from(text.matchAll(pattern), ([, from = '', to = '']) => [from, to])

/** Pairs the first time with the second, the third with the fourth, and so on. */
const twoByTwo = (times: readonly string[]): readonly Pair[] =>
  times.flatMap((from, at) => (at % 2 === 0 && at + 1 < times.length ? [[from, times[at + 1] ?? ''] as const] : []))

const makeTimeSpan = ([from, to]: Pair): TimeSpan => orderSpan(parseSeconds(from), parseSeconds(to))

/** The result of the first rule that finds anything. */
function applyFirstRule(readings: readonly (() => readonly Pair[])[]): readonly TimeSpan[] {
  for (const reading of readings) {
    const pairs = reading()
    if (pairs.length > 0) return pairs.map(makeTimeSpan)
  }
  return []
}

const clock = String.raw`\d{1,2}:\d{2}(?::\d{2})?`
const number = String.raw`\d+(?:\.\d+)?`
const clocks = pythonRegex(String.raw`\b${clock}\b`, 'g')
const clockRange = pythonRegex(String.raw`\b(${clock})\s*[–-]\s*(${clock})\b`, 'g')
/** A match begins at the first digit of a number. A start amid digits would match the same, and take quadratic time. */
const numberRange = pythonRegex(String.raw`(?<!\d)(${number})\s*[–-]\s*(${number})`, 'g')
const secondsRange = pythonRegex(String.raw`(?<!\d)(${number})\s*s?\s*[–-]\s*(${number})\s*s?`, 'g')
const numberAlone = pythonRegex(String.raw`\b${number}\b`, 'g')
const example = 'a specific example is : 20.8 - 30.0 seconds'
const telling = ['start', 'end', 'happens in', 'happen']

/**
 * The time span that lmms-eval reads for Charades-STA, at most one. It uses the sentences that mention a start, an
 * end or a happening, or else all sentences. It tries ranges of clock times, ranges of numbers, pairs of clock
 * times, and pairs of each sentence's first number.
 *
 * Source: lmms-eval 0.7.2, `tasks/charades_sta/utils.py`, extract_time.
 */
export function charadesSpans(answer: string): readonly TimeSpan[] {
  const sentences = answer
    .toLowerCase()
    .replaceAll(example, '')
    .replaceAll('to', '-')
    .split(/[!?\n]/)
  const tellingSentences = sentences.filter(sentence => telling.some(word => sentence.includes(word)))
  const used = tellingSentences.length > 0 ? tellingSentences : sentences
  const ranges = (pattern: RegExp) => () =>
    used.map(sentence => listPairs(sentence, pattern)).find(pairs => pairs.length > 0) ?? []
  return applyFirstRule([
    ranges(clockRange),
    ranges(numberRange),
    () => twoByTwo(used.flatMap(sentence => listMatches(sentence, clocks))),
    () => twoByTwo(used.flatMap(sentence => listMatches(sentence, numberAlone).slice(0, 1))),
    ranges(secondsRange),
  ]).slice(0, 1)
}

const fineClocks = pythonRegex(String.raw`\b(?:\d{1,2}:\d{2}:\d{2}(?:\.\d+)?|\d{1,2}:\d{2}(?:\.\d+)?)\b`, 'g')
/** lmms-eval's `\d+\.?\d*`, written so that digits can be read in one way only. */
const fineNumber = String.raw`\d+(?:\.\d*)?`
const dashed = pythonRegex(String.raw`(?<!\d)(${fineNumber})\s*-\s*(${fineNumber})`, 'g')
const toBetween = pythonRegex(String.raw`(?<!\d)(${fineNumber})\s+to\s+(${fineNumber})`, 'g')
const anyNumbers = pythonRegex(String.raw`\b${fineNumber}\b`, 'g')

/**
 * The time spans that lmms-eval reads for TimeLens: all clock times in pairs, else the ranges `a - b`, else `a to
 * b`, else all numbers in pairs. A span that ends before it starts overlaps with nothing.
 *
 * Source: lmms-eval 0.7.2, `tasks/timelens/utils.py`, extract_time.
 */
export function timelensSpans(answer: string): readonly TimeSpan[] {
  const text = answer.toLowerCase()
  const pairs = [
    () => twoByTwo(listMatches(text, fineClocks)),
    () => listPairs(text, dashed),
    () => listPairs(text, toBetween),
    () => twoByTwo(listMatches(text, anyNumbers)),
  ]
  const firstPairs = pairs.map(read => read()).find(candidates => candidates.length > 0) ?? []
  return firstPairs.map(([from, to]) => [parseSeconds(from), parseSeconds(to)])
}
