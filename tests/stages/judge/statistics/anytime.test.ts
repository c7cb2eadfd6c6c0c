import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeBets } from '../../../../stages/judge/statistics/anytime/bets.js'
import { computeBettingSequence, testMeanByBetting } from '../../../../stages/judge/statistics/anytime/betting.js'
import {
  computeBetaBinomialBoundary,
  computeGammaBoundary,
  computeNormalBoundary,
  computeNormalMixtureBoundary,
  computeStitchedBoundary,
} from '../../../../stages/judge/statistics/anytime/boundaries.js'
import {
  computeBernsteinSequence,
  computeHoeffdingSequence,
} from '../../../../stages/judge/statistics/anytime/confidence-sequence.js'
import {
  computeObrienFlemingBoundaries,
  computePeekingError,
  computePocockBoundary,
  computeSpendingBoundaries,
  spendAlpha,
  type SpendingRule,
} from '../../../../stages/judge/statistics/anytime/group-sequential.js'
import {
  computeAsymptoticSequence,
  computeBernoulliSequence,
} from '../../../../stages/judge/statistics/anytime/interval-sequences.js'
import { normalQuantile } from '../../../../stages/judge/statistics/distributions/normal.js'
import { goldenRows } from '../../../support/golden.js'
import { listUnrefused, runRows, type GoldenVector } from '../../../support/golden-vectors.js'

interface Input {
  readonly x: number[]
  readonly v: number
  readonly rho: number
  readonly n: number
  readonly mean: number
  readonly sd: number
  readonly successes: number
  readonly looks: number
  readonly information: number[]
}

interface Params {
  readonly alpha: number
  readonly m: number
  readonly vOpt: number
  readonly alphaOpt: number
  readonly rho2: number
  readonly tOpt: number
}

type Row = GoldenVector<Input, Params, Readonly<Record<string, unknown>> & { readonly t: number[] }>

/** The ends of the intervals at the row's times. */
function pickTimes(intervals: readonly (readonly [number, number])[], times: readonly number[]): unknown {
  const picked = times.map(time => intervals[time - 1])
  return { lower: picked.map(interval => interval?.[0]), upper: picked.map(interval => interval?.[1]) }
}

function computeSequences({ input: { x }, params: { alpha }, expected: { t } }: Row): unknown {
  const bernstein = (settings: { centre: 'paper' | 'confseq'; isRunning?: boolean }): unknown =>
    pickTimes(computeBernsteinSequence(x, { alpha, ...settings }), t)
  return {
    t,
    empiricalBernstein: bernstein({ centre: 'confseq' }),
    empiricalBernsteinRunning: bernstein({ centre: 'confseq', isRunning: true }),
    empiricalBernsteinPaper: bernstein({ centre: 'paper' }),
    hoeffding: pickTimes(computeHoeffdingSequence(x, { alpha }), t),
  }
}

function computeBetting({ input: { x }, params: { m, alpha }, expected: { t } }: Row): unknown {
  const { capital, capitalSum, p } = testMeanByBetting(x, m, { alpha })
  return {
    t,
    capital: t.map(time => capital[time - 1]),
    capitalConvex: t.map(time => capitalSum[time - 1]),
    everAbove20: capital.some(amount => amount >= 20),
    p,
  }
}

function computeBettingEnds({ input: { x }, params: { alpha }, expected: { t } }: Row): unknown {
  const ends = computeBettingSequence(x, { alpha, times: t })
  return { t, lower: ends.map(([low]) => low), upper: ends.map(([, high]) => high) }
}

function computeBoundaries({ input: { v }, params }: Row): unknown {
  return {
    normalOneSided: computeNormalMixtureBoundary(v, { ...params, isOneSided: true }),
    normalTwoSided: computeNormalMixtureBoundary(v, { ...params, isOneSided: false }),
    gammaExponential_c1: computeGammaBoundary(v, { ...params, c: 1 }),
    polyStitching_vmin1: computeStitchedBoundary(v, { alpha: params.alpha, vMin: 1 }),
    'betaBinomial_gh.5': computeBetaBinomialBoundary(v, { ...params, g: 0.5, h: 0.5 }),
  }
}

function computeLooks({ input: { looks }, params: { alpha } }: Row): unknown {
  const obrienFleming = computeObrienFlemingBoundaries(looks, alpha)
  return {
    pocockZ: computePocockBoundary(looks, alpha),
    obrienFlemingZ: obrienFleming,
    obrienFlemingC: obrienFleming.at(-1),
    naiveTypeI: computePeekingError(looks, normalQuantile(1 - alpha / 2)),
  }
}

function computeSpending({ input: { information }, params: { alpha } }: Row): unknown {
  const spend = (rule: SpendingRule): unknown => ({
    z: computeSpendingBoundaries(rule, information, alpha),
    cumulativeAlpha: spendAlpha(rule, information, alpha),
  })
  return { obrienFleming: spend('obrien-fleming'), pocock: spend('pocock'), linear: spend('linear') }
}

const computeByKind: Readonly<Record<string, (row: Row) => unknown>> = {
  cs: computeSequences,
  betting: computeBetting,
  'betting-cs': computeBettingEnds,
  bets: ({ input: { x }, params: { alpha } }) => ({ lambda: computeBets(x, alpha / 2) }),
  boundary: computeBoundaries,
  'normal-mixture-closed': ({ input: { v, rho }, params: { alpha } }) => ({
    bound: computeNormalBoundary(v, rho, alpha),
  }),
  'asymptotic-cs': ({ input: { n, mean, sd }, params }) => ({
    ci: computeAsymptoticSequence({ n, mean, deviation: sd }, params),
  }),
  'bernoulli-cs': ({ input, params }) => ({ ci: computeBernoulliSequence(input, params) }),
  'group-sequential': computeLooks,
  'alpha-spending': computeSpending,
}

test('confidence sequences, bets, boundaries and spending equal the reference in every golden row', () => {
  expect(runRows(goldenRows<Row>('stats/anytime.jsonl.gz'), computeByKind)).toEqual([])
})

/** A seeded generator of numbers in [0, 1): Park and Miller's. */
function makeRandom(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

test('a sequence that is checked after every value misses the mean in at most 5 % of 400 seeded runs', () => {
  const random = makeRandom(20_241)
  const share = 0.8
  const errors = { bernstein: 0, hoeffding: 0, betting: 0 }
  for (let run = 0; run < 400; run++) {
    const values = Array.from({ length: 120 }, () => (random() < share ? 1 : 0))
    const isLeftOut = ([low, high]: readonly [number, number]): boolean => share < low || share > high
    if (computeBernsteinSequence(values).some(isLeftOut)) errors.bernstein += 1
    if (computeHoeffdingSequence(values).some(isLeftOut)) errors.hoeffding += 1
    if (testMeanByBetting(values, share).p <= 0.05) errors.betting += 1
  }
  expect(Object.values(errors).every(count => count <= 20)).toBe(true)
})

const bounded = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 80 })

test('intersected intervals only get narrower, and lie in [0, 1]', () => {
  fc.assert(
    fc.property(bounded, values => {
      const intervals = computeBernsteinSequence(values, { isRunning: true })
      return intervals.every(([low, high], i) => {
        const [lowBefore, highBefore] = intervals[i - 1] ?? [0, 1]
        return low >= lowBefore && high <= highBefore
      })
    }),
  )
})

test('betting on mirrored values mirrors the interval, and betting barely rejects its ends', () => {
  fc.assert(
    fc.property(bounded, values => {
      const [[low, high] = [0, 1]] = computeBettingSequence(values)
      const [[mirroredLow, mirroredHigh] = [0, 1]] = computeBettingSequence(values.map(value => 1 - value))
      const isMirrored = Math.abs(low - (1 - mirroredHigh)) < 1e-9 && Math.abs(high - (1 - mirroredLow)) < 1e-9
      const isRoot = low === 0 || Math.abs(testMeanByBetting(values, low).p - 0.05) < 1e-6
      return isMirrored && isRoot
    }),
  )
})

test('one look needs no correction, and unplanned looks spend the whole error rate', () => {
  expect(computePocockBoundary(1)).toBeCloseTo(normalQuantile(0.975), 12)
  expect(computeObrienFlemingBoundaries(1)).toEqual([normalQuantile(0.975)])
  expect(computePeekingError(1)).toBeCloseTo(0.05, 12)
  const early = computeSpendingBoundaries('obrien-fleming', [0.01, 0.013, 1])
  expect(early[0]).toBeCloseTo(19.6, 1)
  expect(early[2]).toBeCloseTo(normalQuantile(0.975), 9)
})

test('rejects numbers without a defined sequence or boundary, with a reason', () => {
  const mixture = { vOpt: 10 }
  const wrong = [
    listUnrefused('a value of 2', () => computeBernsteinSequence([0, 2])),
    listUnrefused('an alpha of 0', () => computeHoeffdingSequence([0, 1], { alpha: 0 })),
    listUnrefused('a mean of 1', () => testMeanByBetting([0, 1], 1)),
    listUnrefused('no values', () => computeBettingSequence([])),
    listUnrefused('a time of 3', () => computeBettingSequence([0, 1], { times: [3] })),
    listUnrefused('a share of 2', () => computeBettingSequence([0, 1], { share: 2 })),
    listUnrefused('no time', () => computeNormalMixtureBoundary(0, mixture)),
    listUnrefused('a rho of 0', () => computeNormalBoundary(1, 0)),
    listUnrefused('an alpha of 1', () => computeStitchedBoundary(1, { alpha: 1, vMin: 1 })),
    listUnrefused('more successes than trials', () => computeBernoulliSequence({ successes: 3, n: 2 }, { tOpt: 10 })),
    listUnrefused('an alpha of 2', () => computeBernoulliSequence({ successes: 1, n: 2 }, { tOpt: 10, alpha: 2 })),
    listUnrefused('no values to average', () =>
      computeAsymptoticSequence({ n: 0, mean: 0, deviation: 1 }, { rho2: 1 }),
    ),
    listUnrefused('no looks', () => computePocockBoundary(0)),
    listUnrefused('an alpha of −1', () => computeObrienFlemingBoundaries(2, -1)),
    listUnrefused('falling information', () => spendAlpha('linear', [0.5, 0.4])),
  ]
  expect(wrong.flat()).toEqual([])
})
