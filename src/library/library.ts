import { PipelineError } from '../../base/errors/errors.js'
import { openStore as openStoreAt } from '../../cache/open.js'
import { fileBeingLoaded } from '../../cache/code/load-user-code.js'
import type { TaskValue } from '../../stages/input/tasks/task-value.js'
import { surroundings } from '../config/eval-settings.js'
import { evaluateIn } from '../evaluation/evaluate.js'
import type { EvaluateOptions, OpenedStore } from './evaluate-options.js'
import { settingsOf } from './evaluate-settings.js'
import { checkOptions } from './options-check.js'
import { previewEvaluation, type Preview } from '../preview/preview.js'
import { evaluatedRun, type EvaluatedRun } from './results.js'
import type { Hooks } from '../evaluation/settings.js'

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

/**
 * Evaluates a model on tasks: reads docs, asks for what the store has no answer to, scores. The same options are the same run.
 *
 * @throws PipelineError where something is wrong that a person can mend; what was answered until then is kept. Requests that
 * failed throw nothing: they are in `failures`.
 */
export async function evaluate<const Tasks extends readonly (string | TaskValue)[]>(
  options: EvaluateOptions<Tasks>,
): Promise<EvaluatedRun<Tasks>> {
  refuseWhileLoading('evaluate')
  checkOptions(options)
  const given = await options.store
  const settings = await settingsOf(options, placeOf(given))
  const parts = { hooks: hooksOf(options), ...(options.stages && { stages: options.stages }) }
  const isOpen = given !== undefined && typeof given !== 'string'
  const store = isOpen ? given : await openStore(given)
  try {
    const outcome = await evaluateIn(store, settings, parts)
    return evaluatedRun(outcome, { dir: settings.store, ...(isOpen && { given }) })
  } finally {
    if (!isOpen) await store.close()
  }
}

/** Asks the model and scores nothing: {@link evaluate} without its last stage. `judge` scores the answers later. */
export const infer = <const Tasks extends readonly (string | TaskValue)[]>(
  options: Omit<EvaluateOptions<Tasks>, 'stages'>,
): Promise<EvaluatedRun<Tasks>> => evaluate({ ...options, stages: { judge: false } })

/**
 * What {@link evaluate} would ask with these options, and what that will need: nothing is asked, and the store stays as it is.
 *
 * @throws PipelineError as `evaluate` would before it starts.
 */
export async function plan(options: EvaluateOptions): Promise<Preview> {
  refuseWhileLoading('plan')
  checkOptions(options)
  return previewEvaluation(await settingsOf(options, placeOf(await options.store)), hooksOf(options))
}

/** A task file that evaluates when it is loaded would never end being loaded. */
export function refuseWhileLoading(what: string): void {
  const file = fileBeingLoaded()
  if (file === undefined) return
  throw new PipelineError(
    'usage',
    `${file} calls ${what}() while its tasks are loaded from it. Move its tasks to a file of their own, and import them`,
  )
}

export function placeOf(store: string | OpenedStore | undefined): string {
  if (store === undefined) return usualStore()
  const dir: unknown = typeof store === 'string' ? store : store.dir
  if (typeof dir === 'string') return dir
  throw new PipelineError('usage', 'options.store: expected a folder, or what openStore opened, given another object')
}

/** What a program may give to follow and end a run. */
export type Following = Pick<EvaluateOptions, 'onEvent' | 'onRun' | 'signal' | 'drain' | 'stop'>

export function hooksOf({ onEvent, onRun, signal, drain, stop }: Following): Hooks {
  const never = new AbortController().signal
  const ends = [signal, stop].filter(one => one !== undefined)
  return {
    emit: onEvent ?? (() => undefined),
    drain: drain ?? never,
    stop: ends.length === 0 ? never : AbortSignal.any(ends),
    ...(onRun === undefined ? {} : { onRun }),
  }
}
