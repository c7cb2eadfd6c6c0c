import type { Json } from '../../../base/values/canonical-json.js'
import { ownValue } from '../../../base/values/named-values.js'
import { isUnparsed, isUnscored } from '../../../cache/facts/value-facts.js'
import { sumDurations } from '../../../cache/facts/known-duration.js'
import type { JsonObject, Run } from '../../../cache/records.js'
import type { Sample, SampleItem } from '../../../cache/store.js'
import { inspectMessages, type ReadMedium } from './inspect-messages.js'

/** A sample of Inspect with what its list of samples shows. */
export interface InspectSample {
  readonly id: string
  readonly epoch: number
  readonly sample: JsonObject
  readonly summary: JsonObject
}

/** Makes an Inspect sample for each sample of a doc. The choices of a log-likelihood task are one sample. */
export async function* inspectSamples(run: Run, sample: Sample, read: ReadMedium): AsyncGenerator<InspectSample> {
  const epochs = [...new Set(sample.items.map(item => item.sample))].sort((a, b) => a - b)
  for (const [at, number] of epochs.entries()) {
    const items = sample.items.filter(item => item.sample === number)
    yield inspectSample(run, sample, { items, epoch: at + 1, read })
  }
}

async function inspectSample(
  run: Run,
  { id, record, score }: Sample,
  { items, epoch, read }: { readonly items: readonly SampleItem[]; readonly epoch: number; readonly read: ReadMedium },
): Promise<InspectSample> {
  const [first] = items
  const model = modelName(run)
  const input = await inspectMessages(first?.request?.input.messages ?? [], read)
  // A doc with choices may also have been answered in words.
  const areLikelihoods =
    record.choices !== undefined && items.some(({ response }) => response?.body.logprob !== undefined)
  const answer = areLikelihoods ? findLikeliestItem(items) : first
  const text = areLikelihoods ? (record.choices[answer?.choice ?? -1] ?? '') : (answer?.response?.body.text ?? '')
  const failure = items.find(item => item.failure !== undefined)?.failure
  const usage = sumUsage(items)
  const isAnswered = answer?.response !== undefined
  const said: JsonObject = {
    role: 'assistant',
    content: makeContent(text, answer?.response?.body.reasoning),
    model,
    source: 'generate',
  }
  const ms = sumDurations(items)
  const isTimed = ms !== undefined
  const seconds = (ms ?? 0) / 1_000
  const end = items.reduce((latest, { response }) => Math.max(latest, response?.meta.answeredAt ?? 0), run.createdAt)
  const [started, completed] = [new Date(end - seconds * 1_000).toISOString(), new Date(end).toISOString()]
  const stop = {
    stop: 'stop',
    length: 'max_tokens',
    content_filter: 'content_filter',
    tool_calls: 'tool_calls',
    unknown: 'unknown',
  }
  const output: JsonObject = {
    model,
    choices: isAnswered ? [{ message: said, stop_reason: stop[answer.response.body.finishReason] }] : [],
    completion: text,
    ...(usage && { usage }),
    ...(isTimed && { time: seconds }),
  }
  const scores = Object.fromEntries(
    Object.entries(score?.values ?? {}).map(([metric, value]) => [
      metric,
      {
        value: scoreValue(value),
        ...readAs(score?.extracted, metric),
        // Inspect has no word for an answer that was not read.
        ...(score !== undefined && isUnparsed(score, metric) && { metadata: { unparsed: true } }),
        ...(score?.reason !== undefined && !isUnscored(score) && { explanation: score.reason }),
      },
    ]),
  )
  const target = convertTarget(record.target, record.choices)
  const limit = limitName.exec(answer?.response?.body.rawFinishReason ?? '')?.[1]
  const error = failure && { message: `${failure.class}: ${failure.message}`, traceback: '', traceback_ansi: '' }
  const used = usage === undefined ? {} : { [model]: usage }
  const common = { id, epoch, target, metadata: record.doc, scores, model_usage: used, ...(error && { error }) }
  const shared = {
    started_at: started,
    completed_at: completed,
    ...(isTimed && { total_time: seconds, working_time: seconds }),
  }
  const modelEvent: JsonObject = {
    event: 'model',
    timestamp: started,
    working_start: 0,
    completed,
    ...(isTimed && { working_time: seconds }),
    model,
    input,
    tools: [],
    tool_choice: 'none',
    config: makeConfig(first),
    output,
  }
  const scoreEvents = Object.values(scores).map((entry): JsonObject => ({
    event: 'score',
    timestamp: completed,
    working_start: seconds,
    score: entry,
    target,
  }))
  return {
    id,
    epoch,
    sample: {
      ...common,
      input,
      ...(record.choices && { choices: record.choices }),
      // The number of the limit is not stored. Inspect writes −1 where it has none.
      ...(limit !== undefined && { limit: { type: limit, limit: -1 } }),
      messages: isAnswered ? [...input, said] : input,
      output,
      store: {},
      events: [...(isAnswered ? [modelEvent] : []), ...scoreEvents],
      attachments: {},
      ...shared,
    },
    summary: {
      ...common,
      metadata: {},
      input: textIn(input),
      ...(error && { error: error.message }),
      ...shared,
      ...(limit !== undefined && { limit }),
      message_count: input.length + (isAnswered ? 1 : 0),
      completed: failure === undefined,
    },
  }
}

/** Matches the finish reason of an imported sample that a limit of Inspect ended. */
const limitName = /^(context|time|working|message|token|cost|operator|custom|turn)_limit$/

export const modelName = ({ asked: { model } }: Run): string => {
  const modelArg = model.args['model'] ?? model.args['pretrained']
  return typeof modelArg === 'string' ? `${model.backend}/${modelArg}` : model.backend
}

/** The choice with the highest likelihood. */
function findLikeliestItem(items: readonly SampleItem[]): SampleItem | undefined {
  const likely = (item: SampleItem): number => item.response?.body.logprob ?? -Infinity
  return items.reduce<SampleItem | undefined>(
    (best, item) => (best === undefined || likely(item) > likely(best) ? item : best),
    undefined,
  )
}

const makeContent = (text: string, reasoning: string | undefined): Json =>
  reasoning === undefined
    ? text
    : [
        { type: 'reasoning', reasoning },
        { type: 'text', text },
      ]

function sumUsage(items: readonly SampleItem[]): JsonObject | undefined {
  const usages = items.flatMap(({ response }) => response?.meta.usage ?? [])
  if (usages.length === 0) return undefined
  const sum = (of: (usage: (typeof usages)[number]) => number | undefined): number =>
    usages.reduce((total, usage) => total + (of(usage) ?? 0), 0)
  const [input, output] = [sum(usage => usage.inputTokens), sum(usage => usage.outputTokens)]
  return { input_tokens: input, output_tokens: output, total_tokens: input + output }
}

/** Inspect knows texts, numbers, truth values, and lists and objects of these. */
function scoreValue(value: Json): Json {
  const isScalar = (element: Json | undefined): boolean => typeof element !== 'object' && element !== undefined
  if (isScalar(value)) return value
  const parts = value === null ? [] : Object.values(value as JsonObject)
  return parts.length > 0 && parts.every(isScalar) ? value : JSON.stringify(value)
}

/** Returns the text that was read of the answer for a value: after its filter, or by its metric. */
function readAs(extracted: Readonly<Record<string, Json>> = {}, value: string): { readonly answer?: string } {
  const filter = value.includes(',') ? value.slice(value.lastIndexOf(',') + 1) : 'none'
  const read = ownValue(extracted, filter) ?? ownValue(extracted, value) ?? Object.values(extracted)[0] ?? null
  return read === null ? {} : { answer: typeof read === 'string' ? read : JSON.stringify(read) }
}

function convertTarget(target: Json, choices: readonly string[] | undefined): string | readonly string[] {
  const text = (value: Json): string =>
    typeof value === 'number' && choices?.[value] !== undefined
      ? (choices[value] ?? '')
      : typeof value === 'string'
        ? value
        : JSON.stringify(value)
  if (target === null) return ''
  return Array.isArray(target) ? (target as readonly Json[]).map(text) : text(target)
}

function makeConfig(item: SampleItem | undefined): JsonObject {
  const generation = (item?.request?.generation ?? {}) as JsonObject
  const names = { temperature: 'temperature', top_p: 'topP', max_tokens: 'maxTokens', seed: 'seed' }
  return Object.fromEntries(
    Object.entries(names).flatMap(([theirs, ours]) => {
      const value = generation[theirs] ?? generation[ours]
      return typeof value === 'number' ? [[theirs, value]] : []
    }),
  )
}

/** The last text of a conversation, for the list of samples. */
function textIn(messages: readonly Json[]): string {
  const content = (messages.at(-1) as JsonObject | undefined)?.['content'] ?? ''
  if (typeof content === 'string') return content
  const parts = content as readonly { readonly type: string; readonly text?: string }[]
  return parts.map(({ type, text }) => text ?? `<${type}>`).join('\n')
}
