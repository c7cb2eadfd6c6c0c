import type { Json } from '../../base/canonical-json.js'
import type { ResponseMeta, Run } from '../../cache/records.js'
import type { Sample, SampleItem } from '../../cache/store.js'

/** One doc as a line of a samples file: what was sent, what was answered, how it was read and scored. */
export const sampleJson = (run: Run, sample: Sample): Json =>
  // Records hold JSON alone, but interfaces have no index signature that would say so.
  JSON.parse(JSON.stringify(plainSample(run, sample))) as Json

const plainSample = (run: Run, { task, index, id, record, items, score }: Sample) => ({
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
  reasoning_characters: score?.reasoning,
  groups: score?.groups,
  requests: items.map(plainItem),
})

/** How long the answer took, when it came, and what it moved. Milliseconds and bytes. */
const measured = ({ usage, timing, durationMs, attempts, answeredAt, batch }: ResponseMeta) => ({
  usage,
  timing,
  duration_ms: durationMs,
  attempts,
  answered_at: new Date(answeredAt).toISOString(),
  batch,
})

const plainItem = ({ choice, sample, request, response, failure }: SampleItem) => ({
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
})
