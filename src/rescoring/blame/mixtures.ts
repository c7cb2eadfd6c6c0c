/** Mixtures of two runs: a letter for each factor, the run that it is taken from, such as `ABA`. */

/** The run that a part is from. A part that does not differ is that of the first run. */
export function chooseSide(part: string, parts: readonly string[], mixture: string): string {
  const at = parts.indexOf(part)
  return at < 0 ? 'A' : (mixture[at] ?? 'A')
}

/** Lists all mixtures of a number of factors. */
export const listMixtures = (count: number): readonly string[] =>
  Array.from({ length: 2 ** count }, (_, set) =>
    Array.from({ length: count }, (__, at) => ((set & (1 << at)) === 0 ? 'A' : 'B')).join(''),
  )

/** Tells whether nothing is mixed: all factors are those of one run. */
export const isEnd = (mixture: string): boolean => new Set(mixture).size === 1
