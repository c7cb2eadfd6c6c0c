/** Questions to judge models about a doc, and their replies: facts for every list of samples. */
import { RecentResults } from '../../../base/collections/recent-map.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { Run } from '../../../cache/records.js'
import type { OpenedRun, Sample, SampleItem, Store } from '../../../cache/store.js'
import { formatJudgeLabel } from '../../judging/judge-label.js'
import { findByText, extractPromptText, indexPrompts, type PromptIndex } from './judge-prompts.js'
import { readVerdict } from './judge-verdict.js'
import { sampleAt } from './sample-at.js'

/** The maximum number of searched prompts. All of them are held in memory. */
const mostPrompts = 50_000
/** Exchanges shown for one doc. */
const mostShown = 10

/** A question to a judge model on behalf of a doc, and the reply. */
export interface JudgeExchange {
  /** The judge, such as `openai gpt-4o`. */
  readonly judge: string
  /** The run that holds the judge's calls. */
  readonly run: Run
  /** The request with its reply or failure. */
  readonly item: SampleItem
  /** The values that came of this judge's replies, by metric. Absent if no metric names its judges. */
  readonly verdict?: Readonly<Record<string, Json>>
}

/** A call without its texts, which are read when they are shown. */
interface Call {
  readonly run: Run
  readonly index: number
  readonly choice: number
  /** The response key. Undefined if no request could be made. */
  readonly key: string | undefined
}

/**
 * Reads a doc's exchanges with judge models. Each call names its doc. In older stores, a shared call names only its first doc, or none. A doc that no
 * call names is matched by text: the prompt must contain its answer, and its question, target or another text.
 */
export interface JudgeExchanges {
  read(sample: Sample): Promise<readonly JudgeExchange[]>
}

const none: JudgeExchanges = { read: () => Promise.resolve([]) }

interface FoundCalls {
  readonly byAsker: ReadonlyMap<string, readonly Call[]>
  readonly prompts: PromptIndex<Call>
}

/** The calls of recent runs. Few runs are remembered, because prompts take much memory. */
const remembered = new RecentResults<FoundCalls>(3)

/** Finds the calls that judged a run. They are listed once, and again when the judge has answered more. */
export async function openJudgeExchanges(store: Store, opened: OpenedRun): Promise<JudgeExchanges> {
  const { run } = opened
  const runs = (await store.runs.list()).filter(({ asked }) => asked.judge?.of === run.id)
  if (runs.length === 0) return none
  const answered = []
  for (const judge of runs) answered.push([judge.id, (await store.runs.counts(judge)).answered])
  const { byAsker, prompts } = await remembered.get(JSON.stringify([store.location, answered]), () =>
    listCalls(store, runs),
  )
  return {
    async read(sample) {
      const own = byAsker.get(formatAsker(run.asked.tasks[sample.task]?.name ?? '', sample.index))
      const calls = (own ?? findByText(sample, prompts)).slice(0, mostShown)
      const exchanges = await Promise.all(calls.map(call => readExchange(store, opened, sample, call)))
      return exchanges.flat()
    },
  }
}

async function listCalls(store: Store, runs: readonly Run[]): Promise<FoundCalls> {
  const byAsker = new Map<string, Call[]>()
  const prompts: { readonly call: Call; readonly prompt: string }[] = []
  for (const run of runs)
    for await (const { items, record, index } of store.judgements.samples(run))
      for (const item of items) {
        const call = { run, index, choice: item.choice, key: item.request?.key }
        if (prompts.length < mostPrompts) prompts.push({ call, prompt: extractPromptText(item) })
        const { task, index: asker } = record.doc
        if (typeof task !== 'string' || typeof asker !== 'number') continue
        const name = formatAsker(task, asker)
        const calls = byAsker.get(name)
        if (calls === undefined) byAsker.set(name, [call])
        // A store that was judged by an older program, and again since, names the doc twice.
        else if (call.key === undefined || calls.every(({ key }) => key !== call.key)) calls.push(call)
      }
  return { byAsker, prompts: indexPrompts(prompts) }
}

const formatAsker = (task: string, index: number): string => `${index} ${task}`

async function readExchange(
  store: Store,
  { judgement }: OpenedRun,
  sample: Sample,
  { run, index, choice }: Call,
): Promise<readonly JudgeExchange[]> {
  const judgeSample = await sampleAt(store, { run }, { task: 0, index })
  const judge = formatJudgeLabel(run.asked.model)
  const verdict = readVerdict(sample, { judge, aggregates: judgement?.aggregates })
  return (judgeSample?.items ?? [])
    .filter(item => item.choice === choice)
    .map(item => ({ judge, run, item, ...(verdict && { verdict }) }))
}
