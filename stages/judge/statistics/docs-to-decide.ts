import { normalQuantile } from './normal.js'

/**
 * How many docs would show a difference as large as the one observed: paired, two-sided at `alpha`, with `power`.
 * `deviation` is the standard deviation of the docs' differences. Undefined where there is no difference to show.
 *
 * n = ((z₁₋α⸝₂ + z_power) · deviation / difference)², rounded up. Source: the normal approximation, for example
 * Miller, "Adding Error Bars to Evals" (2024), equation 9.
 */
export function docsToDecide(
  { difference, deviation }: { readonly difference: number; readonly deviation: number },
  { alpha, power }: { readonly alpha: number; readonly power: number } = { alpha: 0.05, power: 0.8 },
): number | undefined {
  if (difference === 0 || deviation === 0) return undefined
  const z = normalQuantile(1 - alpha / 2) + normalQuantile(power)
  return Math.ceil(((z * deviation) / difference) ** 2)
}
