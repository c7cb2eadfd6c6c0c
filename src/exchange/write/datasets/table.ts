/** Makes the rows of a task's table: one for each time that a doc was asked. */
import { sniffMediaType } from '../../../../base/media/media-type.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import { sumDurations } from '../../../../cache/facts/known-duration.js'
import type { ChatMessage, ContentPart, JsonObject } from '../../../../cache/records.js'
import type { Sample, SampleItem } from '../../../../cache/store.js'
import type { ReadMedium } from '../inspect-messages.js'
import type { TableColumns } from './columns.js'

/** The features of a task's samples that decide about the columns of its table. */
export interface TableShape {
  rows: number
  hasImages: boolean
  hasAudio: boolean
  hasChoices: boolean
  /** True if all values of a metric are numbers, by the metric's name. */
  readonly metrics: Map<string, boolean>
}

export const emptyShape = (): TableShape => ({
  rows: 0,
  hasImages: false,
  hasAudio: false,
  hasChoices: false,
  metrics: new Map(),
})

/** Adds what one sample has to the shape. */
export function look(shape: TableShape, { items, record, score }: Sample): void {
  shape.rows += listRepeats(items).length
  const parts = items.flatMap(({ request }) => request?.input.messages.flatMap(({ content }) => content) ?? [])
  shape.hasImages ||= parts.some(({ type }) => type === 'image')
  shape.hasAudio ||= parts.some(({ type }) => type === 'audio')
  shape.hasChoices ||= record.choices !== undefined
  for (const [name, value] of Object.entries(score?.values ?? {}))
    shape.metrics.set(name, (shape.metrics.get(name) ?? true) && isNumber(value))
}

const isNumber = (value: Json): boolean => value === null || typeof value === 'number' || typeof value === 'boolean'

/** The column of each metric. Other characters than letters, digits, `_`, `.` and `-` become `_`. */
export function scoreColumns({ metrics }: TableShape): ReadonlyMap<string, string> {
  const columns = new Map<string, string>()
  for (const metric of [...metrics.keys()].sort()) {
    const plain = `score_${metric.replace(/[^\w.-]+/g, '_')}`
    const names = new Set(columns.values())
    let name = plain
    for (let at = 2; names.has(name); at++) name = `${plain}_${at}`
    columns.set(metric, name)
  }
  return columns
}

export const tableColumns = (shape: TableShape): TableColumns => [
  ['doc_id', 'string'],
  ['task', 'string'],
  ['repeat', 'int32'],
  ['messages', 'string'],
  ...(shape.hasImages ? ([['images', 'image']] as const) : []),
  ...(shape.hasAudio ? ([['audio', 'audio']] as const) : []),
  ...(shape.hasChoices
    ? ([
        ['choices', 'strings'],
        ['choice_logprobs', 'floats'],
      ] as const)
    : []),
  ['response', 'string'],
  ['reasoning', 'string'],
  ['target', 'string'],
  ...[...scoreColumns(shape)].map(
    ([metric, name]) => [name, shape.metrics.get(metric) === true ? 'float64' : 'string'] as const,
  ),
  ['input_tokens', 'int64'],
  ['output_tokens', 'int64'],
  ['duration_seconds', 'float64'],
  ['error', 'string'],
  ['doc', 'string'],
]

/** A value of an exported table. */
export type TableCell = string | number | bigint | null | readonly (string | number | null | TableMedium)[]
/** A row of an exported table, by column. */
export type TableRow = Readonly<Record<string, TableCell>>

/** A medium as `datasets` stores it. */
export interface TableMedium {
  readonly bytes: Uint8Array
  readonly path: string
}

/** Makes the rows of a task's table. */
export interface RowMaker {
  readonly task: string
  readonly shape: TableShape
  readonly read: ReadMedium
}

const listRepeats = (items: readonly SampleItem[]): readonly number[] =>
  [...new Set(items.map(({ sample }) => sample))].sort((a, b) => a - b)

/** Makes the rows of a sample, one for each answer. */
export async function* tableRows(sample: Sample, { task, shape, read }: RowMaker): AsyncGenerator<TableRow> {
  const { record, score } = sample
  const columns = scoreColumns(shape)
  for (const [repeat, number] of listRepeats(sample.items).entries()) {
    const items = sample.items.filter(item => item.sample === number)
    const messages = items[0]?.request?.input.messages ?? []
    const parts = messages.flatMap(({ content }) => content)
    const logprobs = items.map(({ response }) => response?.body.logprob ?? null)
    const likeliest = logprobs.reduce<number>(
      (best, logprob, at) => ((logprob ?? -Infinity) > (logprobs[best] ?? -Infinity) ? at : best),
      0,
    )
    const isByLikelihood = logprobs.some(logprob => logprob !== null)
    const body = items[0]?.response?.body
    const failure = items.find(item => item.failure !== undefined)?.failure
    yield {
      doc_id: sample.id,
      task,
      repeat,
      messages: JSON.stringify(messages.map(plainMessage)),
      images: shape.hasImages ? await media(parts, 'image', read) : null,
      audio: shape.hasAudio ? await media(parts, 'audio', read) : null,
      choices: record.choices ?? null,
      choice_logprobs: isByLikelihood ? logprobs : null,
      response: isByLikelihood ? (record.choices?.[items[likeliest]?.choice ?? -1] ?? null) : (body?.text ?? null),
      reasoning: body?.reasoning ?? null,
      target: asText(record.target),
      ...Object.fromEntries(
        [...columns].map(([metric, name]) => [
          name,
          scoreCell(score?.values[metric], shape.metrics.get(metric) === true),
        ]),
      ),
      input_tokens: tokens(items, 'inputTokens'),
      output_tokens: tokens(items, 'outputTokens'),
      duration_seconds: seconds(items),
      error: failure === undefined ? (score?.reason ?? null) : `${failure.class}: ${failure.message}`,
      doc: JSON.stringify(record.doc),
    }
  }
}

/** Media are entries without content: the nth image stands for the nth of the column `images`. */
const plainMessage = ({ role, content, toolCalls, toolCallId, toolName }: ChatMessage): JsonObject => ({
  role,
  content: content.map((part): JsonObject =>
    part.type === 'text' ? { type: 'text', text: part.text } : { type: part.type },
  ),
  ...(toolCalls && {
    tool_calls: toolCalls.map(({ id, name, arguments: argumentsText }) => ({
      id,
      type: 'function',
      function: { name, arguments: argumentsText },
    })),
  }),
  ...(toolCallId !== undefined && { tool_call_id: toolCallId }),
  ...(toolName !== undefined && { name: toolName }),
})

async function media(
  parts: readonly ContentPart[],
  kind: 'image' | 'audio',
  read: ReadMedium,
): Promise<readonly TableMedium[]> {
  const tableMedia: TableMedium[] = []
  for (const part of parts) {
    if (part.type !== kind) continue
    const bytes = await read(part.media)
    tableMedia.push({ bytes, path: `${part.media.slice(0, 16)}.${sniffMediaType(bytes)?.format ?? 'bin'}` })
  }
  return tableMedia
}

const asText = (value: Json): string | null =>
  value === null ? null : typeof value === 'string' ? value : JSON.stringify(value)

function scoreCell(value: Json | undefined, isNumeric: boolean): string | number | null {
  if (value === undefined || value === null) return null
  if (isNumeric) return Number(value)
  return asText(value)
}

function tokens(items: readonly SampleItem[], name: 'inputTokens' | 'outputTokens'): bigint | null {
  const counts = items.flatMap(({ response }) => response?.meta.usage?.[name] ?? [])
  return counts.length === 0 ? null : BigInt(counts.reduce((sum, count) => sum + count, 0))
}

function seconds(items: readonly SampleItem[]): number | null {
  const ms = sumDurations(items)
  return ms === undefined ? null : ms / 1_000
}
