import { expect, test } from 'vitest'
import { loadJudges } from '../../../../stages/judge/compile/registry.js'
import type { MetricInput } from '../../../../stages/judge/define/define-metric.js'

const input = (text: string, reference: string, fields: Partial<MetricInput> = {}): MetricInput => ({
  text,
  references: [reference],
  record: { target: reference, doc: {} },
  bodies: [{ text, finishReason: 'stop' }],
  ...fields,
})

async function judged(id: string, one: MetricInput, given: Readonly<Record<string, unknown>> = {}) {
  const { metrics } = await loadJudges({ metrics: [id], filters: [], aggregations: [] })
  const metric = metrics.get(id)
  return { aggregation: metric?.aggregation, verdict: await metric?.judge(one, metric.args.parse(given)) }
}

test.each([
  ['sacrebleu', 'bleu', {}],
  ['matthews_correlation', 'mcc', {}],
  ['matthews_corrcoef', 'mcc', {}],
  ['rouge1', 'rouge', { variant: 'rouge1' }],
  ['rouge2', 'rouge', { variant: 'rouge2' }],
  ['rougeL', 'rouge', { variant: 'rougeL' }],
  ['rougeLsum', 'rouge', { variant: 'rougeLsum' }],
])('%s equals %s, under the name that other packages use', async (name, own, args) => {
  const one = input('the cat sat\non mats', 'a cat sat on the mats')
  expect(await judged(name, one)).toEqual(await judged(own, one, args))
})

test('accuracy is exact_match for texts, with its options, and acc for choices', async () => {
  expect((await judged('accuracy', input(' Yes', 'yes'))).verdict).toMatchObject({ value: 0 })
  expect((await judged('accuracy', input(' Yes', 'yes'), { ignore_case: true })).verdict).toMatchObject({ value: 1 })
  const bodies = [-2, -1].map(logprob => ({ text: '', finishReason: 'stop' as const, logprob, isGreedy: false }))
  const choice = (target: number) => input('', '', { record: { target, choices: ['a', 'b'], doc: {} }, bodies })
  expect((await judged('accuracy', choice(1))).verdict).toMatchObject({ value: 1 })
  expect((await judged('accuracy', choice(0))).verdict).toMatchObject({ value: 0 })
})
