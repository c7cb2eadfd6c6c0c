import { z } from 'zod'
import type { Json } from '../../../base/canonical-json.js'
import { defineMetric, scored, type MetricInput, type Verdict } from '../define-metric.js'
import { accuracy } from './accuracy.js'

/**
 * The share of questions all of whose docs are right, in [0, 1]: where several docs, an answer option each, ask one question. `question` is
 * the doc's field, or fields, by which they belong together. A doc is right as `accuracy` says. Higher is better.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, acc_all; Khashabi et al. 2018, MultiRC, section 5 (exact match of a question).
 */
export const accAll = defineMetric({
  id: 'acc_all',
  args: z.strictObject({
    question: z
      .union([z.string().transform(name => [name]), z.array(z.string()).min(1)])
      .default(['idx.paragraph', 'idx.question']),
  }),
  higherIsBetter: true,
  reads: 'any',
  aggregation: 'acc_all',
  async judge(input, { question }) {
    const verdict = await accuracy.judge(input, accuracy.args.parse({}))
    return grouped(verdict, JSON.stringify(question.map(path => valueAt(input, path))))
  },
})

function grouped(verdict: Verdict, question: string): Verdict {
  if (verdict.type === 'judge_failed') return verdict
  const value = { question, right: verdict.value === 1 }
  return verdict.type === 'scored' ? scored(value) : { ...verdict, value }
}

/** `idx.question`: a field, or one within a field. */
function valueAt({ record: { doc } }: MetricInput, path: string): Json {
  const value = path.split('.').reduce<Json | undefined>((inside, name) => fieldOf(inside, name), doc)
  if (value === undefined) throw new Error(`the doc has no field ${path}, by which docs of one question are known`)
  return value
}

const fieldOf = (value: Json | undefined, name: string): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)[name]
    : undefined
