import { knownDuration } from '../../../cache/known-duration.js'
import type { MediaPart, Run } from '../../../cache/records.js'
import type { MediaStore, Sample } from '../../../cache/store.js'
import type { MediaRef, SampleRow } from '../page-data/index.js'
import { mediaRef } from './media-refs.js'
import { rowText, textOf } from './texts.js'
import { firstValue, marksOf, outcomeOf } from './values.js'

/** A sample in short, without its medium: what filters and lists read of it. */
export function sampleRowWithoutMedium(
  run: Pick<Run, 'asked' | 'provenance'>,
  sample: Sample,
  lower: ReadonlySet<string>,
): SampleRow {
  const { task, index, id, record, items, score } = sample
  const metas = items.flatMap(({ response }) => (response === undefined ? [] : [response.meta]))
  const [meta] = metas
  const durationMs = meta === undefined ? undefined : knownDuration(meta)
  const tokens = metas.flatMap(({ usage }) => (usage?.outputTokens === undefined ? [] : [usage.outputTokens]))
  return {
    task,
    index,
    id,
    taskName: run.asked.tasks[task]?.name ?? '',
    outcome: outcomeOf(sample),
    ...marksOf(score),
    ...firstValue(run, sample, lower),
    prompt: rowText(promptOf(sample)),
    answer: rowText(answerOf(sample)),
    target: rowText(textOf(record.target)),
    ...(durationMs !== undefined && { durationMs }),
    ...(tokens.length > 0 && { outputTokens: tokens.reduce((sum, count) => sum + count, 0) }),
  }
}

/** A sample in short, as a row of a list. */
export async function sampleRow(
  media: Pick<MediaStore, 'path'>,
  run: Pick<Run, 'asked' | 'provenance'>,
  sample: Sample,
  lower: ReadonlySet<string>,
): Promise<SampleRow> {
  const medium = await firstMedium(media, sample)
  return { ...sampleRowWithoutMedium(run, sample, lower), ...(medium && { medium }) }
}

/** The text of the last user message, which is the question behind the examples. */
function promptOf({ items }: Sample): string {
  const messages = items[0]?.request?.input.messages ?? []
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1)
  return (last?.content ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' ')
}

/** The first answer's text. Of a doc with choices, it is what was chosen. */
function answerOf({ items, record, score }: Sample): string {
  const [item] = items
  if (item?.failure !== undefined) return `${item.failure.class}: ${item.failure.message}`
  if (item?.response === undefined) return ''
  if (item.request?.input.continuation === undefined) return item.response.body.text
  const chosen = Object.values(score?.extracted ?? {})[0]
  return (typeof chosen === 'number' ? record.choices?.[chosen] : undefined) ?? textOf(chosen)
}

/** The part of the last user message that shows a medium, else that of any message. */
export function firstMediaPart({ items }: Pick<Sample, 'items'>): MediaPart | undefined {
  const messages = items[0]?.request?.input.messages ?? []
  const last = messages.findLast(({ role }) => role === 'user')
  const parts = [...(last?.content ?? []), ...messages.flatMap(({ content }) => content)]
  return parts.find(part => part.type !== 'text')
}

async function firstMedium(media: Pick<MediaStore, 'path'>, sample: Sample): Promise<MediaRef | undefined> {
  const part = firstMediaPart(sample)
  return part === undefined ? undefined : mediaRef(media, part)
}
