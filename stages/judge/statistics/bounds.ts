/**
 * Where the mean of all `total` docs lies whatever the missing ones are worth: all at the lowest value, all at the highest.
 *
 * Source: Manski, "Nonparametric Bounds on Treatment Effects", American Economic Review 80 (1990).
 */
export function meanBounds(
  known: { readonly n: number; readonly mean: number },
  total: number,
  [lowest, highest]: readonly [number, number],
): readonly [number, number] {
  const sum = known.n === 0 ? 0 : known.mean * known.n
  const missing = total - known.n
  return [(sum + missing * lowest) / total, (sum + missing * highest) / total]
}
