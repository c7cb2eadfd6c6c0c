import { tSf } from '../distributions/student-t.js'
import type { Estimate } from '../intervals/mean.js'

/** Two one-sided tests of a difference against −margin and +margin. */
export interface EquivalenceTest {
  /** The p value that the difference lies within ±margin: the larger of the two. */
  readonly p: number
  /** The test that the difference is above −margin. */
  readonly tLower: number
  readonly pLower: number
  /** The test that the difference is below +margin. */
  readonly tUpper: number
  readonly pUpper: number
}

/**
 * Tests whether a difference is smaller than `margin` either way. For clusters, pass a cluster-robust standard error with
 * its degrees of freedom. Two models are equivalent at α if `p` < α.
 *
 * Source: Schuirmann, "A comparison of the two one-sided tests procedure and the power approach for assessing the
 * equivalence of average bioavailability", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
 */
export function testEquivalence({ mean, stderr, df }: Estimate, margin: number): EquivalenceTest {
  const tLower = (mean + margin) / stderr
  const tUpper = (mean - margin) / stderr
  const [pLower, pUpper] = [tSf(tLower, df), tSf(-tUpper, df)]
  return { p: Math.max(pLower, pUpper), tLower, pLower, tUpper, pUpper }
}
