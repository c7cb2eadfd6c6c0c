import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  averageJudge,
  computeAgreementShare,
  estimateHumanMean,
  estimatePpiMean,
  type PpiMean,
} from '../../../../stages/judge/statistics/ppi/ppi-mean.js'
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
      const found = estimatePpiMean({ labels, judged: pairs.map(([, judge]) => judge), unlabelled })
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
