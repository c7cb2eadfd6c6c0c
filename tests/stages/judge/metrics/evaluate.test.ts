import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../cache/records.js'
import { loadTaskJudges } from '../../../../stages/judge/compile/judges-of.js'
import type { Scorer } from '../../../../stages/judge/scorer.js'
import { goldenRows } from '../../../support/golden.js'
import { answeredDoc, recordOf, textBody } from '../../../support/judged.js'
import { makeScorer } from '../../../support/scorer.js'

interface Row {
  readonly id: string
  readonly fn: string
  readonly params: JsonObject
  readonly input: readonly { readonly answer: string; readonly targets: readonly string[] }[]
  readonly expected: { readonly corpus: number; readonly docs: readonly number[] }
}

async function scorerOf(entry: JsonObject, outputType = 'generate_until'): Promise<Scorer> {
  const config = { metric_list: [{ hf_evaluate: true, ...entry }] }
  const judges = await loadTaskJudges({ config, outputType }, [])
  return makeScorer({ task: 't', outputType, config, scorerCode: { files: {} } }, judges)
}

const score = (scorer: Scorer, { answer, targets }: Row['input'][number]) =>
  scorer.score(answeredDoc(recordOf(targets, { doc: {} }), [textBody(answer)]))

/** sacrebleu's score of a segment differs from that of a corpus with this segment. */
const ownScores = ['sacrebleu', 'chrf', 'ter']
const ofAllDocs = ['f1', 'precision', 'recall', 'matthews_correlation']

/** evaluate keeps numbers in 32 bits. */
const digits = (metric: string): number => (['mse', 'mae'].includes(metric) ? 5 : 12)

const inPercent = (metric: string): number => (ownScores.includes(metric) ? 100 : 1)

test.each(goldenRows<Row>('metrics/evaluate_random.jsonl.gz').map(row => [row.id, row] as const))(
  '%s equals what evaluate computes for all docs, and for each doc where it returns means',
  async (_, { fn, params, input, expected }) => {
    const metric = fn.replace('evaluate.', '')
    const whole = await scorerOf({ metric, ...params })
    const bodies = await Promise.all(input.map(async doc => score(whole, doc)))
    const [aggregate] = whole.aggregate(bodies, { docs: input.length })
    expect(aggregate?.error).toBeUndefined()
    expect((aggregate?.value ?? NaN) / inPercent(metric)).toBeCloseTo(
      expected.corpus / inPercent(metric),
      digits(metric),
    )
    if (ownScores.includes(metric) || ofAllDocs.includes(metric)) return
    const plain = await scorerOf({ metric, ...params, aggregation: 'mean' })
    const values = await Promise.all(input.map(async doc => (await score(plain, doc)).values[metric]))
    values.forEach((value, i) => expect(value).toBeCloseTo(expected.docs[i]!, digits(metric)))
  },
)

test('suggests the nearest name for an unknown metric of evaluate, and names a metric of this program', async () => {
  await expect(scorerOf({ metric: 'exact_mach' })).rejects.toThrow(
    'of the package evaluate there is no metric "exact_mach". Did you mean "exact_match"?',
  )
  await expect(scorerOf({ metric: 'anls' })).rejects.toThrow('Without hf_evaluate it is a metric of this program.')
  await expect(scorerOf({ metric: 'bertscore' })).rejects.toThrow(/^(?!.*Without hf_evaluate)/s)
})

test('accepts the arguments of compute and rejects others', async () => {
  await expect(scorerOf({ metric: 'bleu', tokenize: 'char' })).rejects.toThrow('bleu has no argument "tokenize"')
  await expect(scorerOf({ metric: 'rouge', rouge_types: ['rouge1', 'rouge2'] })).rejects.toThrow('variant')
})

test('an answer without a number is an error of its doc, not a zero', async () => {
  const scorer = await scorerOf({ metric: 'mse' })
  const body = await score(scorer, { answer: 'about five', targets: ['5'] })
  expect(body).toMatchObject({ outcome: 'error' })
})
