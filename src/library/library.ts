import { PipelineError } from '../../base/errors/errors.js'
import { programSpelling, spellReferences } from '../../base/errors/option-words.js'
import type { StageEvent } from '../../cache/events.js'
import { fileBeingLoaded } from '../../cache/code/load-user-code.js'
import type { TaskValue } from '../../stages/input/tasks/task-value.js'
import { evaluateIn } from '../evaluation/evaluate.js'
import { waitingBy } from '../evaluation/with-store.js'
import type { EvaluateOptions } from './options/evaluate-options.js'
import { checkEvaluateOptions } from './options/evaluate-fields.js'
import { previewEvaluation, type Preview } from '../preview/preview.js'
import { evaluatedRun, type EvaluatedRun } from './runs/results.js'
import { resolveStoreDir, withGivenStore } from './stores.js'
import type { Hooks, EvalSettings } from '../config/settings.js'
import { processEnvironment } from '../config/variables.js'
import { programSettings } from '../config/option.js'
import { plainOptions } from '../config/options.js'
import { valueSettings } from './values/value-settings.js'

/**
 * Evaluates a model on tasks: reads docs, sends requests without a stored answer, and scores answers. The same options continue the same run.
 *
 * @throws PipelineError for a mistake that a user can fix. Answers received before are kept. Failed requests do not throw; they are in `failures`.
 */
export async function evaluate<const Tasks extends readonly (string | TaskValue)[]>(
  options: EvaluateOptions<Tasks>,
): Promise<EvaluatedRun<Tasks>> {
  refuseWhileLoading('evaluate')
  checkEvaluateOptions(options)
  const givenStore = await options.store
  const settings = await makeEvalSettings(options, resolveStoreDir(givenStore))
  const hooks = makeHooks(options)
  const parts = { hooks, ...(options.stages && { stages: options.stages }) }
  const outcome = await withGivenStore(givenStore, { waiting: waitingBy(hooks) }, store =>
    evaluateIn(store, settings, parts),
  )
  const isOpen = givenStore !== undefined && typeof givenStore !== 'string'
  return evaluatedRun(outcome, { dir: settings.store, ...(isOpen && { given: givenStore }) })
}

/** Runs {@link evaluate} without scoring. `judge` scores the answers later. */
export const infer = <const Tasks extends readonly (string | TaskValue)[]>(
  options: Omit<EvaluateOptions<Tasks>, 'stages'>,
): Promise<EvaluatedRun<Tasks>> => evaluate({ ...options, stages: { judge: false } })

/**
 * Estimates what {@link evaluate} would send with these options. It sends nothing and does not change the store.
 *
 * @throws PipelineError for the mistakes that `evaluate` reports before it starts
 */
export async function plan(options: EvaluateOptions): Promise<Preview> {
  refuseWhileLoading('plan')
  checkEvaluateOptions(options)
  return previewEvaluation(await makeEvalSettings(options, resolveStoreDir(await options.store)), makeHooks(options))
}

/** Rejects an evaluation that a task file starts while it is being loaded. The file would never finish loading. */
export function refuseWhileLoading(what: string): void {
  const file = fileBeingLoaded()
  if (file === undefined) return
  throw new PipelineError(
    'usage',
    `${file} calls ${what}() while its tasks are loaded from it. Move its tasks to a file of their own, and import them`,
  )
}

/** Spells references to options in a note as the library names them. */
const spelledEvent = (event: StageEvent): StageEvent =>
  event.type === 'note' ? { ...event, text: spellReferences(event.text, programSpelling) } : event

/** Options to follow and stop a run. */
export type Following = Pick<EvaluateOptions, 'onEvent' | 'onRun' | 'signal' | 'drain' | 'stop'>

/** Makes the hooks of an evaluation from a program's callbacks and signals. */
export function makeHooks({ onEvent, onRun, signal, drain, stop }: Following): Hooks {
  const never = new AbortController().signal
  const ends = [signal, stop].filter(abortSignal => abortSignal !== undefined)
  return {
    emit: event => onEvent?.(spelledEvent(event)),
    drain: drain ?? never,
    stop: ends.length === 0 ? never : AbortSignal.any(ends),
    ...(onRun === undefined ? {} : { onRun }),
  }
}

/** Converts checked {@link EvaluateOptions} to the settings of an evaluation. */
async function makeEvalSettings(options: EvaluateOptions, store: string): Promise<EvalSettings> {
  return {
    store,
    env: processEnvironment(),
    includePaths: options.includePaths ?? [],
    plugins: options.plugins ?? [],
    genKwargs: options.genKwargs ?? {},
    retryFailed: false,
    newRun: false,
    fresh: false,
    codeKey: 'revision',
    ...programSettings(plainOptions, options),
    ...(await valueSettings(options)),
  }
}
