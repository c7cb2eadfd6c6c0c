import type { Json } from '../../../base/values/canonical-json.js'
import { knownDuration } from '../../../cache/known-duration.js'
import type { ResponseMeta, Run } from '../../../cache/records.js'
import { requestSpeed } from '../../../stages/model/stats/request-speed.js'
import type { ItemWithRounds, SampleWithRounds } from '../../model/kept-conversations.js'

/** One doc as a line of a samples file: its requests, answers, extracted answers and scores. */
export const sampleJson = (run: Run, sample: SampleWithRounds): Json =>
  // Records contain only JSON, but interfaces have no index signature to say so.
  JSON.parse(JSON.stringify(plainSample(run, sample))) as Json

const plainSample = (run: Run, { task, index, id, record, items, score }: SampleWithRounds) => ({
  task: run.asked.tasks[task]?.name,
  doc_index: index,
  doc_id: id,
  target: record.target,
  choices: record.choices,
  doc: record.doc,
  outcome: score?.outcome ?? null,
  values: score?.values,
  extracted: score?.extracted,
  reason: score?.reason,
  empty: score?.empty,
  cut: score?.cut,
  ending: score?.ending,
  reasoning_characters: score?.reasoning,
  groups: score?.groups,
  requests: items.map(plainItem),
})

/** The times (milliseconds) and bytes of one answer. Unknown values are absent. */
function measured(meta: ResponseMeta) {
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
      end_to_end_ms: durationMs === undefined ? undefined : tenths((queueMs ?? 0) + retryWaitMs + durationMs),
      time_to_first_token_ms: firstTokenMs,
      time_per_output_token_ms: speed.timePerOutputToken,
      sent_bytes: timing.sentBytes,
      received_bytes: timing.receivedBytes,
      throttled: timing.throttled,
    },
  }
}

/** Rounds a sum to the precision of its parts. */
const tenths = (ms: number): number => Math.round(ms * 10) / 10

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
  ...(response && measured(response.meta)),
  failure,
  transcript,
})
