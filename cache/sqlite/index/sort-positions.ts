/**
 * Sorts positions by a number each, the least first, in time that grows with their number alone: a sort with a comparator takes a second for a million. Equal
 * numbers keep their order, and NaN comes last in either direction.
 */
export function sortPositions(
  positions: Int32Array,
  numberAt: (position: number) => number,
  descending: boolean,
): Int32Array {
  const n = positions.length
  const numbers = new Float64Array(n)
  for (let i = 0; i < n; i += 1) numbers[i] = numberAt(positions[i] ?? 0)
  const halves = new Uint32Array(numbers.buffer)
  for (let i = 0; i < n; i += 1) makeComparable(halves, 2 * i, Number.isNaN(numbers[i]), descending)
  let order = new Uint32Array(n)
  for (let i = 0; i < n; i += 1) order[i] = i
  let next = new Uint32Array(n)
  for (const half of [0, 1]) {
    for (const shift of [0, 16]) {
      if (!passOver(halves, { half, shift }, order, next)) continue
      ;[order, next] = [next, order]
    }
  }
  return Int32Array.from(order, at => positions[at] ?? 0)
}

/** Changes the bits of a number (low half first) so that they sort as unsigned integers. */
function makeComparable(halves: Uint32Array, at: number, isNone: boolean, descending: boolean): void {
  if (isNone) {
    halves[at] = halves[at + 1] = 0xffffffff
    return
  }
  let low = halves[at] ?? 0
  let high = halves[at + 1] ?? 0
  // Minus zero is zero.
  if (high === 0x80000000 && low === 0) high = 0
  if (high >>> 31 === 1) {
    low = ~low
    high = ~high
  } else high |= 0x80000000
  if (descending) {
    low = ~low
    high = ~high
  }
  halves[at] = low >>> 0
  halves[at + 1] = high >>> 0
}

/** One pass of a radix sort over 16 bits. @returns false if all have the same bits there */
function passOver(
  halves: Uint32Array,
  { half, shift }: { readonly half: number; readonly shift: number },
  order: Uint32Array,
  next: Uint32Array,
): boolean {
  const starts = new Uint32Array(65_537)
  const n = order.length
  for (let i = 0; i < n; i += 1) {
    const digit = ((halves[2 * i + half] ?? 0) >>> shift) & 0xffff
    starts[digit + 1] = (starts[digit + 1] ?? 0) + 1
  }
  if (starts.includes(n, 1)) return false
  for (let digit = 1; digit < 65_537; digit += 1) starts[digit] = (starts[digit] ?? 0) + (starts[digit - 1] ?? 0)
  for (let i = 0; i < n; i += 1) {
    const at = order[i] ?? 0
    const digit = ((halves[2 * at + half] ?? 0) >>> shift) & 0xffff
    const position = starts[digit] ?? 0
    next[position] = at
    starts[digit] = position + 1
  }
  return true
}
