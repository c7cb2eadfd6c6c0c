/** Exact counts of subsets. Binomial coefficients of a thousand samples exceed doubles, so they are whole numbers of any size. */

/** Computes C(n, k); 0 if k is not in 0 … n. */
export function chooseCount(n: number, k: number): bigint {
  if (k < 0 || k > n) return 0n
  let count = 1n
  for (let i = 1; i <= Math.min(k, n - k); i++) count = (count * BigInt(n - i + 1)) / BigInt(i)
  return count
}

/**
 * Counts the subsets of k of n samples by how many of the `correct` ones they have: entry j is
 * C(correct, j) · C(n − correct, k − j).
 */
export function countSubsets({
  n,
  correct,
  k,
}: {
  readonly n: number
  readonly correct: number
  readonly k: number
}): readonly bigint[] {
  const wrong = n - correct
  const first = Math.max(0, k - wrong)
  const last = Math.min(k, correct)
  const counts = Array.from({ length: k + 1 }, () => 0n)
  let count = chooseCount(correct, first) * chooseCount(wrong, k - first)
  for (let j = first; j <= last; j++) {
    counts[j] = count
    count = (count * BigInt(correct - j) * BigInt(k - j)) / (BigInt(j + 1) * BigInt(Math.max(1, wrong - k + j + 1)))
  }
  return counts
}

/** Divides two whole numbers ≥ 0 to a double, with a relative error of about 10⁻¹⁶ down to 10⁻³⁰⁰. */
export function divideCounts(numerator: bigint, denominator: bigint): number {
  if (numerator === 0n) return 0
  // 64 bits of the quotient, whatever the sizes: the exponents are put back afterwards.
  const shift = 64 - (bitLength(numerator) - bitLength(denominator))
  const quotient = shift >= 0 ? (numerator << BigInt(shift)) / denominator : numerator / (denominator << BigInt(-shift))
  const half = Math.trunc(shift / 2)
  return Number(quotient) * 2 ** -half * 2 ** -(shift - half)
}

const bitLength = (value: bigint): number => value.toString(2).length
