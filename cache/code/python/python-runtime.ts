/** Chooses the Python that runs the code of task folders, and keeps the pools of workers that are open for one plan. */
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
  /** Folders of task folders, which stand for the package `lmms_eval.tasks`. */
  readonly packages: readonly string[]
  /** The variables of the workers. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Answers what code of a task asks of the judge model while the doc with this label is scored. */
export type AnswerAsk = (request: Json) => Promise<Json>

/** The workers of one folder of Python code. */
export interface PythonHost {
  readonly pool: PythonPool
  /** A folder for media that go to and fro. It is removed when the process ends. */
  readonly exchange: string
  /** The folder of media of datasets from the Hub, which code of many tasks reads from `HF_HOME`. */
  readonly hubFolder: string
  /** The functions that answer questions asked during a call, by the call's label. */
  readonly askers: Map<string, AnswerAsk>
}

/** Runs the Python code of one plan. The plan owns it and must call close(). */
export class PythonRuntime {
  readonly #settings: PythonSettings
  readonly #hosts = new Map<string, PythonHost>()
  /** Folders that hold the files of stored code, by the digest of the code. */
  readonly #homes = new Map<string, string>()
  #isClosed = false

  constructor(settings: PythonSettings) {
    this.#settings = { ...settings, packages: settings.packages.map(path => resolve(path)) }
  }

  /** Returns the workers for the code of a folder. They are started when they are first asked something. */
  host(folder: string): PythonHost {
    const known = this.#hosts.get(folder)
    if (known !== undefined) return known
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

  /** The folders that stand for `lmms_eval.tasks`: the one that the folder lies in by its path, and those of the settings. */
  packagesOf(folder: string): readonly string[] {
    const parts = folder.split(sep)
    const at = parts.findLastIndex((part, index) => part === 'tasks' && parts[index - 1] === 'lmms_eval')
    const own = at < 0 ? [] : [parts.slice(0, at + 1).join(sep)]
    const given = this.#settings.packages.filter(root => folder === root || folder.startsWith(`${root}${sep}`))
    return [...new Set([...own, ...given])]
  }

  /** The folder that paths of stored code are relative to. */
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

/** Runs calls of a host during which their code may ask the judge model. A call without `ask` may not. */
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
