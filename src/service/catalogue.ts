/** The tasks and models that jobs can name. */
import { dirname, join } from 'node:path'
import { wildcard } from '../../base/text/wildcard.js'
import type { JsonObject } from '../../cache/records.js'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'
import { indexFolders, type TaskIndex } from '../../stages/input/tasks/task-index.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { describeArgs, type ArgumentDescription } from '../../stages/model/model-args.js'
import { findBackend, listBackends, type BackendSummary, type PluginBackend } from '../../stages/model/registry.js'
import { dataAccess } from '../evaluation/data-access.js'
import { loadPlugins } from '../model/plugins.js'

/** A name that `tasks` of a job takes. */
export interface TaskName {
  readonly name: string
  readonly kind: 'task' | 'group' | 'tag'
}

export interface TaskInfo extends TaskName {
  /** The names of a group's or tag's members. */
  readonly members?: readonly string[]
  /** The keys of a task's YAML, resolved; functions by their names. */
  readonly config?: JsonObject
}

export interface ModelInfo extends BackendSummary {
  readonly accepts: readonly string[]
  readonly requests: readonly string[]
  readonly args: readonly ArgumentDescription[]
}

/** How long an index of the task folders is used, in milliseconds. Reading thousands of files takes a second. */
const freshMs = 30_000

/** Answers questions about tasks and models. Files that change are seen after half a minute. */
export class Catalogue {
  readonly #folders: {
    readonly includePaths: readonly string[]
    readonly plugins: readonly string[]
    readonly cacheDir: string
  }
  #index: { readonly made: Promise<TaskIndex>; readonly at: number } | undefined
  #plugins: Promise<readonly PluginBackend[]> | undefined

  /** @param store the folder of the store, which keeps compiled code */
  constructor(given: {
    readonly includePaths: readonly string[]
    readonly plugins: readonly string[]
    readonly store: string
  }) {
    this.#folders = { includePaths: given.includePaths, plugins: given.plugins, cacheDir: join(given.store, 'code') }
  }

  /** @param query a name, with `*` for any characters */
  async tasks(query = '*'): Promise<readonly TaskName[]> {
    const { tasks, groups, tags } = await this.#tasks()
    const isMeant = wildcard(query)
    const all = [
      ...[...tasks.keys()].map(name => ({ name, kind: 'task' }) as const),
      ...[...groups.keys()].map(name => ({ name, kind: 'group' }) as const),
      ...[...tags.keys()].map(name => ({ name, kind: 'tag' }) as const),
    ]
    return all.filter(({ name }) => isMeant.test(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** @returns undefined where there is no such name */
  async task(name: string): Promise<TaskInfo | undefined> {
    const { tasks, groups, tags } = await this.#tasks()
    if (tasks.has(name)) return { name, kind: 'task', config: await this.#configOf(name) }
    const group = groups.get(name)
    if (group !== undefined) return { name, kind: 'group', members: group.members }
    const members = tags.get(name)
    return members === undefined ? undefined : { name, kind: 'tag', members }
  }

  /** The task as it would be asked, with paths and code. Nothing is downloaded for it. */
  async resolved(name: string): Promise<Task | undefined> {
    if (!(await this.#tasks()).tasks.has(name)) return undefined
    const { includePaths, cacheDir } = this.#folders
    const emit = (): void => undefined
    const access = dataAccess(process.env, { storeDir: dirname(cacheDir), emit, isOffline: true })
    return (await resolveTasks([name], { includePaths, cacheDir, access, emit }))[0]
  }

  async models(): Promise<readonly BackendSummary[]> {
    return listBackends(await this.#backends())
  }

  /** @throws PipelineError that suggests the nearest name, where there is no such model */
  async model(name: string): Promise<ModelInfo> {
    const plugins = await this.#backends()
    const backend = await findBackend(name, plugins)
    const summary = listBackends(plugins).find(({ id }) => id === backend.id)
    const { id, aliases = [], form = 'chat', accepts, requests } = backend
    const origin = summary?.origin ?? 'built-in'
    return { id, aliases, summary: backend.summary, form, origin, accepts, requests, args: describeArgs(backend) }
  }

  async #configOf(name: string): Promise<JsonObject> {
    const { includePaths, cacheDir } = this.#folders
    const [task] = await resolveTasks([name], { includePaths, cacheDir, emit: () => undefined })
    return JSON.parse(JSON.stringify(task?.config ?? {})) as JsonObject
  }

  #tasks(): Promise<TaskIndex> {
    const { includePaths, cacheDir } = this.#folders
    if (this.#index === undefined || performance.now() - this.#index.at > freshMs) {
      const made = indexFolders([builtinTasks, ...includePaths], { cacheDir })
      this.#index = { made, at: performance.now() }
      made.catch(() => (this.#index = undefined))
    }
    return this.#index.made
  }

  #backends(): Promise<readonly PluginBackend[]> {
    const { plugins, cacheDir } = this.#folders
    this.#plugins ??= loadPlugins(plugins, { cacheDir }).then(({ backends }) => backends)
    return this.#plugins
  }
}
