/** Writes the lines of a sample as lmms-eval (0.7) and lm-evaluation-harness (0.4) log them: one for each filter of its task. */
import { hexDigits, sha256 } from '../../../cache/digest.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { isList } from '../../../base/values/canonical-json.js'
import type { Aggregate, JsonObject } from '../../../cache/records.js'
import type { Sample, SampleItem } from '../../../cache/store.js'
import { isUnparsed } from '../../../cache/facts/value-facts.js'

/** The filters of a task, and the metric and filter of each value of its docs. */
export interface TaskColumns {
  readonly filters: readonly string[]
  readonly columns: ReadonlyMap<string, { readonly metric: string; readonly filter: string }>
}

/**
 * Finds the filters of a task: those of its rules, and others after which it has numbers.
 *
 * @param configured the names in the task's `filter_list`, if it has one
 */
export function findTaskColumns(aggregates: readonly Aggregate[], configured: readonly string[] = []): TaskColumns {
  const columns = new Map(
    aggregates.map(({ metric, filter }) => [filter === 'none' ? metric : `${metric},${filter}`, { metric, filter }]),
  )
  const filters = [...new Set([...configured, ...[...columns.values()].map(({ filter }) => filter)])]
  return { filters: filters.length === 0 ? ['none'] : filters, columns }
}

/** The values of a sample after one filter, and the text that the filter left. */
interface FilterLine {
  readonly filter: string
  readonly values: Readonly<Record<string, Json>>
  /** The text that the filter left. Undefined if it is not known. */
  readonly read: Json | undefined
}

/** The text that both programs write where a filter reads nothing. */
const unreadText = '[invalid]'

function listFilterLines({ score }: Sample, { filters, columns }: TaskColumns): readonly FilterLine[] {
  const own = Object.entries(score?.values ?? {}).map(([name, value]) => ({
    name,
    value,
    ...findColumn(name, columns),
  }))
  return filters.map(filter => {
    const values = own.filter(column => column.filter === filter)
    const found = [filter, ...values.map(({ name }) => name)].find(name => Object.hasOwn(score?.extracted ?? {}, name))
    const extracted = found === undefined ? undefined : score?.extracted[found]
    const isUnread = score !== undefined && values.some(({ name }) => isUnparsed(score, name))
    const read = isUnread && (extracted === undefined || found !== filter) ? null : extracted
    return { filter, values: Object.fromEntries(values.map(({ metric, value }) => [metric, value])), read }
  })
}

function findColumn(
  name: string,
  columns: TaskColumns['columns'],
): { readonly metric: string; readonly filter: string } {
  const comma = name.lastIndexOf(',')
  return (
    columns.get(name) ??
    (comma < 0 ? { metric: name, filter: 'none' } : { metric: name.slice(0, comma), filter: name.slice(comma + 1) })
  )
}

/** Whether the requests of a sample are for log-likelihoods. */
export const isLikelihoodSample = ({ items }: Pick<Sample, 'items'>): boolean =>
  items.some(({ response }) => response?.body.logprob !== undefined)

/** The answers of a sample. A sample of which a request failed has none, so that it does not count as answered. */
function listAnswers(sample: Sample): readonly Json[] {
  const { items } = sample
  if (items.some(({ failure }) => failure !== undefined)) return []
  const isLikelihood = isLikelihoodSample(sample)
  return items.flatMap(({ response }): Json[] =>
    response === undefined
      ? []
      : isLikelihood
        ? [[String(response.body.logprob ?? 'nan'), response.body.isGreedy === true ? 'True' : 'False']]
        : [response.body.text],
  )
}

/** Writes an unread answer as the text that both programs have for it. */
const writeRead = (read: Json): Json =>
  read === null ? unreadText : isList(read) ? read.map(text => (text === null ? unreadText : text)) : read

const listMessages = ({ items }: Sample) => items[0]?.request?.input.messages ?? []

const extractPromptText = (sample: Sample): string =>
  listMessages(sample)
    .flatMap(({ content }) => content)
    .flatMap(part => (part.type === 'text' ? [part.text] : []))
    .join('')

const computeHash = (value: string): string => hexDigits(sha256(value))

/** As Python's `json.dumps(value, indent=2, ensure_ascii=False)`, which both programs hash. */
const docHash = ({ record }: Sample): string => computeHash(JSON.stringify(record.doc, undefined, 2))

/** The lines of a sample in lmms-eval's format. Answers are in `resps` only if a filter changed them. */
export function* lmmsLines(sample: Sample, columns: TaskColumns): Generator<JsonObject> {
  const { index, record, items } = sample
  const answers = listAnswers(sample)
  const isLikelihood = isLikelihoodSample(sample)
  for (const { values, read } of listFilterLines(sample, columns)) {
    const plain = answers.length === 1 ? (answers[0] ?? null) : answers
    const filtered = isLikelihood ? answers : answers.length === 0 ? null : read === undefined ? plain : writeRead(read)
    const responses = isLikelihood ? answers.map(answer => [answer]) : answers
    const isChanged = JSON.stringify(filtered) !== JSON.stringify(isLikelihood ? answers : plain)
    yield {
      doc_id: index,
      target: record.target,
      ...((isChanged || answers.length === 0) && { resps: responses }),
      filtered_resps: filtered,
      token_counts: items.map(countTokens),
      doc_hash: docHash(sample),
      ...values,
      input: extractPromptText(sample),
    }
  }
}

function countTokens({ response }: SampleItem): Json {
  const usage = response?.meta.usage
  return usage?.outputTokens === undefined ? null : { output_tokens: usage.outputTokens }
}

/** The prompt as lm-eval logs it: the text, or a list with the JSON of the messages if these are more than one text of the user. */
function writePrompt(sample: Sample): Json {
  const messages = listMessages(sample)
  if (messages.every(({ role }) => role === 'user') && messages.length < 2) return extractPromptText(sample)
  const texts = messages.map(({ role, content }) => ({
    role,
    content: content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join(''),
  }))
  return [JSON.stringify(texts)]
}

/** The lines of a sample in lm-eval's format. */
export function* lmLines(sample: Sample, columns: TaskColumns): Generator<JsonObject> {
  const { index, record, items } = sample
  const isLikelihood = isLikelihoodSample(sample)
  const answers = listAnswers(sample)
  const prompt = writePrompt(sample)
  const requestArguments = items.map(({ request }, at) => [
    `gen_args_${at}`,
    {
      arg_0: prompt,
      arg_1: isLikelihood ? (request?.input.continuation ?? '') : ((request?.generation ?? {}) as JsonObject),
    },
  ])
  for (const { filter, values, read } of listFilterLines(sample, columns)) {
    const filtered = read === undefined || answers.length === 0 ? answers.slice(0, 1) : [writeRead(read)].flat()
    yield {
      doc_id: index,
      doc: record.doc,
      target: record.target,
      arguments: Object.fromEntries(requestArguments) as JsonObject,
      resps: isLikelihood ? answers.map(answer => [answer]) : [answers],
      filtered_resps: isLikelihood ? answers : filtered,
      filter,
      metrics: Object.keys(values),
      doc_hash: docHash(sample),
      prompt_hash: computeHash(typeof prompt === 'string' ? prompt : JSON.stringify(prompt)),
      target_hash: computeHash(typeof record.target === 'string' ? record.target : JSON.stringify(record.target)),
      ...values,
    }
  }
}
