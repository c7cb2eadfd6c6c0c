/** Functions for stored runs: resume, compare, report, export and import. */
import { PipelineError } from '../../../base/errors/errors.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { present } from '../../../base/values/present.js'
import { exportRun as exportTo } from '../../../cache/bundle/export.js'
import { importBundle } from '../../../cache/bundle/import.js'
import type { Run } from '../../../cache/records.js'
import type { TaskValue } from '../../../stages/input/tasks/task-value.js'
import { bundleContents, type BundleContent } from '../../../cache/bundle/content.js'
import { onConflicts, type ImportOutcome, type OnConflict } from '../../../cache/bundle/portable.js'
import { realClock } from '../../clock.js'
import { checkCertificateFile, readPrivateKey, writeCertificate } from '../../evidence/certificate.js'
import { resumedSettings } from '../../config/stored/stored-settings.js'
import { processEnvironment } from '../../config/variables.js'
import { evaluate as evaluateAt } from '../../evaluation/evaluate.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { waitingBy } from '../../evaluation/with-store.js'
import { fileFormats, formattedReport, type FileFormat } from '../../present/files/report-formats.js'
import type { ReportedRun } from '../../present/files/reported-run.js'
import { plain } from '../../present/text/layout/paint.js'
import { failedDocs } from '../../reading/samples/failed-docs.js'
import { resultTable, shownNames } from '../../present/text/results/result-table.js'
import { runResults } from '../../present/json/run-results.js'
import type { EvaluateOptions, OpenedStore } from '../options/evaluate-options.js'
import { makeHooks, refuseWhileLoading, type Following } from '../library.js'
import { resolveStoreDir, withGivenStore, type GivenStore } from '../stores.js'
import { valueSettings } from '../values/value-settings.js'
import {
  checkOptions,
  fields,
  followingFields,
  pickFields,
  storeField,
  type OptionFields,
} from '../options/check-options.js'
import { evaluateFields, taskValues } from '../options/evaluate-fields.js'
import { readRunName, requireRun, toRunList, type RunOrName } from '../options/run-or-name.js'
import { evaluatedRun, type EvaluatedRun } from './results.js'

/** The store of a run that is given by name. */
export interface StoreOption {
  /** A folder, or an open store. @default the run's own, or else `$PIPELINE_STORE`, or else `./.pipeline` */
  readonly store?: GivenStore
}

type Tasks = readonly (string | TaskValue)[]

const resumeFields = {
  ...followingFields,
  ...pickFields(evaluateFields, 'store', 'model', 'modelArgs', 'judge', 'judgeArgs', 'judgeFor', 'concurrency'),
  tasks: taskValues,
  retryFailed: fields.flag,
  docs: fields.texts('ids and patterns'),
} satisfies OptionFields<ResumeOptions>

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
  readonly judgeFor?: EvaluateOptions['judgeFor']
  readonly retryFailed?: boolean
  /** The only docs to ask now: ids and shell patterns, `TASK/ID` for those of one task. Others stay open. @default all docs */
  readonly docs?: readonly string[]
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
  checkOptions(options, resumeFields)
  const dir = resolveStoreDir(await findGivenStore(run, options))
  const opened = await withReadStore(run, options, store => openRun(store, readRunName(run)))
  const stored = resumedSettings(opened.run, { store: dir }, processEnvironment())
  const { model = stored.model, judge, tasks = [], retryFailed, concurrency, docs } = options
  const overrides = await valueSettings({
    ...present({ judge, judgeModel: judge === undefined ? stored.judgeModel : undefined }),
    model,
    modelArgs: { ...stored.modelArgs, ...options.modelArgs },
    judgeArgs: { ...stored.judgeArgs, ...options.judgeArgs },
    tasks,
    ...present({ judgeFor: options.judgeFor }),
  })
  const { judgeModel, judgeArgs, ...otherSettings } = overrides
  const judging = judgeModel === undefined ? {} : present({ judgeModel, judgeArgs })
  const settings = {
    ...stored,
    ...otherSettings,
    ...judging,
    tasks: stored.tasks,
    ...present({ retryFailed, concurrency, onlyDocs: docs }),
  }
  return evaluatedRun(await evaluateAt(settings, makeHooks(options)), { dir })
}

/** The format of a report. `text` is the table of the command line; `csv`, `md`, `junit` and `latex` are files for other programs. */
export type ReportFormat = 'json' | 'text' | FileFormat

/**
 * Reports a stored run. `json` is the output of `pipeline report --json`, `text` that of its table, and the others that of the flags with their
 * names. `csv`, `md` and `latex` take several runs. A JUnit report of very many docs is better written by the command, which holds one doc at a time.
 *
 * @param options `format`. @default 'json'
 * @throws PipelineError if several runs are given in another format, or a format other than `json` and `junit` is asked for a run without scores
 */
export function report(run: RunOrName, options?: StoreOption & { readonly format?: 'json' }): Promise<Json>
export function report(run: RunOrName, options: StoreOption & { readonly format: 'text' | 'junit' }): Promise<string>
export function report(
  runs: RunOrName | readonly RunOrName[],
  options: StoreOption & { readonly format: 'csv' | 'md' | 'latex' },
): Promise<string>
export async function report(
  runOrRuns: RunOrName | readonly RunOrName[],
  options: StoreOption & { readonly format?: ReportFormat } = {},
): Promise<Json> {
  checkOptions(options, { ...storeField, format: fields.choice(['json', 'text', ...fileFormats]) })
  const { format = 'json' } = options
  const names = toRunList(runOrRuns)
  if (format !== 'json' && format !== 'text') {
    return withReportedRuns(names, options, async runs => {
      const parts: string[] = []
      for await (const part of formattedReport(format, runs, judgeHint)) parts.push(part)
      return parts.join('')
    })
  }
  const [name] = names
  if (name === undefined || names.length > 1)
    throw new PipelineError('usage', `format '${format}' is of one run; ${names.length} are given`)
  return withReadStore(name, options, async store => {
    const opened = await openRun(store, readRunName(name))
    if (format === 'json') return runResults(store, opened)
    const { run, judgement } = opened
    if (judgement?.aggregates === undefined)
      throw new PipelineError('usage', `run ${run.name} is not judged yet. Score it: ${judgeHint(run)}`)
    const failed = failedDocs(await store.requests.failures(run))
    return resultTable(judgement.aggregates, failed, plain, shownNames(run)).join('\n')
  })
}

/** The call that scores a run, for messages. */
export const judgeHint = ({ name }: Run): string => `judge('${name}')`

/** Opens the stores of runs, one inside the other, and reads the runs. */
async function withReportedRuns<T>(
  names: readonly RunOrName[],
  options: StoreOption,
  work: (runs: readonly ReportedRun[]) => Promise<T>,
  opened: readonly ReportedRun[] = [],
): Promise<T> {
  const [name, ...rest] = names
  if (name === undefined) return work(opened)
  return withReadStore(name, options, async store => {
    const openedRun = await openRun(store, readRunName(name))
    const failures = await store.requests.failures(openedRun.run)
    return withReportedRuns(rest, options, work, [...opened, { store, ...openedRun, failures }])
  })
}

const exportFields = {
  ...storeField,
  media: fields.flag,
  only: fields.choice(bundleContents),
  sign: fields.text,
}

/** The result of an export. */
export interface ExportedFile {
  readonly file: string
  readonly run: string
  /** True if requests of the run are still pending. */
  readonly partial: boolean
  readonly pending: number
  readonly media: number
}

/**
 * Writes a run to one file: inputs, answers, scores, replies of judge models, and with `media` also the media.
 *
 * @param options `only`: `scores` leaves out prompts, answers and targets, `judge-inputs` leaves out scores. @default the whole run
 * @param options `sign`: the file of an Ed25519 private key, with which a certificate is written beside the file; see {@link verifyBundle}
 */
export async function exportRun(
  name: RunOrName,
  file: string,
  options: StoreOption & { readonly media?: boolean; readonly only?: BundleContent; readonly sign?: string } = {},
): Promise<ExportedFile> {
  checkOptions(options, exportFields)
  const { media = false, only, sign } = options
  return withReadStore(name, options, async store => {
    const { run } = await openRun(store, readRunName(name))
    const key = sign === undefined ? undefined : await readPrivateKey(sign)
    if (key !== undefined) checkCertificateFile(file, store.location)
    const manifest = await exportTo(store, run, { file, media, only })
    if (key !== undefined) await writeCertificate(file, { manifest, key, now: realClock.wallNow() })
    const { partial, pending, media: writtenMedia } = manifest
    return { file, run: run.name, partial, pending, media: writtenMedia }
  })
}

/**
 * Adds a run that {@link exportRun} wrote to a store. Importing twice changes nothing.
 *
 * @param options `onConflict`: what to do if a key has other content here. @default 'refuse'
 */
export async function importRun(
  file: string,
  options: StoreOption & { readonly onConflict?: OnConflict } = {},
): Promise<ImportOutcome> {
  checkOptions(options, { ...storeField, onConflict: fields.choice(onConflicts) })
  const { onConflict = 'refuse', store } = options
  return withGivenStore(await store, { waiting }, opened => importBundle(opened, file, { onConflict }))
}

/** The store that is given, or else that of a run that is no name. */
export async function findGivenStore(run: RunOrName, { store }: StoreOption): Promise<GivenStore | undefined> {
  requireRun(run)
  return (await store) ?? (typeof run === 'string' ? undefined : run.store)
}

/** Runs work that reads the store which the options or the run name. */
export async function withReadStore<T>(
  run: RunOrName,
  options: StoreOption,
  work: (store: OpenedStore) => Promise<T>,
): Promise<T> {
  return withGivenStore(await findGivenStore(run, options), { access: 'read', waiting }, work)
}

/** Functions that read or import have no listener to tell that another process locks the store. */
export const waiting = waitingBy(makeHooks({}))
