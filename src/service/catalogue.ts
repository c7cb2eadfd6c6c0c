/** The tasks and models that jobs can name. */
import { wildcard } from '../../base/text/wildcard.js'
import { codeFolder } from '../../cache/location.js'
import type { JsonObject } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import { builtinTasks, resolveTasks } from '../../stages/input/tasks/resolve-tasks.js'
import { indexFolders, type TaskIndex } from '../../stages/input/tasks/finding/task-index.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { describeArgs, type ArgumentDescription } from '../../stages/model/model-args.js'
import { findBackend, listBackends, type BackendSummary, type PluginBackend } from '../../stages/model/registry.js'
import { withRuntime } from '../evaluation/code-runtime.js'
import { dataAccess } from '../evaluation/data-access.js'
import type { Environment, PythonSettings } from '../config/settings.js'
import { addSummaries, findBenchmark, listNames, readTaskKeys, type ListedTask } from '../reading/tasks/listed-tasks.js'
import type { TaskKeys } from '../reading/tasks/task-summary.js'
import { loadPlugins } from '../model/plugins.js'

/** A name that `tasks` of a job takes. */
export interface TaskName {
  readonly name: string
  readonly kind: 'task' | 'group' | 'tag'
}

/** The description of a task, group or tag. */
export interface TaskInfo extends TaskName {
  /** The names of a group's or tag's members. */
  readonly members?: readonly string[]
  /** The keys of a task's YAML, resolved; functions by their names. */
  readonly config?: JsonObject
}

/** The description of a backend, with its request types and arguments. */
export interface ModelInfo extends BackendSummary {
  readonly accepts: readonly string[]
  readonly requests: readonly string[]
  readonly args: readonly ArgumentDescription[]
}

interface CatalogueIndex {
  readonly made: Promise<TaskIndex>
  readonly at: number
  /** The keys of all tasks, once a page has asked for them. */
  keys?: Promise<ReadonlyMap<string, TaskKeys>>
}

/** The time for which an index of the task folders is used, in milliseconds. Reading thousands of files takes a second. */
const freshMs = 30_000

/** Answers questions about tasks and models. Files that change are seen after half a minute. */
export class Catalogue {
  readonly #folders: {
    readonly includePaths: readonly string[]
    readonly plugins: readonly string[]
    readonly cacheDir: string
    readonly workFolder: string
  }
  readonly #env: Environment
  readonly #python: PythonSettings
  #index: CatalogueIndex | undefined
  #plugins: Promise<readonly PluginBackend[]> | undefined

  /** @param given.workFolder the store's work folder, which keeps compiled code and downloads */
  constructor(options: {
    readonly includePaths: readonly string[]
    readonly plugins: readonly string[]
    readonly python?: PythonSettings
    readonly workFolder: string
    readonly env: Environment
  }) {
    this.#env = options.env
    this.#python = options.python ?? {}
    const { includePaths, plugins, workFolder } = options
    this.#folders = { includePaths, plugins, workFolder, cacheDir: codeFolder(workFolder) }
  }

  /** @param query a name, with `*` for any characters */
  async tasks(query = '*'): Promise<readonly TaskName[]> {
    const { tasks, groups, tags } = await this.#tasks()
    const isMeant = wildcard(query)
    const taskNames = [
      ...[...tasks.keys()].map(name => ({ name, kind: 'task' }) as const),
      ...[...groups.keys()].map(name => ({ name, kind: 'group' }) as const),
      ...[...tags.keys()].map(name => ({ name, kind: 'tag' }) as const),
    ]
    return taskNames.filter(({ name }) => isMeant.test(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Lists all names with the facts of their task files. @param store holds the sizes that earlier runs left */
  async listed(store: Pick<Store, 'values'>): Promise<readonly ListedTask[]> {
    const index = await this.#tasks()
    const rows = listNames(index)
    const names = [...index.tasks.keys()]
    const keys =
      this.#index === undefined ? readTaskKeys(index, names) : (this.#index.keys ??= readTaskKeys(index, names))
    return addSummaries(rows, await keys, store)
  }

  /** Returns the benchmark that a task file belongs to. */
  findBenchmark(file: string): string | undefined {
    return findBenchmark(file, [builtinTasks, ...this.#folders.includePaths])
  }

  /** @param options.isFresh reads the folders again, unless they were read just now */
  async taskNames({ isFresh = false }: { readonly isFresh?: boolean } = {}): Promise<ReadonlySet<string>> {
    const { tasks, groups, tags } = await this.#tasks(isFresh ? 1000 : freshMs)
    return new Set([...tasks.keys(), ...groups.keys(), ...tags.keys()])
  }

  /** @returns undefined if the name is unknown */
  async task(name: string): Promise<TaskInfo | undefined> {
    const { tasks, groups, tags } = await this.#tasks()
    if (tasks.has(name)) return { name, kind: 'task', config: await this.#configOf(name) }
    const group = groups.get(name)
    if (group !== undefined) return { name, kind: 'group', members: group.members }
    const members = tags.get(name)
    return members === undefined ? undefined : { name, kind: 'tag', members }
  }

  /**
   * Loads a task with its paths and code for `use`, and closes the code's runtime afterwards. It downloads nothing.
   *
   * @returns undefined if the task is unknown
   */
  async withTask<Result>(name: string, use: (task: Task) => Promise<Result>): Promise<Result | undefined> {
    if (!(await this.#tasks()).tasks.has(name)) return undefined
    const { includePaths, cacheDir, workFolder } = this.#folders
    const emit = (): void => undefined
    const access = dataAccess(this.#env, { workFolder, emit, isOffline: true })
    return withRuntime({ ...this.#python, includePaths, env: this.#env }, async runtime => {
      const [task] = await resolveTasks([name], { includePaths, cacheDir, runtime, access, emit })
      return task && use(task)
    })
  }

  async models(): Promise<readonly BackendSummary[]> {
    return listBackends(await this.#backends())
  }

  /** Describes a model backend. @throws PipelineError that suggests the nearest name if it is unknown */
  async model(name: string): Promise<ModelInfo> {
    const plugins = await this.#backends()
    const backend = await findBackend(name, plugins)
    const summary = listBackends(plugins).find(({ id }) => id === backend.id)
    const { id, aliases = [], form = 'chat', accepts, requests } = backend
    const origin = summary?.origin ?? 'built-in'
    return { id, aliases, summary: backend.summary, form, origin, accepts, requests, args: describeArgs(backend) }
  }

  async #configOf(name: string): Promise<JsonObject> {
    const config = await this.withTask(name, task => Promise.resolve(task.config))
    return JSON.parse(JSON.stringify(config ?? {})) as JsonObject
  }

  #tasks(oldestMs = freshMs): Promise<TaskIndex> {
    const { includePaths, cacheDir } = this.#folders
    if (this.#index === undefined || performance.now() - this.#index.at > oldestMs) {
      const index = indexFolders([builtinTasks, ...includePaths], { cacheDir })
      this.#index = { made: index, at: performance.now() }
      index.catch(() => (this.#index = undefined))
    }
    return this.#index.made
  }

  #backends(): Promise<readonly PluginBackend[]> {
    const { plugins, cacheDir } = this.#folders
    this.#plugins ??= loadPlugins(plugins, { cacheDir }).then(({ backends }) => backends)
    return this.#plugins
  }
}
