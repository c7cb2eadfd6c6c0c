/**
 * The chance that of `k` samples, drawn from `n` of which `c` are right, at least one is right: 1 − C(n−c, k) / C(n, k), in [0, 1]. It is
 * the unbiased estimate of pass@k.
 *
 * Source: Chen et al. 2021 (https://arxiv.org/abs/2107.03374), section 2.1.
 *
 * @throws RangeError where there are fewer than `k` samples.
 */
export function passAtK({ n, c, k }: { readonly n: number; readonly c: number; readonly k: number }): number {
  if (k > n) throw new RangeError(`pass@${k} needs ${k} samples, and there are ${n}`)
  if (n - c < k) return 1
  let allWrong = 1
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i
  return 1 - allWrong
}
