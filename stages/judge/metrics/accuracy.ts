import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { summariseWith } from '../aggregations/means.js'
import { defineAggregation } from '../define/define-aggregation.js'
import { defineMetric, scored, type MetricInput, type Verdict } from '../define/define-metric.js'
import { findField } from '../define/doc-field.js'
import { exactMatch } from './exact-match.js'
import { acc } from './likelihood/choice-accuracy.js'

/**
 * The share of correct answers. Log-likelihoods are judged by {@link acc}, texts by {@link exactMatch} with its
 * options. Higher is better.
 *
 * Source: scikit-learn's `accuracy_score`, which the package `evaluate` offers under this name.
 */
export const accuracy = defineMetric({
  id: 'accuracy',
  args: exactMatch.args,
  higherIsBetter: true,
  range: [0, 1],
  reads: 'any',
  judge: (input, args) =>
    input.bodies[0]?.logprob === undefined ? exactMatch.judge(input, args) : acc.judge(input, acc.args.parse({})),
})

/**
 * The share of questions whose docs are all correct, in [0, 1], for tasks with one doc for each answer option.
 * `question` names the doc field, or fields, that identify the question. A doc is correct by the rules of
 * `accuracy`. Higher is better.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, acc_all; Khashabi et al. 2018, MultiRC, section 5 (exact match
 * of a question).
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
    return groupVerdict(verdict, JSON.stringify(question.map(path => valueAt(input, path))))
  },
})

function groupVerdict(verdict: Verdict, question: string): Verdict {
  if (verdict.type === 'judge_failed') return verdict
  const value = { question, right: verdict.value === 1 }
  return verdict.type === 'scored' ? scored(value) : { ...verdict, value }
}

/** @throws Error if the doc has no such field */
function valueAt({ record: { doc } }: MetricInput, path: string): Json {
  const value = findField(doc, path)
  if (value === undefined) throw new Error(`the doc has no field ${path}, by which docs of one question are known`)
  return value
}

/** The values of the metric `acc_all`. */
const judged = z.object({ question: z.string(), right: z.boolean() })

const key = z.union([z.string(), z.number()])

/** A doc of MultiRC with its prediction, as lm-evaluation-harness's `process_results` returns it. */
const multircPair = z
  .tuple([
    z.union([z.number(), z.boolean()]).transform(Boolean),
    z.object({ idx: z.object({ paragraph: key, question: key }), label: z.number() }),
  ])
  .transform(([predicted, { idx, label }]) => ({
    question: JSON.stringify([idx.paragraph, idx.question]),
    right: predicted === (label === 1),
  }))

/**
 * The share of questions whose docs are all correct, with its standard error. It takes values of the metric
 * `acc_all`, or `[prediction, doc]` with `idx: {paragraph, question}` and `label` in the doc.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, acc_all; Khashabi et al. 2018, MultiRC.
 */
export const accAllAggregation = defineAggregation({
  id: 'acc_all',
  of: 'folded',
  args: z.object({}),
  start() {
    const questions = new Map<string, { right: boolean; readonly first: number }>()
    let docs = 0
    return {
      add(value) {
        const parsed = z.union([judged, multircPair]).safeParse(value)
        if (!parsed.success) throw new Error(`it takes [prediction, doc], not ${JSON.stringify(value).slice(0, 200)}`)
        const { question, right } = parsed.data
        const earlierQuestion = questions.get(question)
        if (earlierQuestion === undefined) questions.set(question, { right, first: docs })
        else earlierQuestion.right &&= right
        docs += 1
      },
      finish(clusters) {
        const rights = Float64Array.from(questions.values(), ({ right }) => Number(right))
        // All docs of a question are taken to be in the cluster of its first doc.
        const own = clusters && Array.from(questions.values(), ({ first }) => clusters[first])
        return summariseWith(rights, own)
      },
    }
  },
})
