import { latexValue } from './latex-value.js'
import type { Relation } from './math-relation.js'
import { spanned, splitOutside } from './math-text.js'

/** An interval of the number line. A point has two equal closed ends. */
interface Interval {
  readonly from: number
  readonly to: number
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
  const [all = '', but, ...more] = splitOutside(text, without)
  const parts = splitOutside(all, union)
  if (parts.length < 2 && but === undefined && !isLone && !/\\infty/.test(text)) return undefined
  const [set, removed] = [unionOf(parts), but === undefined ? [] : unionOf([but])]
  if (set === undefined || removed === undefined || more.length > 0) return undefined
  return removed.reduce<NumberSet>((rest, hole) => rest.flatMap(one => withoutHole(one, hole)), set)
}

function unionOf(parts: readonly string[]): NumberSet | undefined {
  const intervals = parts.map(intervalsOf)
  return intervals.includes(undefined) ? undefined : merged(intervals.flatMap(one => one ?? []))
}

/** An interval without its intersection with another. */
function withoutHole(one: Interval, hole: Interval): readonly Interval[] {
  const left = { ...one, to: hole.from, isToIn: !hole.isFromIn && (hole.from < one.to || one.isToIn) }
  const right = { ...one, from: hole.to, isFromIn: !hole.isToIn && (hole.to > one.from || one.isFromIn) }
  if (hole.to < one.from || hole.from > one.to) return [one]
  return [left, right].filter(({ from, to, isFromIn, isToIn }) => from < to || (from === to && isFromIn && isToIn))
}

function intervalsOf(text: string): readonly Interval[] | undefined {
  if (/^\\mathbb\s*\{?R\}?$|^ℝ$/.test(text)) return [allNumbers]
  const bracket = spanned(text)
  if (bracket === undefined) return undefined
  const ends = splitOutside(bracket.inner, /[,;]/).map(endOf)
  if (bracket.open === '\\{')
    return ends.includes(undefined) ? undefined : ends.map(at => interval(at ?? 0, at ?? 0, [true, true]))
  const [from, to, ...more] = ends
  if (from === undefined || to === undefined || more.length > 0 || from >= to) return undefined
  return [interval(from, to, [bracket.open === '[', bracket.close === ']'])]
}

const interval = (from: number, to: number, [isFromIn, isToIn]: readonly [boolean, boolean]): Interval => ({
  from,
  to,
  isFromIn: isFromIn && Number.isFinite(from),
  isToIn: isToIn && Number.isFinite(to),
})

const allNumbers = interval(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, [false, false])

function endOf(text: string): number | undefined {
  const infinite = /^([-−]?)\s*\\infty$/.exec(text)
  if (infinite !== null) return infinite[1] === '' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
  return latexValue(text)
}

function merged(intervals: readonly Interval[]): NumberSet {
  const sorted = intervals.toSorted((a, b) => a.from - b.from || Number(b.isFromIn) - Number(a.isFromIn))
  const result: Interval[] = []
  for (const next of sorted) {
    const last = result.at(-1)
    if (last === undefined || !touches(last, next)) result.push(next)
    else result[result.length - 1] = joined(last, next)
  }
  return result
}

const touches = (a: Interval, b: Interval): boolean => b.from < a.to || (b.from === a.to && (a.isToIn || b.isFromIn))

const joined = (a: Interval, b: Interval): Interval => ({
  ...a,
  to: Math.max(a.to, b.to),
  isToIn: a.to === b.to ? a.isToIn || b.isToIn : a.to > b.to ? a.isToIn : b.isToIn,
})

export const isSameSet = (one: NumberSet, other: NumberSet): boolean =>
  one.length === other.length &&
  one.every((part, index) => {
    const against = other[index]
    return (
      against !== undefined &&
      isNear(part.from, against.from) &&
      isNear(part.to, against.to) &&
      part.isFromIn === against.isFromIn &&
      part.isToIn === against.isToIn
    )
  })

const isNear = (a: number, b: number): boolean => a === b || Math.abs(a - b) <= 5e-7

const allBut = (at: number | undefined): NumberSet | undefined =>
  at === undefined ? undefined : withoutHole(allNumbers, interval(at, at, [true, true]))

/** The solutions of inequalities in one variable, such as `x > 2` or `1 < x ≤ 3`. */
export function solutions({ sides, signs }: Relation): NumberSet | undefined {
  const at = sides.findIndex(side => /^[a-zA-Z]$/.test(side))
  if (at < 0 || sides.length > 3 || (sides.length === 3 && at !== 1)) return undefined
  if (signs[0] === '\\neq' && sides.length === 2) return allBut(endOf(sides[1 - at] ?? ''))
  let [from, to, isFromIn, isToIn] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, false, false]
  for (const [index, side] of sides.entries()) {
    if (index === at) continue
    const [sign = '', end] = [signs[Math.min(index, at)], endOf(side)]
    const isRight = index > at
    if (end === undefined || sign === '=' || sign === '\\neq') return undefined
    if ((sign === '<' || sign === '\\leq') === isRight) [to, isToIn] = [end, sign === '\\leq' || sign === '\\geq']
    else [from, isFromIn] = [end, sign === '\\leq' || sign === '\\geq']
  }
  return from < to ? [interval(from, to, [isFromIn, isToIn])] : undefined
}
