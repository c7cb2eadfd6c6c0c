/** Computes error rates of spoken answers. A speech recogniser, which is called as a judge model, transcribes them. */
import { z } from 'zod'
import { sha256 } from '../../../../cache/digest.js'
import { canonicalJson, type Json } from '../../../../base/values/canonical-json.js'
import type { ContentPart } from '../../../../cache/records.js'
import { defineMetric, judgeFailed, unparsed, type MetricDefinition, type Verdict } from '../../define/define-metric.js'
import { noJudge, type AskJudge, type JudgeGuard, type JudgePrompt } from '../../define/judge-model.js'
import { measures } from './error-counts.js'
import { cer, wer } from './wer.js'
import { poolCounts } from './wer-aggregations.js'

const recogniserShape = {
  /** The request for chat models that hear. Models that only recognise speech ignore it. */
  prompt: z
    .string()
    .min(1)
    .default('Write down what is said in this recording, word for word. Reply with the words alone.'),
  /** The maximum length of a transcript, in tokens. */
  max_tokens: z.int().min(1).default(440),
  /** The number of failures in a row that stop the recogniser. */
  max_failures: z.int().min(1).default(20),
} as const

type RecogniserArgs = z.output<z.ZodObject<typeof recogniserShape>>

/**
 * Makes the metric that scores transcripts of an answer's sound by the rate `of` texts. Its docs have the transcript in
 * their details. An answer without sound is unparsed, and counts as one that says nothing.
 */
function defineSpokenRate<Shape extends z.ZodRawShape>(id: string, of: MetricDefinition<z.ZodObject<Shape>>) {
  const args = of.args.extend(recogniserShape)
  return defineMetric({
    id,
    args,
    higherIsBetter: of.higherIsBetter,
    ...(of.aggregation !== undefined && { aggregation: of.aggregation }),
    pool: { readNumber: value => measures.wer(poolCounts([value])), combine: poolRates },
    needsTimeLimit: false,
    asksJudge: true,
    async judge(input, metricArgs, { ask } = { ask: noJudge }): Promise<Verdict> {
      // Throws for a doc without a target, before the recogniser is asked.
      const { references } = input
      const sounds = (input.media ?? []).filter(({ type }) => type === 'audio')
      const heard = await Promise.all(sounds.map(sound => recognise(sound, metricArgs as RecogniserArgs, ask)))
      const failed = heard.find(reply => reply.type === 'failed')
      if (failed?.type === 'failed') return judgeFailed(failed.reason)
      const transcript = heard.map(reply => (reply.type === 'answered' ? reply.text.trim() : '')).join(' ')
      const verdict = await of.judge(
        { ...input, references, text: transcript },
        metricArgs as z.output<z.ZodObject<Shape>>,
      )
      if (verdict.type !== 'scored') return verdict
      if (sounds.length === 0) return unparsed('the answer has no sound', verdict.value)
      return { ...verdict, details: { transcript } }
    },
  })
}

/** Adds up the counts of several recognisers, as those of one are added up over docs. */
function poolRates(values: readonly Json[]): Json {
  const counts = poolCounts(values)
  return { rate: measures.wer(counts), ...counts }
}

function recognise(sound: ContentPart, args: RecogniserArgs, ask: AskJudge): ReturnType<AskJudge> {
  const { prompt, max_tokens: maxTokens, max_failures: maxFailures } = args
  const messages: JudgePrompt['messages'] = [
    { role: 'user', text: prompt, content: [sound, { type: 'text', text: prompt }] },
  ]
  const guard: JudgeGuard = {
    name: sha256(canonicalJson({ recogniser: { prompt, maxTokens, maxFailures } })),
    maxFailures,
    misread: () => undefined,
  }
  return ask({ messages, maxTokens, guard, mayBeEmpty: true })
}

/**
 * Word error rate of spoken answers: `wer` of what a speech recogniser hears in the answer's sound. In [0, ∞), lower is
 * better. The recogniser is the judge model of this metric. Several recordings of one answer are heard in their order.
 *
 * The rate holds the recogniser's own errors, so it compares models only with the same recogniser. The counts of a panel of
 * recognisers are added up.
 */
export const asrWer = defineSpokenRate('asr_wer', wer)

/** Character error rate of spoken answers: `cer` of what a speech recogniser hears, as in `asr_wer`. */
export const asrCer = defineSpokenRate('asr_cer', cer)
