/**
 * Compares two golden values: numbers within 1e-9 · max(1, |a|, |b|), lists and objects part by part, everything else exactly. Numbers without a
 * JSON form are texts: `NaN`, `Infinity`.
 */
export function sameWithin(a: unknown, b: unknown, tolerance = 1e-9): boolean {
  if (typeof a === 'number' && typeof b === 'number') {
    return Object.is(a, b) || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b))
  }
  if (typeof a === 'number' && !Number.isFinite(a)) return String(a) === b
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((one, i) => sameWithin(one, b[i], tolerance))
  }
  if (typeof a === 'object' && typeof b === 'object' && a !== null && b !== null) {
    const [left, right] = [a, b] as [Record<string, unknown>, Record<string, unknown>]
    const keys = Object.keys(left)
    return (
      keys.length === Object.keys(right).length &&
      keys.every(key => key in right && sameWithin(left[key], right[key], tolerance))
    )
  }
  return a === b
}
