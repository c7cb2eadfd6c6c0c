import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { JudgeRecord, ScoreBody } from '../../../../cache/records.js'
import type { AggregationFunction, ScoringSpec } from '../../../../stages/judge/compile/scoring-spec.js'
import { goldenRows } from '../../../support/golden.js'
import { sameWithin } from '../../../support/golden-tolerance.js'
import { answeredDoc, logprobBody, recordOf } from '../../../support/judged.js'
import { makeScorer } from '../../../support/scorer.js'

interface Row {
  readonly id: string
  readonly fn: string
  readonly input: never
  readonly params: never
  readonly expected: Readonly<Record<string, unknown>>
  readonly right?: unknown
  readonly lmms_eval_flaw?: boolean
}

interface Doc {
  readonly record: JudgeRecord
  readonly answers: Parameters<typeof answeredDoc>[1]
}

const theirs = { parity: 'lmms-eval', scorerCode: { files: {} }, task: 't' } as const

/** The aggregates over docs, by metric, as lmms-eval gives them. */
async function aggregates(
  metrics: readonly Json[],
  docs: readonly Doc[],
  outputType = 'generate_until',
): Promise<Readonly<Record<string, number | null>>> {
  const scorer = makeScorer({ ...theirs, outputType, config: { metric_list: metrics } })
  const scores: ScoreBody[] = []
  for (const { record, answers } of docs) scores.push(await scorer.score(answeredDoc(record, answers)))
  const all = scorer.aggregate(scores, { docs: docs.length })
  return Object.fromEntries(all.map(({ metric, value }) => [metric, value]))
}

/** Compares values with lmms-eval's in all rows of a function, right and wrong ones. */
function testTheirs(
  file: string,
  fn: string,
  ours: (input: never, params: never) => Promise<Readonly<Record<string, unknown>>>,
): void {
  const rows = goldenRows<Row>(`metrics/${file}.jsonl.gz`).filter(row => row.fn === fn && !('error' in row.expected))
  const wrong = rows.filter(row => row.lmms_eval_flaw === true)
  test(`${fn}: equals the reference on ${rows.length} rows, ${wrong.length} of which are wrong`, async () => {
    const mistakes: object[] = []
    for (const { id, input, params, expected } of rows) {
      const got = await ours(input, params)
      const wanted = Object.fromEntries(Object.keys(got).map(name => [name, expected[name]]))
      if (!sameWithin(got, wanted)) mistakes.push({ id, got, wanted })
    }
    expect(mistakes).toEqual([])
    expect(wrong).not.toEqual([])
  })
}

interface Choices {
  readonly values: readonly number[]
  readonly choices: readonly string[]
  readonly gold: Json
}

interface Boxes {
  readonly samples: readonly { readonly gold: readonly number[]; readonly response: string }[]
}

describe('with --parity lmms-eval', () => {
  testTheirs('lmms_framework', 'lmms_eval.task.multiple_choice', ({ values, choices, gold }: Choices) =>
    aggregates(
      [{ metric: 'acc' }, { metric: 'acc_norm' }],
      [{ record: recordOf(gold, { choices }), answers: values.map(value => logprobBody(value)) }],
      'multiple_choice',
    ),
  )

  testTheirs('lmms_text_metrics', 'lmms_eval.chartqa.relaxed_correctness', async input => {
    const { prediction, target } = input as { readonly prediction: string; readonly target: string }
    const spaced = /^\s|\s$/.test(prediction)
    const { relaxed_accuracy: value } = await aggregates(
      [{ metric: 'relaxed_accuracy' }],
      [{ record: recordOf(target), answers: [prediction] }],
    )
    // The function itself does not trim, because its harness does.
    return spaced ? {} : { correct: value === 1 }
  })

  testTheirs('lmms_bbox', 'lmms_eval.refcoco_rec.corpus', async ({ samples }: Boxes) => {
    const docs = samples.map(({ gold, response }) => ({ record: recordOf([...gold]), answers: [response] }))
    const { center_accuracy: center } = await aggregates([{ metric: 'center_accuracy' }], docs)
    return { Center_ACC: center ?? 'NaN' }
  })

  testTheirs('lmms_pope_mme', 'lmms_eval.pope', async input => {
    const { answers, predictions } = input as { readonly answers: string[]; readonly predictions: string[] }
    const names = { accuracy: '', precision: '_precision', recall: '_recall', f1_score: '_f1', yes_ratio: '_ratio' }
    const docs = answers.map((answer, i) => ({ record: recordOf(answer), answers: [predictions[i]!] }))
    const values = await aggregates(
      Object.values(names).map(name => ({ metric: `yes_no${name}` })),
      docs,
    )
    return Object.fromEntries(Object.entries(names).map(([theirName, name]) => [theirName, values[`yes_no${name}`]]))
  })

  const medians = goldenRows<Row>('metrics/lmms_framework.jsonl.gz').filter(
    ({ params }) => (params as { readonly name?: string }).name === 'median',
  )
  test(`the median equals the reference on ${medians.length} rows`, async () => {
    for (const { id, input, expected } of medians) {
      const { items } = input as { readonly items: readonly number[] }
      const metric = { metric: '!function utils.of', aggregation: 'median', name: 'm' }
      const scorer = makeScorer({
        ...theirs,
        outputType: 'generate_until',
        config: { metric_list: [metric] },
        functions: { '!function utils.of': ({ text }: { readonly text: string }) => Number(text) },
      })
      const scores = await Promise.all(items.map(item => scorer.score(answeredDoc(recordOf(''), [String(item)]))))
      expect([id, scorer.aggregate(scores, { docs: items.length })[0]!.value]).toEqual([id, expected['value']])
    }
  })

  const scored = async (answer: string, config: ScoringSpec['config'], parity?: 'lmms-eval'): Promise<ScoreBody> =>
    makeScorer({
      task: 't',
      outputType: 'generate_until',
      config,
      scorerCode: { files: {} },
      ...(parity && { parity }),
    }).score(answeredDoc(recordOf(' 7'), [answer]))

  test('filters get the reasoning, and a target is not trimmed', async () => {
    const numbers = { filter_list: [{ name: 'none', filter: [{ function: 'regex', regex_pattern: '\\d+' }] }] }
    const answer = '<think>3 and 4</think>7'
    expect(await scored(answer, numbers)).toMatchObject({ values: { exact_match: 1 }, extracted: { none: '7' } })
    expect(await scored(answer, numbers, 'lmms-eval')).toMatchObject({ extracted: { none: '3' } })
    expect(await scored('7', {}, 'lmms-eval')).toMatchObject({ values: { exact_match: 0 }, outcome: 'scored' })
  })

  test("the task's own functions get the parity", async () => {
    const total: AggregationFunction = (_values, { parity }) => (parity === undefined ? 0 : 1)
    const seen: (string | undefined)[] = []
    const scorer = makeScorer({
      ...theirs,
      outputType: 'generate_until',
      config: { metric_list: [{ metric: 'm', aggregation: '!function utils.total' }] },
      processResults: (_doc, _results, { parity }) => {
        seen.push(parity)
        return { m: 1 }
      },
      functions: { '!function utils.total': total },
    })
    const score = await scorer.score(answeredDoc(recordOf(''), ['x']))
    expect([...seen, scorer.aggregate([score], { docs: 1 })[0]!.value]).toEqual(['lmms-eval', 1])
  })

  test('the parity is part of the key of scores, and without it keys are unchanged', () => {
    const spec = { task: 't', outputType: 'generate_until', config: {}, scorerCode: { files: {} } }
    expect(makeScorer({ ...spec, parity: 'lmms-eval' }).judging.config).toEqual({
      output_type: 'generate_until',
      parity: 'lmms-eval',
    })
    expect(makeScorer(spec).judging.config).toEqual({ output_type: 'generate_until' })
  })
})
