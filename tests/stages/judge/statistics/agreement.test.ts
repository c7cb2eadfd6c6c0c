import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  computeDifferenceStderr,
  countWins,
  fitBradleyTerry,
  type Wins,
} from '../../../../stages/judge/statistics/agreement/bradley-terry.js'
import { computeKappa, type Category } from '../../../../stages/judge/statistics/agreement/cohen.js'
import { replayElo, type Game } from '../../../../stages/judge/statistics/agreement/elo.js'
import { computeFleissKappa } from '../../../../stages/judge/statistics/agreement/fleiss.js'
import { computeIntraclass } from '../../../../stages/judge/statistics/agreement/intraclass.js'
import { computeAlpha, type Rating } from '../../../../stages/judge/statistics/agreement/krippendorff.js'
import {
  testKendall,
  testPearson,
  testSpearman,
} from '../../../../stages/judge/statistics/agreement/rank-correlation.js'
import { rankValues } from '../../../../stages/judge/statistics/paired/ranks.js'
import { goldenRows } from '../../../support/golden.js'
import { listMisses, listUnrefused, runRows, type GoldenVector } from '../../../support/golden-vectors.js'

interface Input {
  readonly a: Category[]
  readonly b: Category[]
  readonly labels: Category[]
  readonly ratings: number[][]
  readonly categories: number
  readonly x: number[]
  readonly y: number[]
  readonly items: number
  readonly wins?: Wins[]
  readonly games: Game<number>[]
}

interface Params {
  readonly penalty?: number
  readonly K: number
  readonly initial: number
  readonly scale: number
  readonly base: number
}

type Row = GoldenVector<Input, Params, Readonly<Record<string, unknown>>>

function computeCohen({ input: { a, b, labels } }: Row): unknown {
  const { kappa, table, agreement, stderr, nullStderr, interval } = computeKappa(a, b, { labels })
  const weigh = (weights: 'linear' | 'quadratic'): number => computeKappa(a, b, { labels, weights }).kappa
  const [linear, quadratic] = [weigh('linear'), weigh('quadratic')]
  return { table, agreement, kappa, linear, quadratic, se: stderr, se0: nullStderr, ci: interval }
}

function computeIntraclassRow({ input }: Row): unknown {
  const forms = computeIntraclass(input.x as unknown as number[][])
  return Object.fromEntries(
    Object.entries(forms).map(([form, { icc, f, dfBetween, dfWithin, p }]) => [
      form,
      { icc, F: f, df1: dfBetween, df2: dfWithin, p },
    ]),
  )
}

function computeRanks({ input: { x, y } }: Row): unknown {
  const kendall = testKendall(x, y)
  return {
    pearson: testPearson(x, y),
    spearman: testSpearman(x, y),
    kendallB: { tau: kendall.tauB, pAsymptotic: kendall.p, pExact: kendall.exactP },
    kendallC: { tau: kendall.tauC },
    ranksX: rankValues(x).ranks,
  }
}

function computeStrengths({ input: { items, wins, games }, params }: Row): unknown {
  const fit = fitBradleyTerry(items, wins ?? countWins(games), params.penalty)
  const { strengths, elo, logLikelihood, order, stderr } = fit
  return {
    theta: strengths,
    elo,
    logLik: logLikelihood,
    order,
    se: stderr,
    seDiff01: computeDifferenceStderr(fit, 0, 1),
  }
}

function computeElo({ input, params }: Row): unknown {
  const games = input.games as unknown as Game<string>[]
  const settings = { ...params, step: params.K }
  const { ratings, afterEach } = replayElo(games, settings)
  const backwards = replayElo(games.toReversed(), settings).ratings
  return {
    final: Object.fromEntries(ratings),
    afterEach,
    finalIfReplayedBackwards: Object.fromEntries(backwards),
  }
}

const computeByKind: Readonly<Record<string, (row: Row) => unknown>> = {
  cohen: computeCohen,
  fleiss: ({ input }) => computeFleissKappa(input.ratings, input.categories),
  icc: computeIntraclassRow,
  rank: computeRanks,
  'bradley-terry': computeStrengths,
  'bradley-terry-ties': computeStrengths,
  elo: computeElo,
}

const rows = goldenRows<Row>('stats/agreement.jsonl.gz')
const isAlpha = ({ id }: Row): boolean => id.startsWith('krippendorff/')

test('kappas, correlations and ratings equal the reference in every golden row', () => {
  expect(
    runRows(
      rows.filter(row => !isAlpha(row)),
      computeByKind,
    ),
  ).toEqual([])
})

test('Krippendorff’s alpha equals the reference at each level in every golden row', () => {
  const wrong = rows.filter(isAlpha).flatMap(({ id, input, expected, tol }) =>
    (['nominal', 'ordinal', 'interval', 'ratio'] as const).flatMap(level => {
      const compute = (): number => computeAlpha(input.ratings, level)
      if (typeof expected[level] === 'object') return listUnrefused(`${id} ${level}`, compute)
      return listMisses({ id: `${id} ${level}`, tol }, compute(), expected[level])
    }),
  )
  expect(wrong).toEqual([])
})

test('kappa is symmetric in its raters, and equal raters agree fully', () => {
  const pairs = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('a', 'b', 'c')), { minLength: 3 })
  fc.assert(
    fc.property(pairs, list => {
      const [first, second] = [list.map(([a]) => a), list.map(([, b]) => b)]
      fc.pre(new Set([...first, ...second]).size > 1)
      const labels = ['a', 'b', 'c']
      const forth = computeKappa(first, second, { labels, weights: 'linear' }).kappa
      const back = computeKappa(second, first, { labels, weights: 'linear' }).kappa
      return Math.abs(forth - back) < 1e-12 && forth <= 1
    }),
  )
})

test('tau, rho and ranks do not change under an increasing transformation of the values', () => {
  const lists = fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 })), { minLength: 3 })
  fc.assert(
    fc.property(lists, list => {
      const [x, y] = [list.map(([a]) => a), list.map(([, b]) => b)]
      fc.pre(new Set(x).size > 1 && new Set(y).size > 1)
      const cubes = x.map(value => value ** 3)
      return (
        Math.abs(testSpearman(x, y).r - testSpearman(cubes, y).r) < 1e-12 &&
        testKendall(x, y).tauB === testKendall(cubes, y).tauB
      )
    }),
  )
})

test('the order of games does not change Bradley–Terry strengths', () => {
  const games = [
    [0, 1, 1],
    [1, 2, 1],
    [2, 0, 1],
    [0, 2, 0.5],
    [0, 1, 1],
  ] as const
  const forth = fitBradleyTerry(3, countWins(games)).strengths
  const back = fitBradleyTerry(3, countWins(games.toReversed())).strengths
  forth.forEach((strength, i) => {
    expect(strength).toBeCloseTo(back[i] ?? Number.NaN, 12)
  })
})

test('rejects ratings and games without an agreement or estimate, with a reason', () => {
  const missing: Rating[][] = [
    [1, null],
    [null, 2],
  ]
  const wrong = [
    listUnrefused('no items', () => computeKappa([], [])),
    listUnrefused('one category', () => computeKappa(['a', 'a'], ['a', 'a'])),
    listUnrefused('an unknown label', () => computeKappa(['a'], ['b'], { labels: ['a'] })),
    listUnrefused('unequal ratings', () => computeFleissKappa([[1, 2], [1]])),
    listUnrefused('one rating', () => computeFleissKappa([[1], [2]])),
    listUnrefused('equal ratings', () => computeFleissKappa([[1, 1]])),
    listUnrefused('no shared item', () => computeAlpha(missing)),
    listUnrefused('text with distances', () =>
      computeAlpha(
        [
          ['a', 'b'],
          ['a', 'a'],
        ],
        'interval',
      ),
    ),
    listUnrefused('one rater', () => computeIntraclass([[1], [2]])),
    listUnrefused('a missing rating', () => computeIntraclass([[1, 2], [1]])),
    listUnrefused('lists of different lengths', () => testPearson([1, 2], [1])),
    listUnrefused('no number', () => testKendall([1, Number.NaN], [1, 2])),
    listUnrefused('one model', () => fitBradleyTerry(1, [])),
    listUnrefused('a negative penalty', () => fitBradleyTerry(2, [[0, 1, 1]], -1)),
    listUnrefused('a model out of range', () => fitBradleyTerry(2, [[0, 2, 1]])),
    listUnrefused('a game with itself', () => replayElo([['a', 'a', 1]])),
    listUnrefused('a score of 2', () => countWins([[0, 1, 2]])),
  ]
  expect(wrong.flat()).toEqual([])
})
