/** Computes the Riemann zeta function for s > 1 by Euler and Maclaurin's sum. Source: DLMF 25.2.9. */
export function computeZeta(s: number): number {
  const n = 20
  let sum = 0
  for (let k = 1; k < n; k++) sum += k ** -s
  const tail = n ** (1 - s) / (s - 1) + n ** -s / 2
  const correction =
    (s * n ** (-s - 1)) / 12 -
    (s * (s + 1) * (s + 2) * n ** (-s - 3)) / 720 +
    (s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * n ** (-s - 5)) / 30240
  return sum + tail + correction
}
