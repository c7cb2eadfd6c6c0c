import { incompleteBeta } from './beta.js'

/**
 * McNemar's exact two-sided p: whether docs that only one of two models got right could as well have gone the other way.
 * Twice the binomial tail P(X ≤ min), X ~ B(onlyA + onlyB, ½), at most 1; 1 where no doc differs.
 *
 * Source: McNemar, Psychometrika 12 (1947), in its exact form.
 */
export function mcnemar(onlyA: number, onlyB: number): number {
  const less = Math.min(onlyA, onlyB)
  const more = Math.max(onlyA, onlyB)
  if (less === more) return 1
  return Math.min(1, 2 * incompleteBeta(more, less + 1, 0.5, 0.5))
}
