import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as beta from '../../../../../stages/judge/statistics/distributions/beta.js'
import * as binomial from '../../../../../stages/judge/statistics/distributions/binomial.js'
import * as chiSquared from '../../../../../stages/judge/statistics/distributions/chi-squared.js'
import * as f from '../../../../../stages/judge/statistics/distributions/fisher-f.js'
import { lnGamma } from '../../../../../stages/judge/statistics/distributions/gamma.js'
import * as nct from '../../../../../stages/judge/statistics/distributions/noncentral-t.js'
import * as normal from '../../../../../stages/judge/statistics/distributions/normal.js'
import * as t from '../../../../../stages/judge/statistics/distributions/student-t.js'
import { listMisses, listTopics, readVectors } from '../../../../support/golden-vectors.js'

type Point = (x: number) => number
interface Params {
  readonly fn: string
  readonly df: number
  readonly df1: number
  readonly df2: number
  readonly a: number
  readonly b: number
  readonly n: number
  readonly p: number
  readonly nc: number
}

const functions: Record<string, (params: Params) => Record<string, Point>> = {
  special: () => ({ gammaln: lnGamma, erf: normal.erf, erfc: x => 2 * normal.normalCdf(-x * Math.SQRT2) }),
  norm: () => ({
    ...{ pdf: normal.normalPdf, cdf: normal.normalCdf, sf: x => normal.normalCdf(-x) },
    ...{ ppf: normal.normalQuantile, isf: q => -normal.normalQuantile(q) },
  }),
  t: ({ df }) => ({
    pdf: x => t.tPdf(x, df),
    cdf: x => t.tCdf(x, df),
    sf: x => t.tSf(x, df),
    sf2: x => t.tTwoSided(x, df),
    ppf: x => t.tQuantile(x, df),
    isf: x => -t.tQuantile(x, df),
  }),
  chi2: ({ df }) => ({
    pdf: x => chiSquared.chiSquaredPdf(x, df),
    cdf: x => chiSquared.chiSquaredCdf(x, df),
    sf: x => chiSquared.chiSquaredSf(x, df),
    ppf: x => chiSquared.chiSquaredQuantile(x, df),
    isf: x => chiSquared.chiSquaredUpperQuantile(x, df),
  }),
  f: ({ df1, df2 }) => ({
    pdf: x => f.fPdf(x, df1, df2),
    cdf: x => f.fCdf(x, df1, df2),
    sf: x => f.fSf(x, df1, df2),
    ppf: x => f.fQuantile(x, df1, df2),
    isf: x => f.fUpperQuantile(x, df1, df2),
  }),
  beta: ({ a, b }) => ({
    pdf: x => beta.betaPdf(x, a, b),
    cdf: x => beta.incompleteBeta(a, b, x),
    sf: x => beta.incompleteBeta(b, a, 1 - x, x),
    ppf: x => beta.betaQuantile(x, a, b),
    isf: x => beta.betaUpperQuantile(x, a, b),
  }),
  binom: ({ n, p }) => ({
    pmf: x => binomial.binomialPmf(x, n, p),
    cdf: x => binomial.binomialCdf(x, n, p),
    sf: x => binomial.binomialSf(x, n, p),
    ppf: x => binomial.binomialQuantile(x, n, p),
  }),
  nct: ({ df, nc }) => ({
    pdf: x => nct.noncentralTPdf(x, df, nc),
    cdf: x => nct.noncentralTCdf(x, df, nc),
    sf: x => nct.noncentralTSf(x, df, nc),
    ppf: x => nct.noncentralTQuantile(x, df, nc),
  }),
}

describe('the distributions equal the reference at every golden point', () => {
  test.each(listTopics('distributions'))('%s', topic => {
    const wrong = readVectors('distributions', [topic]).flatMap(row => {
      const params = row.params as Params
      // Near its zeros at 1 and 2, ln Γ has an absolute tolerance.
      const tol = params.fn === 'gammaln' ? { ...row.tol, abs: 1e-14 } : row.tol
      const evaluate = functions[topic]?.(params)[params.fn]
      if (evaluate === undefined) return [`${row.id} has no function`]
      return listMisses({ ...row, tol }, (row.input as { x: number[] }).x.map(evaluate))
    })
    expect(wrong).toEqual([])
  })
})

const probability = fc.double({ min: 1e-12, max: 1 - 1e-12, noNaN: true })
const positive = fc.double({ min: 0.2, max: 5_000, noNaN: true })
const isNear = (got: number, want: number, rel: number): boolean => Math.abs(got - want) <= rel * Math.abs(want)

describe('a quantile is the inverse of its distribution', () => {
  test('for the normal distribution', () => {
    fc.assert(fc.property(probability, p => isNear(normal.normalCdf(normal.normalQuantile(p)), p, 1e-11)))
  })

  test('for Student’s t and the noncentral t', () => {
    fc.assert(fc.property(probability, positive, (p, df) => isNear(t.tCdf(t.tQuantile(p, df), df), p, 1e-9)))
    fc.assert(
      fc.property(
        fc.double({ min: 1e-4, max: 0.9999, noNaN: true }),
        fc.double({ min: 1, max: 500, noNaN: true }),
        fc.double({ min: -5, max: 5, noNaN: true }),
        (p, df, nc) => isNear(nct.noncentralTCdf(nct.noncentralTQuantile(p, df, nc), df, nc), p, 1e-8),
      ),
      { numRuns: 20 },
    )
  })

  test('for χ², F and beta', () => {
    fc.assert(
      fc.property(probability, positive, positive, (p, a, b) => {
        // A quantile that rounds to 0 or 1 cannot be inverted.
        const x = beta.betaQuantile(p, a, b)
        return (
          isNear(chiSquared.chiSquaredCdf(chiSquared.chiSquaredQuantile(p, a), a), p, 1e-9) &&
          (x === 0 || x > 1 - 1e-6 || isNear(beta.incompleteBeta(a, b, x), p, 1e-8)) &&
          isNear(f.fCdf(f.fQuantile(p, a, b), a, b), p, 1e-8)
        )
      }),
    )
  })

  test('for the binomial: the smallest number that reaches the probability', () => {
    fc.assert(
      fc.property(
        probability,
        fc.integer({ min: 1, max: 5_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (q, n, p) => {
          const k = binomial.binomialQuantile(q, n, p)
          return (k === n || binomial.binomialCdf(k, n, p) >= q) && (k === 0 || binomial.binomialCdf(k - 1, n, p) < q)
        },
      ),
    )
  })
})

test('the noncentral t distribution without a shift equals Student’s t', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -30, max: 30, noNaN: true }),
      fc.double({ min: 1, max: 1e6, noNaN: true }),
      (x, df) => {
        return isNear(nct.noncentralTCdf(x, df, 0), t.tCdf(x, df), 1e-8)
      },
    ),
    { numRuns: 60 },
  )
})

test('a probability outside [0, 1] has no quantile', () => {
  expect([
    beta.betaQuantile(1.2, 2, 3),
    chiSquared.chiSquaredQuantile(-0.1, 2),
    nct.noncentralTQuantile(2, 5, 1),
  ]).toEqual([Number.NaN, Number.NaN, Number.NaN])
})
