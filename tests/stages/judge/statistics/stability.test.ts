import fc from 'fast-check'
import { expect, test } from 'vitest'
import { averagePasses, estimatePasses } from '../../../../stages/judge/statistics/stability/pass-estimates.js'
import { measureStability } from '../../../../stages/judge/statistics/stability/sample-stability.js'
import {
  estimateMajorityAtK,
  judgeVote,
  takeVote,
  type CountedAnswer,
} from '../../../../stages/judge/statistics/stability/vote.js'
import { goldenRows } from '../../../support/golden.js'
import { listUnrefused, runRows, type GoldenVector } from '../../../support/golden-vectors.js'

interface Input {
  readonly scores: number[][]
  readonly answers: CountedAnswer[]
  readonly target: CountedAnswer
  readonly n: number
  readonly correct: number
  readonly docs: { n: number; correct: number }[]
}

type Row = GoldenVector<Input, { readonly k?: number }, Readonly<Record<string, unknown>>>

function computeStability({ input: { scores } }: Row): unknown {
  const { spread, ...stability } = measureStability(scores)
  return {
    EA: stability.expectedAccuracy,
    CA: stability.consensusAccuracy,
    IV: stability.internalVariance,
    CR: stability.consistencyRate,
    seEA: spread?.stderr,
    varBetween: spread?.between,
    varWithin: spread?.within,
    varTotal: spread?.total,
    seIfSamplesWereIndependent: spread?.independentStderr,
  }
}

function computeVote({ input: { answers, target } }: Row): unknown {
  const vote = judgeVote(answers, target)
  return {
    vote: vote.answer,
    voteIsRight: vote.isRight,
    tied: vote.tied,
    expectedRightUnderRandomTies: vote.expectedRight,
    share: vote.share,
    strictMajorityOfCorrectness: vote.hasRightMajority,
    allSameAnswer: vote.isUnanimous,
    allSameScore: vote.hasEqualScores,
  }
}

function computeMajorities({ input: { answers, target } }: Row): unknown {
  return { majAtK: Object.fromEntries(answers.map((_, i) => [i + 1, estimateMajorityAtK(answers, target, i + 1)])) }
}

function computePasses({ input, params, expected }: Row): unknown {
  const compute = (k: number): unknown => {
    const { gPass, ...passes } = estimatePasses(input, k)
    return { ...passes, gPass: { '0.25': gPass[0], '0.5': gPass[1], '0.75': gPass[2], '1.0': gPass[3] } }
  }
  if (params.k !== undefined) return compute(params.k)
  return Object.fromEntries(Object.keys(expected).map(k => [k, compute(Number(k))]))
}

const computeByKind: Readonly<Record<string, (row: Row) => unknown>> = {
  stability: computeStability,
  vote: computeVote,
  'maj-at-k': computeMajorities,
  'pass-at-k': computePasses,
  'pass-at-k-mean': ({ input: { docs }, params: { k = 1 } }) => averagePasses(docs, k),
}

test('stability, votes, maj@k, pass@k, pass^k and G-Pass@k equal the reference in every golden row', () => {
  expect(runRows(goldenRows<Row>('stats/stability.jsonl.gz'), computeByKind)).toEqual([])
})

const sampled = fc
  .record({ n: fc.integer({ min: 1, max: 80 }), correct: fc.nat(80), k: fc.integer({ min: 1, max: 80 }) })
  .filter(({ n, correct, k }) => correct <= n && k <= n)

test('pass^k ≤ G-Pass@k ≤ pass@k, and G-Pass@k falls as its threshold rises', () => {
  fc.assert(
    fc.property(sampled, ({ n, correct, k }) => {
      const { passAtK, passHatK, gPass, mgPass } = estimatePasses({ n, correct }, k)
      const falling = [passAtK, ...gPass, passHatK]
      return falling.every((value, i) => i === 0 || value <= (falling[i - 1] ?? 1)) && mgPass >= 0 && mgPass <= 1
    }),
  )
})

test('maj@1 equals the share of the target, and maj@n equals the vote of all answers', () => {
  const answers = fc.array(fc.constantFrom('A', 'B', 'C', null), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(answers, list => {
      const share = list.filter(answer => answer === 'A').length / list.length
      const first = Math.abs(estimateMajorityAtK(list, 'A', 1) - share)
      const whole = Math.abs(estimateMajorityAtK(list, 'A', list.length) - judgeVote(list, 'A').expectedRight)
      return first < 1e-12 && whole < 1e-12
    }),
  )
})

test('the order of docs and of their samples does not change the stability', () => {
  const scores = fc.array(fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 3, maxLength: 3 }), { minLength: 2 })
  fc.assert(
    fc.property(scores, docs => {
      const [forth, back] = [measureStability(docs), measureStability(docs.map(doc => doc.toReversed()).toReversed())]
      return Object.values(forth.spread ?? {}).every(
        (value, i) => Math.abs((value ?? 0) - (Object.values(back.spread ?? {})[i] ?? 0)) < 1e-12,
      )
    }),
  )
})

test('rejects a run without answers, scores or enough samples, with a reason', () => {
  const wrong = [
    listUnrefused('no answers', () => takeVote([])),
    listUnrefused('no scores', () => measureStability([[], []])),
    listUnrefused('more right than samples', () => estimatePasses({ n: 2, correct: 3 }, 1)),
    listUnrefused('a threshold of 0', () => estimatePasses({ n: 2, correct: 1 }, 1, [0])),
    listUnrefused('no docs', () => averagePasses([], 1)),
    listUnrefused('k above the answers', () => estimateMajorityAtK(['A'], 'A', 2)),
  ]
  expect(wrong.flat()).toEqual([])
})
