/** Reads runs for clients: results, samples a page at a time, comparisons. */
import type { Json } from '../../base/values/canonical-json.js'
import { PipelineError } from '../../base/errors/errors.js'
import type { JsonObject, Run } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { openRun, type OpenedRun } from '../evaluation/run-reference.js'
import { modelPrice } from '../cost/model-price.js'
import { compareRuns, type RunComparison } from '../report/comparing/compare-runs.js'
import { resultsJson } from '../report/results/results-json.js'
import { sampleJson } from '../report/samples/sample-json.js'
import { isOfKind, lowerIsBetter, type SampleKind } from '../report/samples/sample-kinds.js'
import { runStats } from '../report/throughput/run-stats.js'

/** A run in a list. */
export interface RunSummary {
  readonly id: string
  readonly name: string
  readonly created_at: string
  readonly model: string
  readonly tasks: readonly string[]
}

export const runSummary = ({ id, name, createdAt, asked }: Run): RunSummary => ({
  id,
  name,
  created_at: new Date(createdAt).toISOString(),
  model: asked.model.backend,
  tasks: asked.tasks.map(task => task.name),
})

/** The results JSON of a run, as `pipeline report --json` prints it. */
export async function runResults(store: Store, { run, judgement }: OpenedRun): Promise<Json> {
  const counts = await store.runs.counts(run)
  const failures = await store.requests.failures(run)
  const figures = await runStats(store, run, await modelPrice(run, undefined))
  return resultsJson({ run, counts, failures, ...(judgement && { judgement }), figures })
}

/** Which samples a page has. */
export interface SamplePageQuery {
  readonly kind: SampleKind
  readonly task?: string
  /** The cursor of the page before. */
  readonly after?: string
  readonly limit: number
  /** Samples of the kind that are left out after `after`. @default 0 */
  readonly skip?: number
  /** The page ends with the sample that reaches this size, in characters. @default 8,000,000 */
  readonly mostCharacters?: number
  /** Makes of a sample what the page has, such as a shorter one. */
  readonly shape?: (sample: Json) => Json
}

export interface SamplePage {
  readonly samples: readonly Json[]
  /** The cursor of the next page; null after the last sample. */
  readonly next: string | null
}

/** A page is at most so large, in characters: the samples of a task may be megabytes each. */
const mostCharacters = 8_000_000
/** Docs that one page looks at: a rare kind of sample must not make one request read the whole run. */
const mostLooked = 20_000

/** @throws PipelineError if the cursor or the task is unknown */
export async function samplePage(
  store: Store,
  { run, judgement }: OpenedRun,
  query: SamplePageQuery,
): Promise<SamplePage> {
  const names = run.asked.tasks.map(({ name }) => name)
  const wanted = query.task === undefined ? undefined : names.indexOf(query.task)
  if (wanted === -1) throw new PipelineError('usage', `run ${run.name} has no task "${query.task ?? ''}"`)
  const after = cursorIn(query.after) ?? (wanted === undefined ? undefined : { task: wanted - 1, index: Infinity })
  const lower = lowerIsBetter(judgement?.aggregates ?? [])
  const { skip = 0, shape = same, limit } = query
  const most = Math.min(query.mostCharacters ?? Infinity, mostCharacters)
  const samples: Json[] = []
  let characters = 0
  let looked = 0
  let skipped = 0
  for await (const sample of store.judgements.samples(run, judgement, after)) {
    if (wanted !== undefined && sample.task > wanted) break
    const isWanted = isOfKind(sample, query.kind, lower)
    // A cursor does not know how many are still to be skipped.
    if (skipped < skip) {
      if (isWanted) skipped += 1
      continue
    }
    looked += 1
    if (isWanted) {
      const json = shape(sampleJson(run, sample))
      samples.push(json)
      characters += JSON.stringify(json).length
    }
    if (samples.length >= limit || characters >= most || looked >= mostLooked)
      return { samples, next: `${sample.task}:${sample.index}` }
  }
  return { samples, next: null }
}

const same = (sample: Json): Json => sample

function cursorIn(text: string | undefined): { readonly task: number; readonly index: number } | undefined {
  if (text === undefined) return undefined
  const [, task, index] = /^(\d{1,9}):(\d{1,12})$/.exec(text) ?? []
  if (task === undefined) throw new PipelineError('usage', 'after: expected the "next" of the page before')
  return { task: Number(task), index: Number(index) }
}

/** Compares run `b` with run `a`, doc by doc. */
export const comparedRuns = (store: Store, a: string, b: string): Promise<RunComparison> =>
  compareRuns(
    { store, reference: a },
    { store, reference: b },
    {
      judge: ({ name }) => `submit its evaluation again, or judge run ${name}`,
      report: ({ name }) => `/runs/${name}/results`,
    },
  )

/** In what the requests of two runs differ. */
export async function whyMissOf(store: Store, a: string, b: string): Promise<JsonObject> {
  const [first, second] = [await openRun(store, a), await openRun(store, b)]
  return JSON.parse(JSON.stringify(await store.requests.whyMiss(first.run, second.run))) as JsonObject
}
