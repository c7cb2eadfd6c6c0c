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
  /** Computes the statistic without the units `left`, `left + groups`, `left + 2 · groups` and so on. */
  readonly computeWithout: (left: number, groups: number) => number
}
