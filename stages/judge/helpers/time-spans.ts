/** Stretches of a video: read out of an answer, and compared. */
import { pythonRegex } from '../../../base/python/python-regex.js'

/** From and to, in seconds. */
export type TimeSpan = readonly [start: number, end: number]

const clock = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?`
const number = String.raw`\d+(?:\.\d+)?`
const unit = String.raw`\s*(?:s|sec|secs|second|seconds)?\b\.?\s*`
const range = String.raw`\s*(?:[-–—~]|to|and|until)\s*`
const clockRange = pythonRegex(String.raw`(?i)\b(${clock})${range}(${clock})\b`, 'g')
const numberRange = pythonRegex(String.raw`(?i)(?<![\d.:])(${number})${unit}?${range}(${number})(?![\d:])`, 'g')
const anyClock = pythonRegex(String.raw`\b(${clock})\b`, 'g')
const anyNumber = pythonRegex(String.raw`(?<![\w.:])(${number})(?![\d:])`, 'g')

/**
 * The stretches of time that an answer names, in order: its ranges (`12.5 - 20`, `from 3 s to 7 s`, `0:12 to 1:05`), of clock times
 * where there are such; else its first two times, if there are two.
 */
export function timeSpansIn(answer: string): readonly TimeSpan[] {
  const [clocks, numbers] = [clockRange, numberRange].map(range => [...answer.matchAll(range)])
  const ranges = clocks === undefined || clocks.length === 0 ? (numbers ?? []) : clocks
  const pairs = ranges.length > 0 ? ranges.map(match => match.slice(1, 3)) : [twoOf(answer).slice(0, 2)]
  return pairs.flatMap(([first, second]) =>
    first === undefined || second === undefined ? [] : [ordered(secondsOf(first), secondsOf(second))],
  )
}

function twoOf(answer: string): readonly (string | undefined)[] {
  const clocks = Array.from(answer.matchAll(anyClock), match => match[1])
  return clocks.length >= 2 ? clocks : Array.from(answer.matchAll(anyNumber), match => match[1])
}

/** `1:02:03.5`, `2:03`, `123.5`. */
export const secondsOf = (time: string): number => time.split(':').reduce((total, part) => total * 60 + Number(part), 0)

export const ordered = (a: number, b: number): TimeSpan => (a <= b ? [a, b] : [b, a])

/**
 * Intersection over union of two stretches of time: 0 to 1. Apart, where both are moments, and where one ends before it starts, it is 0.
 *
 * Source: Gao et al. 2017, TALL (https://arxiv.org/abs/1705.02101), section 4; lmms-eval 0.7.2, `tasks/charades_sta/utils.py`, which
 * divides by the stretch from the first start to the last end: the same unless they are apart, where both are 0.
 */
export function temporalIou([startA, endA]: TimeSpan, [startB, endB]: TimeSpan): number {
  if (endA < startA || endB < startB) return 0
  const shared = Math.max(0, Math.min(endA, endB) - Math.max(startA, startB))
  const whole = endA - startA + (endB - startB) - shared
  return whole <= 0 ? 0 : shared / whole
}
