import type { Run } from '../../../cache/records.js'
import type { Sample } from '../../../cache/store.js'
import type { SampleRow } from '../page-data/index.js'

const mostShown = 200

/** A sample as a row of a list. */
export function shortRow(run: Pick<Run, 'asked'>, sample: Sample, lower: ReadonlySet<string>): SampleRow {
  const { task, index, id, record, items, score } = sample
  const [metric = '', given] = Object.entries(score?.values ?? {})[0] ?? []
  const value = typeof given === 'number' ? given : null
  const [item] = items
  const tokens = items.flatMap(({ response }) => response?.meta.usage?.outputTokens ?? [])
  const prompt = item?.request?.input.messages.findLast(({ role }) => role === 'user')?.content ?? []
  return {
    task,
    index,
    id,
    taskName: run.asked.tasks[task]?.name ?? '',
    outcome: items.some(({ failure }) => failure !== undefined) ? 'failed' : (score?.outcome ?? 'waiting'),
    ...(score?.empty === true && { empty: true }),
    ...(score?.cut === true && { cut: true }),
    value,
    isRight: value === null ? null : lower.has(metric) ? value <= 0 : value >= 1,
    prompt: prompt
      .flatMap(part => (part.type === 'text' ? [part.text] : []))
      .join(' ')
      .slice(0, mostShown),
    answer: (item?.response?.body.text ?? item?.failure?.message ?? '').slice(0, mostShown),
    target: (typeof record.target === 'string' ? record.target : JSON.stringify(record.target)).slice(0, mostShown),
    ...(item?.response && { durationMs: item.response.meta.durationMs }),
    ...(tokens.length > 0 && { outputTokens: tokens.reduce((sum, count) => sum + count, 0) }),
  }
}
