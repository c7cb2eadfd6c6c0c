import { expect, test } from 'vitest'
import type { Json } from '../../../../base/canonical-json.js'
import { perplexity as perplexityOf } from '../../../../stages/judge/aggregations/perplexity.js'
import type { MetricDefinition, Verdict } from '../../../../stages/judge/define-metric.js'
import { accBytes } from '../../../../stages/judge/metrics/acc-bytes.js'
import { accNorm } from '../../../../stages/judge/metrics/acc-norm.js'
import { acc } from '../../../../stages/judge/metrics/acc.js'
import { exactMatch } from '../../../../stages/judge/metrics/exact-match.js'
import { goldenRows } from '../../../support/golden.js'
import { logprobBody, recordOf } from '../../../support/judged.js'

interface Row {
  readonly id: string
  readonly fn: string
  readonly input: {
    readonly predictions: [string]
    readonly references: string[]
    readonly lls: number[]
    readonly choices: string[]
    readonly gold: Json
    readonly loglikelihoods: number[]
  }
  readonly params: object
  readonly expected: Readonly<Record<string, number>>
}

test('exact_match gives what the reference gives, under all its options', () => {
  for (const { id, input, params, expected } of goldenRows<Row>('metrics/exact_match.jsonl')) {
    const args = exactMatch.args.parse({ strip: false, ...params })
    const [text] = input.predictions
    const got = exactMatch.judge({ text, references: input.references, record: recordOf(''), bodies: [] }, args)
    expect([id, got]).toEqual([id, { type: 'scored', value: expected['exact_match'] }])
  }
})

test('accuracies from log-likelihoods are those of the reference; a target among no choices is told apart', () => {
  const rows = goldenRows<Row>('metrics/loglikelihood.jsonl').filter(row => row.fn === 'lm_eval.multiple_choice')
  for (const { id, input, expected } of rows) {
    const record = recordOf(input.gold, { choices: input.choices })
    const bodies = input.lls.map(logprob => logprobBody(logprob))
    const value = (metric: MetricDefinition): Json => {
      const verdict = metric.judge({ text: '', references: [], record, bodies }, {}) as Verdict
      if (input.gold === 'not there') expect(verdict.type).toBe('unparsed')
      return verdict.type === 'judge_failed' ? null : verdict.value
    }
    const got = { acc: value(acc), acc_norm: value(accNorm), acc_bytes: value(accBytes) }
    expect([id, got]).toEqual([id, expected])
  }
})

test('perplexity is that of the reference', () => {
  for (const { fn, input, expected } of goldenRows<Row>('metrics/loglikelihood.jsonl')) {
    if (fn !== 'lm_eval.perplexity' || perplexityOf.of !== 'numbers') continue
    const { value } = perplexityOf.summarise(Float64Array.from(input.loglikelihoods))
    expect(value! / expected['perplexity']!).toBeCloseTo(1, 12)
  }
})
