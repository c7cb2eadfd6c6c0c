/** Indices from `start` up to `end`, which may be `Infinity`; only those in `only`, where it is set. */
export interface DocRange {
  readonly start: number
  readonly end: number
  readonly only?: { has(index: number): boolean }
}

/** Makes the range of ascending indices. */
export const ofIndices = (indices: readonly number[]): DocRange => ({
  start: Math.min(...indices.slice(0, 1)),
  end: (indices.at(-1) ?? -1) + 1,
  only: new Set(indices),
})

/** Tells whether a range has an index. */
export const hasIndex = ({ start, end, only }: DocRange, index: number): boolean =>
  index >= start && index < end && only?.has(index) !== false
