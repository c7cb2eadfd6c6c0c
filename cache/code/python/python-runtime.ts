/** Opens and closes the Python worker pools of one plan, one pool for each task folder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { PythonPool } from './python-pool.js'
import type { PythonAsk } from './python-types.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { codeRoot, isBuilt, projectRoot } from '../project-root.js'

/** Settings of the Python processes that run users' code. */
export interface PythonSettings {
  /** The interpreter: a path or a command. */
  readonly python: string
  /** True if code of tasks may use the network. */
  readonly allowsNetwork: boolean
  /** Seconds that one call may take. */
  readonly seconds: number
  /** Maximum address space of one process, in bytes. @default no limit */
  readonly memory?: number
  /** Folders that can be imported as the package `lmms_eval.tasks`. */
  readonly packages: readonly string[]
  /** The environment variables of the workers. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Answers a request that a task's code sends to the judge model during scoring. */
export type AnswerAsk = (request: Json) => Promise<Json>

/** The workers of one folder of Python code. */
export interface PythonHost {
  readonly pool: PythonPool
  /** A temporary folder for media that are passed to Python or come back from Python. */
  readonly exchange: string
  /** The folder with media of Hub datasets. Many tasks read it through `HF_HOME`. */
  readonly hubFolder: string
  /** The functions that answer judge requests, by the label of the call that sends them. */
  readonly askers: Map<string, AnswerAsk>
}

/** Runs the Python code of one plan. The plan owns it and must call close(). */
export class PythonRuntime {
  readonly #settings: PythonSettings
  readonly #hosts = new Map<string, PythonHost>()
  /** Folders with the files of stored code, by the code's digest. */
  readonly #homes = new Map<string, string>()
  #isClosed = false

  constructor(settings: PythonSettings) {
    this.#settings = { ...settings, packages: settings.packages.map(path => resolve(path)) }
  }

  /** Returns the workers for the code of a folder. Processes start at the first call. */
  host(folder: string): PythonHost {
    const running = this.#hosts.get(folder)
    if (running !== undefined) return running
    if (this.#isClosed) throw new Error('internal error: Python code is called after its evaluation has ended')
    const { python, allowsNetwork: network, seconds, memory, env } = this.#settings
    const exchange = mkdtempSync(join(tmpdir(), 'pipeline-python-'))
    const askers = new Map<string, AnswerAsk>()
    const pool = new PythonPool({
      python,
      worker: workerFile(),
      packages: this.packagesOf(folder),
      network,
      exchange,
      seconds,
      ...(memory !== undefined && { memory }),
      env,
      onAsk: ask => answer(ask, askers),
    })
    if (this.#hosts.size === 0) process.once('exit', this.#removeExchanges)
    const host = { pool, exchange, hubFolder: env['HF_HOME'] ?? '', askers }
    this.#hosts.set(folder, host)
    return host
  }

  /** Returns the folders that can be imported as `lmms_eval.tasks`: the parent folder that the path implies, and those of the settings. */
  packagesOf(folder: string): readonly string[] {
    const parts = folder.split(sep)
    const at = parts.findLastIndex((part, index) => part === 'tasks' && parts[index - 1] === 'lmms_eval')
    const own = at < 0 ? [] : [parts.slice(0, at + 1).join(sep)]
    const matchingRoots = this.#settings.packages.filter(root => folder === root || folder.startsWith(`${root}${sep}`))
    return [...new Set([...own, ...matchingRoots])]
  }

  /** Returns the folder that paths of stored code are relative to. */
  codeHome(file: string): string {
    return this.packagesOf(dirname(file))[0] ?? dirname(file)
  }

  /** Remembers the folder that holds the files of stored code. */
  keepHome(digest: string, home: string): void {
    this.#homes.set(digest, home)
  }

  homeOf(digest: string): string | undefined {
    return this.#homes.get(digest)
  }

  /** Ends all workers. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#hosts.values()].map(({ pool }) => pool.close()))
    this.#removeExchanges()
    this.#hosts.clear()
    process.off('exit', this.#removeExchanges)
  }

  readonly #removeExchanges = (): void => {
    for (const { exchange } of this.#hosts.values()) rmSync(exchange, { recursive: true, force: true })
  }
}

/** Runs calls whose code may send requests to the judge model. A call without `ask` may not. */
export async function withAskers<T>(
  { askers }: Pick<PythonHost, 'askers'>,
  calls: readonly { readonly label: string; readonly ask?: AnswerAsk }[],
  work: () => Promise<T>,
): Promise<T> {
  for (const { label, ask } of calls) if (ask !== undefined) askers.set(label, ask)
  try {
    return await work()
  } finally {
    for (const { label } of calls) askers.delete(label)
  }
}

async function answer({ kind, label, request }: PythonAsk, askers: ReadonlyMap<string, AnswerAsk>): Promise<Json> {
  const asker = askers.get(label)
  if (kind !== 'judge' || asker === undefined)
    throw Object.assign(new Error('a judge model is asked where no answer of a model is scored'), {
      name: 'JudgeError',
    })
  return asker(request)
}

const workerFile = (): string => join(isBuilt ? codeRoot : projectRoot, 'src', 'python', 'worker', 'worker.py')
