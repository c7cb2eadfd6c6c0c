/** Adds two lists element by element. */
export const plusEach = (a: readonly number[], b: readonly number[]): number[] =>
  a.map((value, at) => value + (b[at] ?? Number.NaN))
