/** When two numbers count as equal. */

/**
 * |a − b| ≤ max(relative · max(|a|, |b|), absolute): the same whichever comes first. Infinities are near to themselves alone, NaN to nothing.
 *
 * Source: Python 3.11, `math.isclose`.
 */
export function isCloseSymmetric(a: number, b: number, relative = 1e-9, absolute = 0): boolean {
  if (a === b) return true
  if (!Number.isFinite(a) || !Number.isFinite(b)) return false
  const difference = Math.abs(a - b)
  return difference <= Math.abs(relative * b) || difference <= Math.abs(relative * a) || difference <= absolute
}

/**
 * |value − target| ≤ absolute + relative · |target|. Infinities are near to themselves alone, NaN to nothing.
 *
 * Source: numpy 2.4.6, `numpy.isclose`.
 */
export function isCloseToTarget(value: number, target: number, relative = 1e-5, absolute = 1e-8): boolean {
  if (value === target) return true
  return Number.isFinite(target) && Math.abs(value - target) <= absolute + relative * Math.abs(target)
}
