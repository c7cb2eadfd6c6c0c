import { z } from 'zod'
import { defineAggregation } from '../define-aggregation.js'
import { summariseMean } from './mean.js'

/** What the metric of this name gives. */
const judged = z.object({ question: z.string(), right: z.boolean() })

const key = z.union([z.string(), z.number()])

/** A doc of MultiRC with its prediction, as `process_results` of lm-evaluation-harness's tasks gives it. */
const pair = z
  .tuple([
    z.union([z.number(), z.boolean()]).transform(Boolean),
    z.object({ idx: z.object({ paragraph: key, question: key }), label: z.number() }),
  ])
  .transform(([predicted, { idx, label }]) => ({
    question: JSON.stringify([idx.paragraph, idx.question]),
    right: predicted === (label === 1),
  }))

/**
 * The share of questions all of whose docs are right, with its standard error. Takes what the metric `acc_all` gives, or `[prediction, doc]`,
 * where the doc has `idx: {paragraph, question}` and `label`.
 *
 * Source: lm-evaluation-harness, `api/metrics.py`, acc_all; Khashabi et al. 2018, MultiRC.
 */
export const accAll = defineAggregation({
  id: 'acc_all',
  of: 'folded',
  args: z.object({}),
  start() {
    const questions = new Map<string, boolean>()
    return {
      add(value) {
        const parsed = z.union([judged, pair]).safeParse(value)
        if (!parsed.success) throw new Error(`it takes [prediction, doc], not ${JSON.stringify(value).slice(0, 200)}`)
        const { question, right } = parsed.data
        questions.set(question, right && (questions.get(question) ?? true))
      },
      finish: () => summariseMean(Float64Array.from(questions.values(), Number)),
    }
  },
})
