import { RecentResults } from '../../../../base/collections/recent-map.js'
import type { Run } from '../../../../cache/records.js'
import type { Sample, SampleItem, Store } from '../../../../cache/store.js'
import { modelLabel } from '../../text/results/run-header.js'
import type { JudgeCall } from '../data/index.js'
import { answerView } from './answers.js'
import { messageViews } from './messages.js'

/** Calls beyond this number are not searched, because all their prompts are held in memory. */
const mostCalls = 50_000
/** Calls shown for one doc. */
const mostShown = 10
/** Only so much of a prompt is searched. */
const longestPrompt = 20_000

interface Call {
  readonly run: Run
  readonly item: SampleItem
  readonly prompt: string
  /** The place of the doc that asked: task and index. */
  readonly asker?: string
}

const formatAsker = (task: string, index: number): string => `${index} ${task}`

/**
 * Finds a doc's requests to judge models. A call names the first doc that asked. Equal prompts of several docs are one request, and older calls name
 * no doc: a doc that no call names gets those whose prompts hold its answer literally, and also its question, its target or another of its texts.
 */
export interface JudgeCalls {
  of(sample: Sample): Promise<readonly JudgeCall[]>
}

/** Prompts of many calls take memory, so few runs are remembered. */
const remembered = new RecentResults<JudgeCalls>(3)

/** Finds the calls that judged a run. All of them are read once, and again when the judge has answered more. */
export async function findJudgeCalls(store: Store, run: Run): Promise<JudgeCalls> {
  const runs = (await store.runs.list()).filter(({ asked }) => asked.judge?.of === run.id)
  if (runs.length === 0) return { of: () => Promise.resolve([]) }
  const answered = []
  for (const judge of runs) answered.push([judge.id, (await store.runs.counts(judge)).answered])
  return remembered.get(JSON.stringify([store.location, answered]), () => readCalls(store, run, runs))
}

async function readCalls(store: Store, judged: Run, runs: readonly Run[]): Promise<JudgeCalls> {
  const calls: Call[] = []
  for (const judge of runs)
    for await (const { items, record } of store.judgements.samples(judge))
      for (const item of items) {
        const { task, index } = record.doc
        const asker = typeof task === 'string' && typeof index === 'number' ? { asker: formatAsker(task, index) } : {}
        if (calls.length < mostCalls) calls.push({ run: judge, item, prompt: extractPromptText(item), ...asker })
      }
  const byWord = indexCalls(calls)
  const byAsker = new Map<string, Call[]>()
  for (const call of calls)
    if (call.asker !== undefined) byAsker.set(call.asker, [...(byAsker.get(call.asker) ?? []), call])
  return {
    of: sample => {
      const own = byAsker.get(formatAsker(judged.asked.tasks[sample.task]?.name ?? '', sample.index))
      const found = own?.slice(0, mostShown) ?? matching(sample, calls, byWord)
      return Promise.all(found.map(call => view(store, call)))
    },
  }
}

const extractPromptText = ({ request }: SampleItem): string =>
  (request?.input.messages ?? [])
    .flatMap(({ content }) => content.flatMap(part => (part.type === 'text' ? [part.text] : [])))
    .join('\n')
    .slice(0, longestPrompt)

const extractWords = (text: string): Set<string> => new Set(text.match(/[\p{L}\p{N}]{4,40}/gu) ?? [])

/** The calls by the words of their prompts. */
function indexCalls(calls: readonly Call[]): ReadonlyMap<string, readonly number[]> {
  const byWord = new Map<string, number[]>()
  for (const [number, { prompt }] of calls.entries())
    for (const word of extractWords(prompt)) {
      const known = byWord.get(word)
      if (known === undefined) byWord.set(word, [number])
      else known.push(number)
    }
  return byWord
}

function matching(sample: Sample, calls: readonly Call[], byWord: ReadonlyMap<string, readonly number[]>): Call[] {
  const answers = sample.items.flatMap(({ response }) => {
    const text = response?.body.text.trim() ?? ''
    return text === '' ? [] : [text]
  })
  const texts = listDocTexts(sample)
  const found = candidates(`${answers.join('\n')}\n${texts.join('\n')}`, calls, byWord).flatMap(call => {
    if (!answers.some(answer => call.prompt.includes(answer))) return []
    const shared = texts.filter(text => call.prompt.includes(text)).reduce((sum, text) => sum + text.length, 0)
    return shared === 0 ? [] : [{ call, shared }]
  })
  const most = Math.max(0, ...found.map(({ shared }) => shared))
  return found
    .filter(({ shared }) => 2 * shared >= most)
    .slice(0, mostShown)
    .map(({ call }) => call)
}

/** The calls whose prompts share the rarest known word with a text. */
function candidates(
  text: string,
  calls: readonly Call[],
  byWord: ReadonlyMap<string, readonly number[]>,
): readonly Call[] {
  let fewest: readonly number[] | undefined
  for (const word of extractWords(text)) {
    const numbers = byWord.get(word)
    if (numbers !== undefined && numbers.length < (fewest?.length ?? Infinity)) fewest = numbers
  }
  if (fewest === undefined) return calls.length <= 2_000 ? calls : []
  return fewest.flatMap(number => calls[number] ?? [])
}

/** The doc's own texts that a judge's prompt may hold. */
function listDocTexts({ items, record }: Sample): readonly string[] {
  const question = items[0]?.request?.input.messages.findLast(({ role }) => role === 'user')
  const lines = (question?.content ?? []).flatMap(part => (part.type === 'text' ? part.text.split('\n') : []))
  const fields = Object.values(record.doc).filter(value => typeof value === 'string')
  const targets = Array.isArray(record.target) ? (record.target as unknown[]) : [record.target]
  const texts = [...lines, ...fields, ...targets.filter(target => typeof target === 'string')]
  return [...new Set(texts.map(text => text.trim()))].filter(text => text.length >= 2 && text.length <= longestPrompt)
}

async function view(store: Store, { run, item }: Call): Promise<JudgeCall> {
  const { request, response, failure } = item
  return {
    model: modelLabel(run),
    key: request?.key ?? '',
    messages: await messageViews(store.media, request?.input.messages ?? []),
    ...(response && { answer: answerView(run, response) }),
    ...(failure && { failure }),
  }
}
