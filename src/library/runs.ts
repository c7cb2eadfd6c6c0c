/** Functions for stored runs: score, resume, compare, report, export and import. */
import { PipelineError } from '../../base/errors/errors.js'
import type { Json } from '../../base/values/canonical-json.js'
import { present } from '../../base/values/present.js'
import { exportRun as exportTo } from '../../cache/bundle/export.js'
import { importBundle } from '../../cache/bundle/import.js'
import type { ImportOutcome, OnConflict } from '../../cache/bundle/portable.js'
import type { Run } from '../../cache/records.js'
import type { TaskValue } from '../../stages/input/tasks/task-value.js'
import { resumedSettings } from '../config/stored-settings.js'
import { limitOptions } from '../config/limits.js'
import { programSettings } from '../config/option.js'
import { modelPrice } from '../cost/model-price.js'
import { evaluate as evaluateAt } from '../evaluation/evaluate.js'
import { openRun } from '../evaluation/run-reference.js'
import { waitingBy } from '../evaluation/with-store.js'
import { rejudge } from '../judging/rejudge.js'
import { compareRuns, type RunComparison } from '../report/comparing/compare-runs.js'
import { comparison } from '../report/comparing/comparison.js'
import { plain } from '../report/layout/paint.js'
import { failedDocs } from '../report/samples/failed-docs.js'
import { resultTable, shownNames } from '../report/results/result-table.js'
import { resultsJson } from '../report/results/results-json.js'
import { runStats } from '../report/throughput/run-stats.js'
import type { EvaluateOptions, OpenedStore } from './evaluate-options.js'
import { hooksOf, refuseWhileLoading, type Following } from './library.js'
import { evaluatedRun, type EvaluatedRun } from './results.js'
import { placeOf, withGivenStore, type GivenStore } from './stores.js'
import { valueSettings } from './value-settings.js'

/** A run that a function of this library returned, or its name (`last`, `calm-heron-19c2`, `calm-heron-19c2@1`). */
export type RunOrName = string | { readonly run: Pick<Run, 'name'>; readonly store: string }

/** The store of a run that is given by name. */
export interface StoreOption {
  /** A folder, or an open store. @default the run's own, or else `$PIPELINE_STORE`, or else `./.pipeline` */
  readonly store?: GivenStore
}

type Tasks = readonly (string | TaskValue)[]

/** How stored answers are scored. */
export interface JudgeOptions<Given extends Tasks = Tasks>
  extends
    StoreOption,
    Following,
    Pick<EvaluateOptions, 'judge' | 'judgeModel' | 'judgeArgs' | 'parity' | 'includePaths' | 'plugins'>,
    Pick<EvaluateOptions, 'maxRequests' | 'maxTokensTotal' | 'maxCost' | 'maxTime' | 'failFast' | 'prices'> {
  /** Tasks whose rules score the answers. Other tasks are scored by their files, or else by the rules stored with the run. */
  readonly tasks?: Given
  /** Whether code from a bundle may run. @default false */
  readonly trustBundle?: boolean
}

/**
 * Scores the answers of a run or bundle with the current rules. No request is sent, except to a judge model if the scoring needs one.
 *
 * @throws PipelineError if there is no such run, or rules cannot be read
 */
export async function judge<const Given extends Tasks>(
  run: RunOrName,
  options: JudgeOptions<Given> = {},
): Promise<EvaluatedRun<Given>> {
  refuseWhileLoading('judge')
  const store = await storeDirOf(run, options)
  const { tasks = [], trustBundle = false, includePaths = [], plugins = [], parity } = options
  const { judgeModel, judgeArgs, values } = await valueSettings({ ...options, model: '', tasks })
  const outcome = await rejudge(
    {
      ...present({ judgeModel, judgeArgs, parity, values }),
      ...programSettings(limitOptions, options),
      run: nameOf(run),
      store,
      includePaths,
      plugins,
      trustBundle,
    },
    hooksOf(options),
  )
  return evaluatedRun(outcome, { dir: store })
}

/**
 * Scores a run again with the current tasks. It sends no request and opens no model; replies of a judge model come from the store.
 *
 * @throws PipelineError as {@link judge} does
 */
export const rescore = <const Given extends Tasks>(
  run: RunOrName,
  options: Omit<JudgeOptions<Given>, 'maxRequests'> = {},
): Promise<EvaluatedRun<Given>> => judge(run, { ...options, maxRequests: 0 })

/** Options to resume a run. Missing options are those that the run started with. */
export interface ResumeOptions<Given extends Tasks = Tasks> extends StoreOption, Following {
  /** The run's tasks that are values. Other tasks are loaded from their files. */
  readonly tasks?: Given
  /** The run's model, if it is a value of a backend of your own. */
  readonly model?: EvaluateOptions['model']
  /** Secrets, which are not stored, and arguments that do not change answers. */
  readonly modelArgs?: EvaluateOptions['modelArgs']
  readonly judge?: EvaluateOptions['judge']
  readonly judgeArgs?: EvaluateOptions['judgeArgs']
  readonly retryFailed?: boolean
  readonly concurrency?: EvaluateOptions['concurrency']
}

/**
 * Resumes a run.
 *
 * @throws PipelineError if code, tasks or data changed since the run began. In that case, `evaluate` makes a new run that reuses valid answers
 */
export async function resume<const Given extends Tasks>(
  run: RunOrName,
  options: ResumeOptions<Given> = {},
): Promise<EvaluatedRun<Given>> {
  refuseWhileLoading('resume')
  const dir = await storeDirOf(run, options)
  const found = await reading(run, options, store => openRun(store, nameOf(run)))
  const stored = resumedSettings(found.run, { store: dir }, process.env)
  const { model = stored.model, judge, tasks = [], retryFailed, concurrency } = options
  const given = await valueSettings({
    ...present({ judge, judgeModel: judge === undefined ? stored.judgeModel : undefined }),
    model,
    modelArgs: { ...stored.modelArgs, ...options.modelArgs },
    judgeArgs: { ...stored.judgeArgs, ...options.judgeArgs },
    tasks,
  })
  const { judgeModel, judgeArgs, ...asked } = given
  const judging = judgeModel === undefined ? {} : present({ judgeModel, judgeArgs })
  const settings = {
    ...stored,
    ...asked,
    ...judging,
    tasks: stored.tasks,
    ...present({ retryFailed, concurrency }),
  }
  return evaluatedRun(await evaluateAt(settings, hooksOf(options)), { dir })
}

/** Compares run `b` with run `a`, doc by doc: differences with intervals, p-values, changed docs and a verdict for each metric. */
export async function compare(a: RunOrName, b: RunOrName, options: StoreOption = {}): Promise<RunComparison> {
  const hints = {
    judge: ({ name }: Run) => `judge('${name}')`,
    report: ({ name }: Run) => `report('${name}')`,
  }
  return reading(a, options, storeA =>
    reading(b, options, storeB =>
      compareRuns({ store: storeA, reference: nameOf(a) }, { store: storeB, reference: nameOf(b) }, hints),
    ),
  )
}

/** The format of a report. */
export type ReportFormat = 'json' | 'text'

/**
 * Reports a stored run. `json` is the output of `pipeline report --json`, and `text` that of its table.
 *
 * @param options `format`. @default 'json'
 */
export function report(run: RunOrName, options?: StoreOption & { readonly format?: 'json' }): Promise<Json>
export function report(run: RunOrName, options: StoreOption & { readonly format: 'text' }): Promise<string>
export async function report(
  name: RunOrName,
  { format = 'json', ...options }: StoreOption & { readonly format?: ReportFormat } = {},
): Promise<Json> {
  return reading(name, options, async store => {
    const { run, judgement } = await openRun(store, nameOf(name))
    const failures = await store.requests.failures(run)
    if (format === 'json') {
      const figures = await runStats(store, run, await modelPrice(run, undefined))
      const counts = await store.runs.counts(run)
      return resultsJson({ run, counts, failures, ...(judgement && { judgement }), figures })
    }
    if (judgement?.aggregates === undefined)
      throw new PipelineError('usage', `run ${run.name} is not judged yet. Score it: judge('${run.name}')`)
    return resultTable(judgement.aggregates, failedDocs(failures), plain, shownNames(run)).join('\n')
  })
}

/** Formats a comparison as `pipeline compare` prints it. */
export const comparisonText = (compared: RunComparison): string =>
  comparison(compared.metrics, compared, plain).join('\n')

/** The result of an export. */
export interface ExportedFile {
  readonly file: string
  readonly run: string
  /** Whether requests of the run are still pending. */
  readonly partial: boolean
  readonly pending: number
  readonly media: number
}

/** Writes a run to one file: inputs, answers, scores, and with `media` also the media. */
export async function exportRun(
  name: RunOrName,
  file: string,
  { media = false, ...options }: StoreOption & { readonly media?: boolean } = {},
): Promise<ExportedFile> {
  return reading(name, options, async store => {
    const { run } = await openRun(store, nameOf(name))
    const { partial, pending, media: written } = await exportTo(store, run, { file, media })
    return { file, run: run.name, partial, pending, media: written }
  })
}

/**
 * Adds a run that {@link exportRun} wrote to a store. Importing twice changes nothing.
 *
 * @param options `onConflict`: what to do if a key has other content here. @default 'refuse'
 */
export async function importRun(
  file: string,
  { onConflict = 'refuse', store }: StoreOption & { readonly onConflict?: OnConflict } = {},
): Promise<ImportOutcome> {
  return withGivenStore(await store, { waiting }, opened => importBundle(opened, file, { onConflict }))
}

const nameOf = (run: RunOrName): string => (typeof run === 'string' ? run : run.run.name)

async function storeDirOf(run: RunOrName, { store }: StoreOption): Promise<string> {
  const given = await store
  return placeOf(given ?? (typeof run === 'string' ? undefined : run.store))
}

async function reading<T>(
  run: RunOrName,
  { store }: StoreOption,
  work: (store: OpenedStore) => Promise<T>,
): Promise<T> {
  const given = (await store) ?? (typeof run === 'string' ? undefined : run.store)
  return withGivenStore(given, { access: 'read', waiting }, work)
}

/** Who only reads, or imports, has nobody to tell that another process locks the store. */
const waiting = waitingBy(hooksOf({}))
