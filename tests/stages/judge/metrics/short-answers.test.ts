import { expect, test } from 'vitest'
import { isOcrBenchRight } from '../../../../stages/judge/helpers/benchmarks/ocrbench.js'
import { anls } from '../../../../stages/judge/metrics/anls.js'
import { exactMatch } from '../../../../stages/judge/metrics/exact-match.js'
import { relaxedAccuracy } from '../../../../stages/judge/metrics/numeric-match.js'
import { describeGolden } from '../../../support/golden-functions.js'
import { meanOf, valueOf } from '../../../support/judged-value.js'
import { score as scienceQaScore } from '../../../../tasks/scienceqa/utils.js'

interface Pairs {
  readonly predictions: readonly string[]
  readonly references: readonly string[]
}

/** One answer has all references; each of several answers has its own. */
function exactMatches({ predictions, references }: Pairs, params: object): number {
  const args = { strip: false, ...params }
  const [first = ''] = predictions
  if (predictions.length === 1) return valueOf(exactMatch, first, { target: references, args }) as number
  if (predictions.length !== references.length) throw new Error('lists of one length are asked for')
  return meanOf(
    predictions.map((one, i) => valueOf(exactMatch, one, { target: references[i] ?? null, args }) as number),
  )
}

describeGolden('lmms_text_metrics', {
  exact_match: (input: Pairs, params: object) => ({ exact_match: exactMatches(input, params) }),
  anls: ({ prediction, references }: { prediction: string; references: readonly string[] }, params: object) => ({
    anls: valueOf(anls, prediction, { target: references, args: params }),
  }),
  'chartqa.relaxed_correctness': (
    { prediction, target }: { prediction: string; target: string },
    { max_relative_change: tolerance = 0.05 }: { max_relative_change?: number },
  ) => ({ correct: valueOf(relaxedAccuracy, prediction, { target, args: { tolerance } }) === 1 }),
  'ocrbench.process_results': (input: { prediction: string; answer: string | string[]; dataset: string }) => ({
    score: isOcrBenchRight(input.prediction, { answers: [input.answer].flat(), dataset: input.dataset }) ? 1 : 0,
  }),
  'ocrbench.aggregate': ({ results }: { results: readonly { score: number }[] }) => ({
    ocrbench_accuracy: meanOf(results.map(one => one.score)),
  }),
  'scienceqa.process_results': ({ prediction, answer }: { prediction: string; answer: number }) => {
    const { exact_match: said } = scienceQaScore({ answer }, [prediction], { parity: 'lmms-eval' })
    return { exact_match: said === 1 ? 1 : 0 }
  },
})

test('uses the nearest of several references', () => {
  expect(valueOf(anls, 'coca cola', { target: ['pepsi', 'Coca-Cola'] })).toBeCloseTo(8 / 9, 12)
  expect(valueOf(relaxedAccuracy, '95', { target: ['1', '100'] })).toBe(1)
})
