/** Means in the precision that benchmarks publish. */
import type { Json } from '../../base/values/canonical-json.js'
import { pythonRound } from '../../stages/judge/text/python-number.js'
import { text } from './options.js'
import { number, objects } from './values.js'

/**
 * The unweighted mean of the groups' means, from values `{group, score}`. Groups without docs are left out.
 *
 *
 * @throws Error if a value has another form.
 */
export function meanOfGroups(values: readonly Json[]): number {
  const groups = new Map<string, { readonly sum: number; readonly count: number }>()
  for (const value of objects(values)) {
    const [group, score] = [text(value['group'], 'group'), number(value['score'], 'score')]
    const { sum, count } = groups.get(group) ?? { sum: 0, count: 0 }
    groups.set(group, { sum: sum + score, count: count + 1 })
  }
  const means = Array.from(groups.values(), ({ sum, count }) => sum / count)
  return means.reduce((total, one) => total + one, 0) / means.length
}

/**
 * The mean of numbers, to five places, as MMMU's scripts and their successors print it.
 * @throws Error if a value is not a number.
 */
export const roundedMean = (values: readonly Json[]): number =>
  pythonRound(values.reduce<number>((sum, value) => sum + number(value, 'score'), 0) / values.length, 5)

/** The mean of 0s and 1s in per cent, to two places, as several benchmarks print it. */
export const roundedPercent = (values: readonly Json[]): number =>
  pythonRound((values.map(Number).reduce((sum, value) => sum + value, 0) / values.length) * 100, 2)
