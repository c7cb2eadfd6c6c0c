/** Rounds to one decimal, for times in milliseconds and coordinates of drawings. */
export const roundToTenths = (value: number): number => Math.round(value * 10) / 10

/** Rounds as Python's `round` does: a half goes to the even neighbour. */
export function roundHalfToEven(value: number): number {
  const down = Math.floor(value)
  if (value - down !== 0.5) return Math.round(value)
  return down % 2 === 0 ? down : down + 1
}
