/** Keeps numbers that cannot be stored out of a summary. */
import type { Aggregate } from '../../cache/records.js'
import { withoutInterval } from './define/define-aggregation.js'

type Numbers = Pick<Aggregate, 'value' | 'stderr' | 'interval' | 'intervalMethod' | 'intervalRange' | 'note' | 'error'>

const isFinitePair = (pair: readonly [number, number]): boolean => pair.every(Number.isFinite)

/**
 * The summary without numbers that are infinite or no numbers, which an aggregation of very large values can give. A
 * value that is none is an error of this number alone, and an interval that is none is left out with a note.
 */
export function withFiniteNumbers<S extends Numbers>(summary: S): S {
  const { value, stderr, interval, note } = summary
  if (value !== null && !Number.isFinite(value))
    return {
      ...summary,
      value: null,
      stderr: null,
      interval: null,
      intervalMethod: 'none',
      error:
        summary.error ??
        `the result is ${value}, which is no finite number: the values are too large or too small to add up`,
    }
  const isSound = (stderr === null || Number.isFinite(stderr)) && (interval === null || isFinitePair(interval))
  if (isSound) return summary
  const why = `${withoutInterval}: its variance is beyond the largest number`
  return {
    ...summary,
    stderr: null,
    interval: null,
    intervalMethod: 'none',
    note: note === undefined ? why : `${why}; ${note}`,
  }
}
