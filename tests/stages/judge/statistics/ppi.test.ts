import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  averageJudge,
  computeAgreementShare,
  estimateHumanMean,
  estimatePpiMean,
  estimatePpiShare,
  type PpiMean,
} from '../../../../stages/judge/statistics/ppi/ppi-mean.js'
import { createSeededRandom } from '../../../../base/values/seeded-random.js'
import { goldenRows } from '../../../support/golden.js'
import { listUnrefused, runRows, type GoldenVector } from '../../../support/golden-vectors.js'

type Row = GoldenVector<
  { readonly y: number[]; readonly judgeLabelled: number[]; readonly judgeUnlabelled: number[] },
  { readonly alpha: number }
>

const nameValues = ({ weight, mean, stderr, interval, p, effectiveLabels }: PpiMean): unknown => ({
  lambda: weight,
  estimate: mean,
  se: stderr,
  ci: interval,
  'pAgainst.5': p,
  effectiveLabels,
})

function computeRow({ input, params: { alpha } }: Row): unknown {
  const scores = { labels: input.y, judged: input.judgeLabelled, unlabelled: input.judgeUnlabelled }
  const weigh = (weight: number | 'auto'): unknown =>
    nameValues(estimatePpiMean(scores, { weight, alpha, nullMean: 0.5 }))
  const human = estimateHumanMean(scores.labels, alpha)
  return {
    auto: weigh('auto'),
    lam0: weigh(0),
    lam1: weigh(1),
    'lam.5': weigh(0.5),
    humanOnly: { estimate: human.mean, ci: human.interval },
    judgeOnly: { estimate: averageJudge(scores) },
    agreement: computeAgreementShare(scores),
  }
}

test('prediction-powered means equal the reference in every golden row', () => {
  expect(runRows(goldenRows<Row>('stats/ppi.jsonl.gz'), { ppi: computeRow })).toEqual([])
})

const bit = fc.integer({ min: 0, max: 1 })
const scores = fc.record({
  pairs: fc.array(fc.tuple(bit, bit), { minLength: 2, maxLength: 50 }),
  unlabelled: fc.array(bit, { minLength: 1, maxLength: 200 }),
})

test('the automatic weight lies in [0, 1], and the interval contains the mean', () => {
  fc.assert(
    fc.property(scores, ({ pairs, unlabelled }) => {
      const labels = pairs.map(([label]) => label)
      const judged = pairs.map(([, judge]) => judge)
      // Labels without a spread have no interval, which another test holds.
      fc.pre(new Set(labels).size > 1 && new Set(judged).size > 1 && new Set(unlabelled).size > 1)
      const found = estimatePpiMean({ labels, judged, unlabelled })
      return (
        found.weight >= 0 && found.weight <= 1 && found.interval[0] <= found.mean && found.mean <= found.interval[1]
      )
    }),
  )
})

test('a judge with constant scores falls back to the human labels', () => {
  const labels = [0, 1, 1, 0, 1]
  const found = estimatePpiMean({ labels, judged: [1, 1, 1, 1, 1], unlabelled: [1, 1, 1] })
  const human = estimateHumanMean(labels)
  expect(found).toMatchObject({ weight: 0, mean: human.mean, interval: human.interval })
  expect(found.p).toBeUndefined()
})

test('rejects missing labels, missing scores and a wrong alpha, with a reason', () => {
  const some = { labels: [0, 1], judged: [0, 1], unlabelled: [1] }
  const wrong = [
    listUnrefused('one label', () => estimatePpiMean({ labels: [1], judged: [1], unlabelled: [1] })),
    listUnrefused('different lengths', () => estimatePpiMean({ ...some, judged: [1] })),
    listUnrefused('all labelled', () => estimatePpiMean({ ...some, unlabelled: [] })),
    listUnrefused('an infinite weight', () => estimatePpiMean(some, { weight: Infinity })),
    listUnrefused('an alpha of 2', () => estimatePpiMean(some, { alpha: 2 })),
    listUnrefused('one human label', () => estimateHumanMean([1])),
    listUnrefused('no judge scores', () => averageJudge({ judged: [], unlabelled: [] })),
    listUnrefused('no labels', () => computeAgreementShare({ labels: [], judged: [] })),
  ]
  expect(wrong.flat()).toEqual([])
})

test('the interval of a share covers it with few labels, stays within 0 and 1, and always has a width', () => {
  const next = createSeededRandom(11)
  const isDrawn = (share: number): number => Number(next() / 2 ** 32 < share)
  const draws = 400
  for (const share of [0.5, 0.85, 0.98])
    for (const right of [0.6, 0.9, 1])
      for (const labelled of [10, 20, 50, 200]) {
        let covered = 0
        for (let draw = 0; draw < draws; draw++) {
          const labels = Array.from({ length: 600 }, () => isDrawn(share))
          const judged = labels.map(label => (isDrawn(right) === 1 ? label : 1 - label))
          const [low, high] = estimatePpiShare({
            labels: labels.slice(0, labelled),
            judged: judged.slice(0, labelled),
            unlabelled: judged.slice(labelled),
          }).interval
          if (!(low >= 0 && high <= 1 && high > low)) throw new Error(`${low} to ${high} is no interval of a share`)
          if (low <= share && share <= high) covered += 1
        }
        expect(covered / draws, `${share}, ${right}, ${labelled}`).toBeGreaterThan(0.9)
      }
})

test('too few labels, and labels without a spread, have no interval', () => {
  const ones = (length: number): number[] => Array.from({ length }, () => 1)
  expect(() => estimatePpiShare({ labels: ones(9), judged: ones(9), unlabelled: [1] })).toThrow('too few labels')
  expect(() => estimatePpiMean({ labels: ones(20), judged: ones(20), unlabelled: ones(5) })).toThrow('too few labels')
  const { interval } = estimatePpiShare({ labels: ones(20), judged: ones(20), unlabelled: ones(500) })
  expect(interval[0]).toBeLessThan(0.95)
})
