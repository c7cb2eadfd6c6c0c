import { placesOf } from './item-places.js'

/** Lengths of the longest common subsequences of the first i of `a` and the first j of `b`, at `i * (b.length + 1) + j`. */
function subsequenceLengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const at = i * width + j
      lengths[at] =
        a[i - 1] === b[j - 1]
          ? (lengths[at - width - 1] ?? 0) + 1
          : Math.max(lengths[at - width] ?? 0, lengths[at - 1] ?? 0)
    }
  }
  return lengths
}

/**
 * How long the longest common subsequence is: a row of the table at a time, 32 cells in a number whose bits say where the row goes up.
 *
 * Source: Hyyrö, "Bit-parallel LCS-length computation revisited" (2004).
 */
export function subsequenceLength(a: readonly string[], b: readonly string[]): number {
  if (b.length > a.length) return subsequenceLength(b, a)
  const blocks = Math.ceil(b.length / 32)
  const places = placesOf(b, blocks)
  const same = new Int32Array(blocks).fill(-1)
  for (const token of a) {
    const matches = places.get(token)
    if (matches === undefined) continue
    let carry = 0
    for (let block = 0; block < blocks; block++) {
      const row = same[block] ?? 0
      const up = row & (matches[block] ?? 0)
      const sum = (row >>> 0) + (up >>> 0) + carry
      carry = sum > 0xffffffff ? 1 : 0
      same[block] = sum | (row & ~up)
    }
  }
  let length = 0
  for (let j = 0; j < b.length; j++) length += ((same[j >> 5] ?? 0) >>> (j & 31)) & 1 ? 0 : 1
  return length
}

/**
 * Where in `a` one of the longest common subsequences lies, ascending. There can be several: which one is found decides a union, so
 * `prefer` says whether `a` or `b` is shortened where both ways are as good.
 */
export function subsequenceOf(a: readonly string[], b: readonly string[], prefer: 'a' | 'b'): readonly number[] {
  const lengths = subsequenceLengths(a, b)
  const width = b.length + 1
  const found: number[] = []
  let [i, j] = [a.length, b.length]
  while (i > 0 && j > 0) {
    if (a[i - 1] === b[j - 1]) {
      found.push(--i)
      j--
      continue
    }
    const [shorterA = 0, shorterB = 0] = [lengths[(i - 1) * width + j], lengths[i * width + j - 1]]
    if (prefer === 'a' ? shorterB > shorterA : shorterA <= shorterB) j--
    else i--
  }
  return found.reverse()
}
