/**
 * Measures how far the values of several runs are apart on a doc: four times the variance, as a share of the squared span.
 *
 * @param span the distance between the lowest and the highest value of the metric
 * @returns from 0, where all values are equal, to 1, where half of the values are at either end
 */
export function measureDisagreement(values: readonly number[], span: number): number {
  // Rounding must not make a difference of equal values.
  if (values.every(value => value === values[0])) return 0
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return (4 * squares) / values.length / span ** 2
}
