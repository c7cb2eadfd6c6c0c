/** Reads time spans of a video from an answer, and compares them. */
import { pythonRegex } from '../../../base/python/python-regex.js'
import { spacedCharacter } from '../text/word-edges.js'

/** A time span in seconds. */
export type TimeSpan = readonly [start: number, end: number]

const clock = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?`
const number = String.raw`\d+(?:\.\d+)?`
const unit = String.raw`(?:\s*(?:s|sec|secs|second|seconds)\b)?\.?`
const range = String.raw`\s*(?:[-–—~～〜]|to|and|until|到|至|から|에서|부터)\s*`
const numberRange = pythonRegex(String.raw`(?i)(?<![\d.:])(${number})${unit}${range}(${number})(?![\d:])`, 'g')
/** A time may touch a letter of a script without spaces: 从0:12到1:05, 3초. */
const touching = `(?:${spacedCharacter}|_)`
const clockRange = new RegExp(`(?<!${touching})(${clock})${range}(${clock})(?!${touching})`, 'giu')
const anyClock = new RegExp(`(?<!${touching})(${clock})(?!${touching})`, 'gu')
const anyNumber = new RegExp(`(?<!${touching}|[.:])(${number})(?![\\d:])`, 'gu')

/**
 * The time spans in an answer, in order: its ranges, such as `12.5 - 20`, `from 3 s to 7 s` or `0:12 to 1:05`. If
 * it contains ranges of clock times, only these count. Without ranges, its first two times are one span.
 */
export function timeSpansIn(answer: string): readonly TimeSpan[] {
  const [clocks, numbers] = [clockRange, numberRange].map(range => [...answer.matchAll(range)])
  const ranges = clocks === undefined || clocks.length === 0 ? (numbers ?? []) : clocks
  const pairs = ranges.length > 0 ? ranges.map(match => match.slice(1, 3)) : [listTimes(answer).slice(0, 2)]
  return pairs.flatMap(([first, second]) =>
    first === undefined || second === undefined ? [] : [orderSpan(parseSeconds(first), parseSeconds(second))],
  )
}

function listTimes(answer: string): readonly (string | undefined)[] {
  const clocks = Array.from(answer.matchAll(anyClock), match => match[1])
  return clocks.length >= 2 ? clocks : Array.from(answer.matchAll(anyNumber), match => match[1])
}

/** Seconds of a time such as `1:02:03.5`, `2:03` or `123.5`. */
export const parseSeconds = (time: string): number =>
  time.split(':').reduce((total, part) => total * 60 + Number(part), 0)

export const orderSpan = (a: number, b: number): TimeSpan => (a <= b ? [a, b] : [b, a])

/**
 * The intersection over union of two time spans, 0 to 1. It is 0 if the spans are disjoint, if both are single
 * moments, or if one ends before it starts.
 *
 * Source: Gao et al. 2017, TALL (https://arxiv.org/abs/1705.02101), section 4; lmms-eval 0.7.2,
 * `tasks/charades_sta/utils.py`. lmms-eval divides by the time from the first start to the last end. The result is
 * the same, since disjoint spans give 0.
 */
export function temporalIou([startA, endA]: TimeSpan, [startB, endB]: TimeSpan): number {
  if (endA < startA || endB < startB) return 0
  const shared = Math.max(0, Math.min(endA, endB) - Math.max(startA, startB))
  const whole = endA - startA + (endB - startB) - shared
  return whole <= 0 ? 0 : shared / whole
}
