import { PipelineError } from '../../base/errors.js'
import { didYouMean } from '../../base/suggest.js'
import { openStore as openStoreAt } from '../../cache/open.js'
import type { JudgeRecord, Judgement, ResponseBody, ScoreBody } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { surroundings } from '../config/eval-settings.js'
import { evaluateIn } from '../evaluation/evaluate.js'
import type { EvaluateOptions, OpenedStore } from './evaluate-options.js'
import { settingsOf } from './evaluate-settings.js'
import { checkOptions } from './options-check.js'
import { previewEvaluation, type Preview } from '../preview/preview.js'
import type { EvalOutcome, Hooks } from '../evaluation/settings.js'

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
  checkOptions(options)
  const given = await options.store
  const settings = settingsOf(options, placeOf(given))
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
export async function plan(options: EvaluateOptions): Promise<Preview> {
  checkOptions(options)
  return previewEvaluation(settingsOf(options, placeOf(await options.store)), hooksOf(options))
}

function placeOf(store: string | OpenedStore | undefined): string {
  if (store === undefined) return usualStore()
  const dir: unknown = typeof store === 'string' ? store : store.dir
  if (typeof dir === 'string') return dir
  throw new PipelineError('usage', 'options.store: expected a folder, or what openStore opened, given another object')
}

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
  for await (const { task: place, index, id, record, items, score } of store.judgements.samples(run, judgement)) {
    const name = names[place] ?? ''
    if (score === undefined || (task !== undefined && name !== task)) continue
    yield { task: name, index, id, record, answers: items.flatMap(({ response }) => response?.body ?? []), score }
  }
}
