/** Applies a run's overrides of task keys. */
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { isWildcard, wildcard } from '../../../base/text/wildcard.js'
import type { TaskSource } from './finding/task-tree.js'

/** Keys of task files, by the name of the task or a pattern of names. */
export type KeyOverrides = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** Overrides keys of tasks. A name has precedence over a pattern. A relative path is resolved from the folder of the task's file. */
export function overrideKeys(sources: readonly TaskSource[], overrides: KeyOverrides): readonly TaskSource[] {
  const names = Object.keys(overrides)
  const exactFirst = [...names].sort((a, b) => Number(isWildcard(a)) - Number(isWildcard(b)))
  return sources.map(source => {
    const own = exactFirst
      .filter(name => matches(name, source))
      .map(name => makeLayer(name, overrides[name] ?? {}, source))
    return own.length === 0 ? source : { ...source, layers: [...own, ...source.layers] }
  })
}

const matches = (name: string, task: { readonly name: string }): boolean =>
  isWildcard(name) ? wildcard(name).test(task.name) : name === task.name

/** @throws PipelineError (usage) if a name or pattern matches none of the tasks */
export function refuseUnusedOverrides(overrides: KeyOverrides, tasks: readonly { readonly name: string }[]): void {
  const unused = Object.keys(overrides).filter(name => !tasks.some(task => matches(name, task)))
  if (unused.length === 0) return
  const names = tasks.map(task => task.name)
  throw new PipelineError(
    'usage',
    unused.map(name => `${option('override')}: no task of the run is called "${name}".${didYouMean(name, names)}`),
  )
}

function makeLayer(
  name: string,
  values: Readonly<Record<string, unknown>>,
  { layers }: TaskSource,
): TaskSource['layers'][number] {
  const base = layers.at(-1) ?? ''
  const locate = (path: readonly PropertyKey[]): string => [option('override'), [name, ...path].join('.')].join(' ')
  const file = typeof base === 'string' ? base : base.file
  return { file, values, problems: [], notes: [], at: locate, atKey: locate }
}
