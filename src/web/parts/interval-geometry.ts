/** Computes positions of values on a bar, in percent of its width. */

export interface Scale {
  readonly low: number
  readonly high: number
}

/** From 0 to 1 where all values fit in, as most scores do; else from and to round numbers that hold all values and 0. */
export function makeScale(values: readonly number[]): Scale {
  const finite = values.filter(Number.isFinite)
  const low = Math.min(0, ...finite)
  const high = Math.max(0, ...finite)
  if (low >= 0 && high <= 1) return { low: 0, high: 1 }
  return { low: low < 0 ? -roundUp(-low) : 0, high: high > 0 ? roundUp(high) : 0 }
}

/** A scale with 0 in its middle, for differences. */
export function scaleAroundZero(values: readonly number[]): Scale {
  const widest = Math.max(0, ...values.filter(Number.isFinite).map(Math.abs))
  const high = widest === 0 ? 1 : roundUp(widest)
  return { low: -high, high }
}

/** Computes the position of a value in percent. Values outside of the scale are at its edge. */
export function computePosition(value: number, { low, high }: Scale): number {
  if (high === low) return 0
  const share = (value - low) / (high - low)
  return Math.round(Math.min(1, Math.max(0, share)) * 10_000) / 100
}

/** The next of 1, 1.5, 2, 3, 5 or 7.5 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value))
  const factor = [1, 1.5, 2, 3, 5, 7.5].find(step => step * power >= value * (1 - 1e-9)) ?? 10
  return Number((factor * power).toPrecision(3))
}
