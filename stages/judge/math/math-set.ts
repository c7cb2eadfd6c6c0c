import { compare, type Rational } from '../numbers/rational.js'
import { latexNumber } from './latex-value.js'
import type { Relation } from './math-relation.js'
import { splitBracket, splitOutside } from './math-text.js'

/** An end of an interval, with its exact value if that is rational. */
interface End {
  readonly re: number
  readonly exact?: Rational | undefined
}

/** Negative if the first end is less, 0 if both are equal. */
const order = (a: End, b: End): number =>
  a.exact !== undefined && b.exact !== undefined ? compare(a.exact, b.exact) : a.re === b.re ? 0 : a.re - b.re

/** An interval of the number line. A point has two equal closed ends. */
interface Interval {
  readonly from: End
  readonly to: End
  readonly isFromIn: boolean
  readonly isToIn: boolean
}

/** Intervals from left to right, without common points or ends. */
export type NumberSet = readonly Interval[]

const union = /\\(?:big)?cup(?![a-zA-Z])|∪|(?<![a-zA-Z\\])U(?![a-zA-Z])/

const without = /\\(?:setminus|backslash)(?![a-zA-Z])|∖/

/**
 * Reads a union of intervals and sets of numbers, or all numbers except some; else undefined. A single interval is
 * accepted if `isLone` is set.
 */
export function numberSet(text: string, isLone = false): NumberSet | undefined {
  const [unionText = '', but, ...more] = splitOutside(text, without)
  const parts = splitOutside(unionText, union)
  if (parts.length < 2 && but === undefined && !isLone && !/\\infty/.test(text)) return undefined
  const [set, removed] = [parseUnion(parts), but === undefined ? [] : parseUnion([but])]
  if (set === undefined || removed === undefined || more.length > 0) return undefined
  return removed.reduce<NumberSet>((rest, hole) => rest.flatMap(part => withoutHole(part, hole)), set)
}

function parseUnion(parts: readonly string[]): NumberSet | undefined {
  const intervals = parts.map(parseIntervals)
  return intervals.includes(undefined) ? undefined : mergeIntervals(intervals.flatMap(part => part ?? []))
}

/** An interval without its intersection with another. */
function withoutHole(part: Interval, hole: Interval): readonly Interval[] {
  const left = { ...part, to: hole.from, isToIn: !hole.isFromIn && (order(hole.from, part.to) < 0 || part.isToIn) }
  const right = { ...part, from: hole.to, isFromIn: !hole.isToIn && (order(hole.to, part.from) > 0 || part.isFromIn) }
  if (order(hole.to, part.from) < 0 || order(hole.from, part.to) > 0) return [part]
  return [left, right].filter(
    ({ from, to, isFromIn, isToIn }) => order(from, to) < 0 || (order(from, to) === 0 && isFromIn && isToIn),
  )
}

function parseIntervals(text: string): readonly Interval[] | undefined {
  if (/^\\mathbb\s*\{?R\}?$|^ℝ$/.test(text)) return [allNumbers]
  const bracket = splitBracket(text)
  if (bracket === undefined) return undefined
  const ends = splitOutside(bracket.inner, /[,;]/).map(parseEnd)
  if (bracket.open === '\\{')
    return ends.includes(undefined) ? undefined : ends.flatMap(at => (at && [interval(at, at, [true, true])]) || [])
  const [from, to, ...more] = ends
  if (from === undefined || to === undefined || more.length > 0 || order(from, to) >= 0) return undefined
  return [interval(from, to, [bracket.open === '[', bracket.close === ']'])]
}

const interval = (from: End, to: End, [isFromIn, isToIn]: readonly [boolean, boolean]): Interval => ({
  from,
  to,
  isFromIn: isFromIn && Number.isFinite(from.re),
  isToIn: isToIn && Number.isFinite(to.re),
})

const lowest: End = { re: Number.NEGATIVE_INFINITY }
const highest: End = { re: Number.POSITIVE_INFINITY }
const allNumbers = interval(lowest, highest, [false, false])

function parseEnd(text: string): End | undefined {
  const infinite = /^([-−]?)\s*\\infty$/.exec(text)
  if (infinite !== null) return infinite[1] === '' ? highest : lowest
  return latexNumber(text)
}

function mergeIntervals(intervals: readonly Interval[]): NumberSet {
  const sorted = intervals.toSorted((a, b) => order(a.from, b.from) || Number(b.isFromIn) - Number(a.isFromIn))
  const result: Interval[] = []
  for (const next of sorted) {
    const last = result.at(-1)
    if (last === undefined || !touches(last, next)) result.push(next)
    else result[result.length - 1] = joinIntervals(last, next)
  }
  return result
}

const touches = (a: Interval, b: Interval): boolean =>
  order(b.from, a.to) < 0 || (order(b.from, a.to) === 0 && (a.isToIn || b.isFromIn))

const joinIntervals = (a: Interval, b: Interval): Interval => ({
  ...a,
  to: order(a.to, b.to) < 0 ? b.to : a.to,
  isToIn: order(a.to, b.to) === 0 ? a.isToIn || b.isToIn : order(a.to, b.to) > 0 ? a.isToIn : b.isToIn,
})

export const isSameSet = (left: NumberSet, right: NumberSet): boolean =>
  left.length === right.length &&
  left.every((part, index) => {
    const against = right[index]
    return (
      against !== undefined &&
      isNear(part.from, against.from) &&
      isNear(part.to, against.to) &&
      part.isFromIn === against.isFromIn &&
      part.isToIn === against.isToIn
    )
  })

/** Large ends are equal exactly; others may have been rounded to six places. */
const isNear = (a: End, b: End): boolean =>
  order(a, b) === 0 || (Math.abs(a.re) < 2 ** 30 && Math.abs(a.re - b.re) <= 5e-7)

const allBut = (at: End | undefined): NumberSet | undefined =>
  at === undefined ? undefined : withoutHole(allNumbers, interval(at, at, [true, true]))

/** The solutions of inequalities in one variable, such as `x > 2` or `1 < x ≤ 3`. */
export function solutions({ sides, signs }: Relation): NumberSet | undefined {
  const at = sides.findIndex(side => /^[a-zA-Z]$/.test(side))
  if (at < 0 || sides.length > 3 || (sides.length === 3 && at !== 1)) return undefined
  if (signs[0] === '\\neq' && sides.length === 2) return allBut(parseEnd(sides[1 - at] ?? ''))
  let [from, to, isFromIn, isToIn] = [lowest, highest, false, false]
  for (const [index, side] of sides.entries()) {
    if (index === at) continue
    const [sign = '', end] = [signs[Math.min(index, at)], parseEnd(side)]
    const isRight = index > at
    if (end === undefined || sign === '=' || sign === '\\neq') return undefined
    if ((sign === '<' || sign === '\\leq') === isRight) [to, isToIn] = [end, sign === '\\leq' || sign === '\\geq']
    else [from, isFromIn] = [end, sign === '\\leq' || sign === '\\geq']
  }
  return order(from, to) < 0 ? [interval(from, to, [isFromIn, isToIn])] : undefined
}
