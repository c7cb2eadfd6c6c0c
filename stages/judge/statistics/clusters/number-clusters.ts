import type { NoResult } from '../intervals/interval.js'

/** Returns the reason why the clusters cannot be used: not one for each value. */
export function checkClusters(
  values: ArrayLike<unknown>,
  clusters: ArrayLike<string | undefined | null>,
): NoResult | undefined {
  if (values.length !== clusters.length) return { none: 'values and cluster ids differ in number' }
  // The loop also visits holes in the list, which `some` and `every` skip.
  for (let i = 0; i < clusters.length; i++) if (clusters[i] == null) return { none: 'a value has no cluster id' }
  return undefined
}

/** Numbers clusters from 0 in the order of their first value. `index` has the number of each value's cluster. */
export function numberClusters(clusters: ArrayLike<string | undefined | null>): {
  readonly count: number
  readonly index: Int32Array
} {
  const numbers = new Map<string | undefined | null, number>()
  const index = Int32Array.from(clusters, id => {
    const own = numbers.get(id) ?? numbers.size
    numbers.set(id, own)
    return own
  })
  return { count: numbers.size, index }
}
