import { countCharacters } from '../../../../cache/facts/count-characters.js'
import { knownDuration } from '../../../../cache/facts/known-duration.js'
import { listQuestionParts } from '../../../../cache/facts/compared-doc.js'
import { sumCosts } from '../../../../cache/facts/sample-cost.js'
import type { OpenedRun, Sample } from '../../../../cache/store.js'
import type { SampleFacts } from '../../../../cache/facts/sample-facts.js'
import type { MediaRef, SampleRow } from '../data/index.js'
import { mediaRef, type ShownMedia } from './media-refs.js'
import { rowText, formatValue } from './texts.js'

/** Makes the row of a sample in a list. @param search the words whose first match each text begins near */
export async function sampleRow(
  media: ShownMedia,
  { run, price }: Pick<OpenedRun, 'run' | 'price'>,
  sample: Sample,
  { facts, search }: { readonly facts: SampleFacts; readonly search?: string | undefined },
): Promise<SampleRow> {
  const { task, index, id, record, items } = sample
  const { outcome, metric, value, isRight, isEmpty, isCut, isDisputed, isLowerBetter } = facts
  const metas = items.flatMap(({ response }) => (response === undefined ? [] : [response.meta]))
  const [meta] = metas
  const durationMs = meta === undefined ? undefined : knownDuration(meta)
  const tokens = metas.flatMap(({ usage }) => (usage?.outputTokens === undefined ? [] : [usage.outputTokens]))
  const characters = countCharacters(sample)
  const cost = sumCosts(metas, price)
  const medium = await firstMedium(media, sample)
  const extracted = readExtracted(sample)
  return {
    task,
    index,
    id,
    taskName: run.asked.tasks[task]?.name ?? '',
    outcome,
    ...(isEmpty && { empty: true }),
    ...(isCut && { cut: true }),
    ...(isDisputed && { disputed: true }),
    metric,
    ...(isLowerBetter && { isLowerBetter: true }),
    value,
    isRight,
    prompt: rowText(extractQuestion(sample), search),
    answer: rowText(formatAnswer(sample), search),
    ...(extracted !== undefined && { extracted: rowText(extracted, search) }),
    target: rowText(formatValue(record.target), search),
    ...(durationMs !== undefined && { durationMs }),
    ...(tokens.length > 0 && { outputTokens: tokens.reduce((sum, count) => sum + count, 0) }),
    ...(characters !== null && { characters }),
    ...(cost !== undefined && { cost }),
    ...(medium && { medium }),
  }
}

/** Extracts the last user message, which is the question after the examples. */
export function extractQuestion({ items }: Sample): string {
  const messages = items[0]?.request?.input.messages ?? []
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1)
  return (last?.content ?? []).flatMap(part => (part.type === 'text' ? [part.text] : [])).join(' ')
}

/** Formats the first answer's text, or the chosen choice of a doc with choices. */
export function formatAnswer({ items, record, score }: Sample): string {
  const [item] = items
  if (item?.failure !== undefined) return `${item.failure.class}: ${item.failure.message}`
  if (item?.response === undefined) return ''
  if (item.request?.input.continuation === undefined) return item.response.body.text
  const chosen = Object.values(score?.extracted ?? {})[0]
  return (typeof chosen === 'number' ? record.choices?.[chosen] : undefined) ?? formatValue(chosen)
}

/** Returns what a filter or a metric read out of the answer. Undefined if nothing was read, or only the whole answer. */
function readExtracted({ items, score }: Sample): string | undefined {
  const [item] = items
  if (item?.response === undefined || item.request?.input.continuation !== undefined) return undefined
  const answer = item.response.body.text.trim()
  return Object.values(score?.extracted ?? {})
    .flatMap(value => (typeof value === 'string' || typeof value === 'number' ? [String(value)] : []))
    .find(text => text !== '' && text.trim() !== answer)
}

async function firstMedium(media: ShownMedia, sample: Sample): Promise<MediaRef | undefined> {
  const [part] = listQuestionParts(sample.items[0]?.request?.input.messages ?? [], sample.record)
  return part === undefined ? undefined : mediaRef(media, part)
}
