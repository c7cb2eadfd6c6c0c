/** The lower and the upper end. */
export type Interval = readonly [number, number]

/** A number that does not exist, with the reason as a clause such as `fewer than 2 clusters`. */
export interface NoResult {
  readonly none: string
}
