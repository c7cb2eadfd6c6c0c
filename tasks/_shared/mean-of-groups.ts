import type { Json } from '../../base/canonical-json.js'
import { text } from './options.js'
import { number, objects } from './values.js'

/**
 * The mean of the groups' means, each group with the same weight, of `{group, score}`. Groups without docs have no part in it.
 *
 * @throws Error where a value is of another form.
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
