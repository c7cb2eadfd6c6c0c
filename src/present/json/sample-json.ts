import { roundToTenths } from '../../../base/values/rounding.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { knownDuration } from '../../../cache/facts/known-duration.js'
import { answerFacts } from '../../../cache/facts/sample-facts.js'
import type { ResponseMeta, Run } from '../../../cache/records.js'
import type { JudgeExchange } from '../../reading/samples/judge-exchanges.js'
import { requestSpeed } from '../../../stages/model/stats/request-speed.js'
import type { ItemWithRounds, SampleWithRounds } from '../../model/kept-conversations.js'

/**
 * Makes a line of a samples file: a doc's requests, answers, extracted answers and scores.
 *
 * @param exchanges the judge calls for the doc. @default none
 */
export const sampleJson = (run: Run, sample: SampleWithRounds, exchanges: readonly JudgeExchange[] = []): Json =>
  // The cast is safe: records contain only JSON, but interfaces lack the index signature.
  JSON.parse(JSON.stringify(plainSample(run, sample, exchanges))) as Json

function plainSample(run: Run, sample: SampleWithRounds, exchanges: readonly JudgeExchange[]) {
  const { task, index, id, record, items, score } = sample
  const { outcome, isEmpty, isCut, isDisputed } = answerFacts(sample)
  return {
    task: run.asked.tasks[task]?.name,
    doc_index: index,
    doc_id: id,
    target: record.target,
    choices: record.choices,
    doc: record.doc,
    outcome,
    values: score?.values,
    extracted: score?.extracted,
    reason: score?.reason,
    failed: score?.failed,
    empty: isEmpty || undefined,
    cut: isCut || undefined,
    disputed: isDisputed || undefined,
    ending: score?.ending,
    reasoning_characters: score?.reasoning,
    groups: score?.groups,
    requests: items.map(plainItem),
    judge_calls: exchanges.length === 0 ? undefined : exchanges.map(plainExchange),
  }
}

const plainExchange = ({ judge, run, item: { request, response, failure }, verdict }: JudgeExchange) => ({
  judge,
  served: response?.meta.served,
  run: run.name,
  response_key: request?.key,
  messages: request?.input.messages,
  generation_kwargs: request?.generation,
  response: response?.body,
  ...(response && convertMeta(response.meta)),
  failure,
  verdict,
})

/** The times (milliseconds) and bytes of one answer. Unknown values are absent. */
function convertMeta(meta: ResponseMeta) {
  const { usage, timing = {}, attempts, hedges, isHedgeFirst, answeredAt, batch } = meta
  const durationMs = knownDuration(meta)
  const { queueMs, retryWaitMs = 0, firstTokenMs } = timing
  const speed = requestSpeed({
    start: 0,
    firstToken: firstTokenMs,
    end: durationMs ?? 0,
    tokens: usage?.outputTokens ?? 0,
  })
  return {
    usage,
    attempts,
    ...(hedges && { hedges, hedge_won: isHedgeFirst === true }),
    answered_at: new Date(answeredAt).toISOString(),
    batch,
    timing: {
      queue_ms: queueMs,
      connect_ms: timing.connectMs,
      retry_ms: timing.retryWaitMs,
      duration_ms: durationMs,
      earlier_ms: timing.earlierMs,
      end_to_end_ms: durationMs === undefined ? undefined : roundToTenths((queueMs ?? 0) + retryWaitMs + durationMs),
      time_to_first_token_ms: firstTokenMs,
      time_per_output_token_ms: speed.timePerOutputToken,
      sent_bytes: timing.sentBytes,
      received_bytes: timing.receivedBytes,
      throttled: timing.throttled,
    },
  }
}

const plainItem = ({ choice, sample, request, response, failure, transcript }: ItemWithRounds) => ({
  choice,
  sample,
  response_key: request?.key,
  type: request?.input.type,
  messages: request?.input.messages,
  continuation: request?.input.continuation,
  tools: request?.input.tools,
  generation_kwargs: request?.generation,
  response: response?.body,
  ...(response && convertMeta(response.meta)),
  failure,
  transcript,
})
