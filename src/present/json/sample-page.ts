/** Pages of the samples of a kind, for clients. */
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { callLimited, TimeLimitError } from '../../../base/time/time-limit.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import { makeSampleFilter, type SampleConditions } from '../../reading/samples/sample-filter.js'
import type { SampleKind } from '../../reading/samples/sample-kinds.js'
import { openJudgeExchanges } from '../../reading/samples/judge-exchanges.js'
import { sampleTest, type SampleTest } from '../../reading/samples/sample-tests.js'
import { sampleJson } from './sample-json.js'

/** Selects the samples of a page. */
export interface SamplePageQuery {
  readonly kind: SampleKind
  /** The conditions that hold for each sample, beside its kind. @default none */
  readonly conditions?: SampleConditions
  /** The run that the kind compares with. */
  readonly against?: OpenedRun
  readonly task?: string
  /** The cursor of the page before. */
  readonly after?: string
  readonly limit: number
  /** Samples of the kind that are left out after `after`. @default 0 */
  readonly skip?: number
  /** The page ends with the sample that reaches this size, in characters. @default 8,000,000 */
  readonly mostCharacters?: number
  /** Converts a sample for the page, for example to shorten it. */
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

/** The time limit of a pattern on one sample, in milliseconds. Readers of runs supply patterns, and a slow pattern must not block the service. */
const mostFilterMs = 1_000

/** @throws PipelineError if the cursor, the task, or a name in a condition is unknown, or a condition cannot be read */
export async function samplePage(store: Store, opened: OpenedRun, query: SamplePageQuery): Promise<SamplePage> {
  const { run, judgement } = opened
  const names = run.asked.tasks.map(({ name }) => name)
  const wanted = query.task === undefined ? undefined : names.indexOf(query.task)
  if (wanted === -1) throw new PipelineError('usage', `run ${run.name} has no task "${query.task ?? ''}"`)
  const after = cursorIn(query.after) ?? (wanted === undefined ? undefined : { task: wanted - 1, index: Infinity })
  const isOfKind = await sampleTest(store, opened, query.kind, query.against)
  const filter = makeSampleFilter(opened, query.conditions ?? {})
  const passes = query.conditions?.answer === undefined ? filter.passes : limitTest(filter.passes)
  const exchanges = await openJudgeExchanges(store, opened)
  const { skip = 0, shape = same, limit } = query
  const most = Math.min(query.mostCharacters ?? Infinity, mostCharacters)
  const samples: Json[] = []
  let characters = 0
  let looked = 0
  let skipped = 0
  for await (const sample of store.judgements.samples(run, judgement, after)) {
    if (wanted !== undefined && sample.task > wanted) break
    // The filter sees all samples, because it checks names.
    const isWanted = passes(sample) && isOfKind(sample)
    // A cursor does not know how many are still to be skipped.
    if (skipped < skip) {
      if (isWanted) skipped += 1
      continue
    }
    looked += 1
    if (isWanted) {
      const json = shape(sampleJson(run, sample, await exchanges.read(sample)))
      samples.push(json)
      characters += JSON.stringify(json).length
    }
    if (samples.length >= limit || characters >= most || looked >= mostLooked)
      return { samples, next: `${sample.task}:${sample.index}` }
  }
  // Later pages do not know the names that samples of earlier pages had.
  if (samples.length === 0 && skipped === 0 && query.after === undefined) filter.checkNames()
  return { samples, next: null }
}

const same = (sample: Json): Json => sample

/** Ends a pattern that backtracks without end. */
const limitTest =
  (passes: SampleTest): SampleTest =>
  (sample: Sample) => {
    try {
      return callLimited('the filter of samples', () => passes(sample), mostFilterMs)
    } catch (error) {
      if (!(error instanceof TimeLimitError)) throw error
      const text = `${option('answer')}: the pattern did not end within ${mostFilterMs / 1_000} s on the answer of doc ${sample.id}. Give a simpler one.`
      throw new PipelineError('usage', text, { cause: error })
    }
  }

function cursorIn(text: string | undefined): { readonly task: number; readonly index: number } | undefined {
  if (text === undefined) return undefined
  const [, task, index] = /^(\d{1,9}):(\d{1,12})$/.exec(text) ?? []
  if (task === undefined) throw new PipelineError('usage', 'cursor: expected the next_cursor of the page before')
  return { task: Number(task), index: Number(index) }
}
