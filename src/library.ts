import { PipelineError } from '../base/errors.js'
import { didYouMean } from '../base/suggest.js'
import type { PortableStore } from '../cache/bundle/portable.js'
import type { Emit } from '../cache/events.js'
import { openStore as openStoreAt } from '../cache/open.js'
import type { JsonObject, JudgeRecord, Judgement, ResponseBody, Run, ScoreBody } from '../cache/records.js'
import type { RunCounts, Store } from '../cache/store.js'
import type { Parity } from '../stages/judge/parity.js'
import type { DispatchOrder } from '../stages/model/schedule/dispatch-order.js'
import { surroundings } from './config/eval-settings.js'
import { batchSettings } from './config/batches.js'
import { hedgeIn, hedgeSettings } from './config/hedge.js'
import { durationIn, limitSettings } from './config/limits.js'
import { toolSettings } from './config/tool-servers.js'
import { evaluateIn } from './evaluate.js'
import { previewEvaluation, type Preview } from './preview.js'
import type { EvalOutcome, EvalSettings, Hooks, Stages } from './settings.js'

/** A store that is open. Whoever opened it closes it. */
export type OpenedStore = Store & PortableStore

/**
 * Opens the store in a folder, making it where it is not there.
 *
 * @param dir `$PIPELINE_STORE`, else `./.pipeline`, where it is not given
 * @param options `access: 'read'` never changes anything, and works on a medium that can't be written
 * @throws PipelineError (store) where it can't be used, saying why and what to do.
 */
export const openStore = (dir?: string, options: { readonly access?: 'write' | 'read' } = {}): Promise<OpenedStore> =>
  openStoreAt(dir ?? usualStore(), options)

const usualStore = (): string => surroundings({}, {}, process.env).store

/** One evaluation: what `pipeline eval` takes as flags, by the same names. Only `model` and `tasks` must be given. */
export interface EvaluateOptions {
  /** A folder, or a store that is open already and stays so. @default `$PIPELINE_STORE`, else `./.pipeline` */
  readonly store?: string | OpenedStore | Promise<OpenedStore>
  /** The name of a backend, built in or from a plugin. */
  readonly model: string
  /** Its arguments. Secrets among them are used and never stored. @default {} */
  readonly modelArgs?: Readonly<Record<string, unknown>>
  /** Names, patterns, folders or YAML files. */
  readonly tasks: readonly string[]
  /** Over the tasks' own. @default {} */
  readonly genKwargs?: JsonObject
  /** The first docs of each task; below 1, the share of all of them; by task, with `*` for the others. @default all */
  readonly limit?: number | Readonly<Record<string, number>>
  /** Index of the first doc of each task. @default 0 */
  readonly offset?: number
  /** So many docs of each task drawn at random, or this share of them. */
  readonly subset?: number
  /** What the draw is decided by. @default 0 */
  readonly subsetSeed?: number
  /** These docs alone, by task: indices, and ids as texts. */
  readonly samples?: Readonly<Record<string, readonly (number | string)[]>>
  /** One of `of` parts of the docs, from 1. */
  readonly shard?: { readonly index: number; readonly of: number }
  /** Examples before each question, in place of the tasks' own number unless that is 0. */
  readonly numFewshot?: number
  /** Examples as turns of a conversation. @default false */
  readonly fewshotAsMultiturn?: boolean
  /** Of the random choice of examples. @default 1234 */
  readonly fewshotSeed?: number
  /** A message of the system before each conversation. @default none */
  readonly systemInstruction?: string
  /** Samples of each answer, in place of the tasks' own number. */
  readonly repeats?: number
  /** Media, then one text, also where a task has `doc_to_messages`. @default false */
  readonly forceSimple?: boolean
  /** Requests under way at once, or `adaptive`: as many as the server bears. @default what arguments or backend say */
  readonly concurrency?: number | 'adaptive'
  /** The most requests under way at once where that is adaptive. @default 256 */
  readonly maxConcurrency?: number
  /** What is sent together: what shows the same media and begins the same, what is of similar length, or nothing. @default 'media' */
  readonly order?: DispatchOrder
  /**
   * Send a second copy of a request that takes longer than a percentile of the latencies (`p95`, or `true`), or than a time (`30s`), and
   * take the first answer. @default false
   */
  readonly hedge?: boolean | string
  /** Hand requests in to the provider's batch API, which answers within a day at half the price. @default false */
  readonly batch?: boolean
  /** So many requests a batch at most. @default what the provider takes */
  readonly batchRequests?: number
  /** The longest time between two looks at a batch. Seconds. @default 60 */
  readonly poll?: number
  /** Wait until all batches are through; else `batches` of what came of it are collected by the next call. @default true */
  readonly wait?: boolean
  /** Send so many requests at most, retries and judge calls included. What is over this or another limit has failed with the class `budget`, and is asked the next time. */
  readonly maxRequests?: number
  /** Use so many tokens at most, input and output together. */
  readonly maxTokensTotal?: number
  /** Spend so many dollars at most. */
  readonly maxCost?: number
  /** Send nothing more after this time: milliseconds, or a text such as `90s`, `10m`, `2h`. */
  readonly maxTime?: number | string
  /** Stop after so many requests that failed for good. */
  readonly failFast?: number
  /** A YAML file of prices, over those that come with the program. */
  readonly prices?: string
  /** Servers of the Model Context Protocol whose tools the model may call: command lines, and addresses. @default none */
  readonly mcp?: readonly string[]
  /** A file of such servers (`mcpServers`). */
  readonly tools?: string
  /** Rounds of calls at most before an answer. @default 10 */
  readonly maxToolRounds?: number
  /** Seconds for one call. @default 60 */
  readonly toolTimeout?: number
  /** The name of the backend that is asked where a task's score needs a model. @default none */
  readonly judgeModel?: string
  /** Its arguments. @default {} */
  readonly judgeArgs?: Readonly<Record<string, unknown>>
  /** Score as this program does where it is known to be wrong, to compare with its numbers. @default none */
  readonly parity?: Parity
  /** Folders of further tasks. @default [] */
  readonly includePaths?: readonly string[]
  /** Files or packages with further backends, metrics, filters and aggregations. @default [] */
  readonly plugins?: readonly string[]
  /** Also ask again what failed in a permanent class. @default false */
  readonly retryFailed?: boolean
  /** A numbered repeat, where the same options would be the same run. @default false */
  readonly newRun?: boolean
  /** New samples instead of stored answers. @default false */
  readonly fresh?: boolean
  /** What stands for the backend's code in keys. @default 'files' */
  readonly codeKey?: 'files' | 'commit'
  /** A name of your own for the code, instead. */
  readonly codeVersion?: string
  /** Which of the stages work. @default all three */
  readonly stages?: Stages
  /** What happens, as it happens. */
  readonly onEvent?: Emit
  /** Which run it is, as soon as that is known, with what the store has of it already. */
  readonly onRun?: (run: Run, isNew: boolean, counts: RunCounts) => void
  /** Aborted: finish what is in flight, start nothing new. */
  readonly drain?: AbortSignal
  /** Aborted: stop now. What is answered is kept. */
  readonly stop?: AbortSignal
}

/** A doc with its answers and what the judge made of them. */
export interface ScoredDoc {
  readonly task: string
  /** In the task's dataset, after `process_docs`. */
  readonly index: number
  readonly id: string
  /** Target, choices and the doc's other fields, as they were scored. */
  readonly record: JudgeRecord
  /** In the order of choice, then sample. */
  readonly answers: readonly ResponseBody[]
  readonly score: ScoreBody
}

/** What came of an evaluation. */
export interface EvaluatedRun extends EvalOutcome {
  /**
   * The scored docs of a task, of all tasks where none is named, in the order of the dataset. Read from the store as they are
   * asked for, any number of times. Docs without a score are not among them: see `failures`.
   *
   * @throws PipelineError where the run has no such task.
   */
  scores(task?: string): AsyncIterable<ScoredDoc>
}

/**
 * Evaluates a model on tasks: reads docs, asks for what the store has no answer to, scores. The same options are the same run.
 *
 * @throws PipelineError where something is wrong that a person can mend; what was answered until then is kept. Requests that
 * failed throw nothing: they are in `failures`.
 */
export async function evaluate(options: EvaluateOptions): Promise<EvaluatedRun> {
  const { store: opening, ...asked } = options
  const given = await opening
  const settings = settingsOf(asked, given)
  const parts = { hooks: hooksOf(options), ...(options.stages && { stages: options.stages }) }
  if (given !== undefined && typeof given !== 'string') {
    const outcome = await evaluateIn(given, settings, parts)
    return { ...outcome, scores: task => scoredDocs(given, outcome, task) }
  }
  const store = await openStore(given)
  try {
    const outcome = await evaluateIn(store, settings, parts)
    return { ...outcome, scores: task => scoredDocsAt(settings.store, outcome, task) }
  } finally {
    await store.close()
  }
}

/**
 * What {@link evaluate} would ask with these options, and what that will need: nothing is asked, and the store stays as it is.
 *
 * @throws PipelineError as `evaluate` would before it starts.
 */
export const plan = async ({ store, ...options }: EvaluateOptions): Promise<Preview> =>
  previewEvaluation(settingsOf(options, await store), hooksOf(options))

function settingsOf(options: Omit<EvaluateOptions, 'store'>, store: string | OpenedStore | undefined): EvalSettings {
  const {
    limit,
    offset,
    subset,
    subsetSeed,
    samples,
    shard,
    numFewshot,
    fewshotAsMultiturn,
    fewshotSeed,
    forceSimple,
    concurrency,
    maxConcurrency,
    order,
    hedge,
    systemInstruction,
    repeats,
    codeVersion,
    judgeModel,
    judgeArgs,
    parity,
    maxTime,
    ...limits
  } = options
  return {
    store: typeof store === 'string' ? store : (store?.dir ?? usualStore()),
    includePaths: options.includePaths ?? [],
    plugins: options.plugins ?? [],
    model: options.model,
    modelArgs: options.modelArgs ?? {},
    tasks: options.tasks,
    genKwargs: options.genKwargs ?? {},
    retryFailed: options.retryFailed ?? false,
    newRun: options.newRun ?? false,
    fresh: options.fresh ?? false,
    codeKey: options.codeKey ?? 'files',
    ...(judgeModel === undefined ? {} : { judgeModel }),
    ...(judgeArgs === undefined ? {} : { judgeArgs }),
    ...(parity === undefined ? {} : { parity }),
    ...(limit === undefined ? {} : { limit }),
    ...(offset === undefined ? {} : { offset }),
    ...(subset === undefined ? {} : { subset }),
    ...(subsetSeed === undefined ? {} : { subsetSeed }),
    ...(samples === undefined ? {} : { samples }),
    ...(shard === undefined ? {} : { shard }),
    ...(numFewshot === undefined ? {} : { numFewshot }),
    ...(fewshotAsMultiturn === undefined ? {} : { fewshotAsMultiturn }),
    ...(fewshotSeed === undefined ? {} : { fewshotSeed }),
    ...(forceSimple === undefined ? {} : { forceSimple }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(maxConcurrency === undefined ? {} : { maxConcurrency }),
    ...(order === undefined ? {} : { order }),
    ...hedgeSettings(typeof hedge === 'string' ? hedgeIn(hedge) : hedge, undefined),
    ...(systemInstruction === undefined ? {} : { systemInstruction }),
    ...(repeats === undefined ? {} : { repeats }),
    ...(codeVersion === undefined ? {} : { codeVersion }),
    ...toolSettings(options, {}),
    ...batchSettings(options, {}),
    ...limitSettings({ ...limits, ...(maxTime === undefined ? {} : { maxTime: timeOf(maxTime) }) }, {}),
  }
}

const timeOf = (time: number | string): number => (typeof time === 'number' ? time : durationIn(time))

function hooksOf({ onEvent, onRun, drain, stop }: EvaluateOptions): Hooks {
  const never = new AbortController().signal
  return {
    emit: onEvent ?? (() => undefined),
    drain: drain ?? never,
    stop: stop ?? never,
    ...(onRun === undefined ? {} : { onRun }),
  }
}

type Judged = Pick<EvalOutcome, 'run'> & { readonly judgement?: Judgement }

async function* scoredDocsAt(dir: string, judged: Judged, task?: string): AsyncGenerator<ScoredDoc> {
  const store = await openStoreAt(dir, { access: 'read' })
  try {
    yield* scoredDocs(store, judged, task)
  } finally {
    await store.close()
  }
}

async function* scoredDocs(store: Store, { run, judgement }: Judged, task?: string): AsyncGenerator<ScoredDoc> {
  const names = run.asked.tasks.map(({ name }) => name)
  if (task !== undefined && !names.includes(task))
    throw new PipelineError('usage', `run ${run.name} has no task "${task}".${didYouMean(task, names)}`)
  for await (const { task: place, index, id, record, items, score } of store.samples(run, judgement)) {
    const name = names[place] ?? ''
    if (score === undefined || (task !== undefined && name !== task)) continue
    yield { task: name, index, id, record, answers: items.flatMap(({ response }) => response?.body ?? []), score }
  }
}
