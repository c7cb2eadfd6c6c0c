/** The units that are drawn together: clusters of docs, numbered from 0. `index` has the number of each doc's cluster. */
export interface Units {
  readonly count: number
  readonly index: ArrayLike<number>
}

/** A statistic of docs that is ready for resampling. Without clusters, each doc is a unit. */
export interface UnitStatistic {
  readonly units: number
  /** The statistic of all docs. */
  readonly estimate: number
  /** Computes the statistic of the docs of drawn units, which may repeat. */
  readonly computeForUnits: (drawn: ArrayLike<number>) => number
  /** Computes the statistic without the units `group`, `group + groups`, `group + 2 · groups` and so on. */
  readonly computeWithout: (group: number, groups: number) => number
}

/**
 * Prepares a statistic that is computed from how often each unit is drawn.
 *
 * @param compute gets an array that the next counts overwrite
 */
export function prepareCounted(units: number, compute: (counts: Float64Array) => number): UnitStatistic {
  const counts = new Float64Array(units)
  return {
    units,
    estimate: compute(counts.fill(1)),
    computeForUnits(drawn) {
      counts.fill(0)
      for (let at = 0; at < drawn.length; at++) {
        const unit = drawn[at] ?? 0
        counts[unit] = (counts[unit] ?? 0) + 1
      }
      return compute(counts)
    },
    computeWithout(group, groups) {
      counts.fill(1)
      for (let unit = group; unit < units; unit += groups) counts[unit] = 0
      return compute(counts)
    },
  }
}
