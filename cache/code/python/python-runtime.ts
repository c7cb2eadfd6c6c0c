/** Which Python runs the code of task folders, and the pools of workers that are open in this process. */
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { PythonPool } from '../../../base/processes/python/python-pool.js'
import type { PythonAsk } from '../../../base/processes/python/python-types.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { codeRoot, isBuilt, projectRoot } from '../project-root.js'

export interface PythonSettings {
  /** The interpreter: a path or a command. */
  readonly python: string
  /** Whether code of tasks may use the network. */
  readonly allowsNetwork: boolean
  /** Seconds that one call may take. */
  readonly seconds: number
  /** Maximum address space of one process, in bytes. @default no limit */
  readonly memory?: number
  /** Folders of task folders, which stand for the package `lmms_eval.tasks`. */
  readonly packages: readonly string[]
}

let settings: PythonSettings = {
  python: process.env['PIPELINE_PYTHON'] ?? 'python3',
  allowsNetwork: false,
  seconds: 60,
  packages: [],
}

/** Changes settings for pools that are opened from now on. */
export function setPython(changes: Partial<PythonSettings>): void {
  settings = { ...settings, ...changes, packages: (changes.packages ?? settings.packages).map(path => resolve(path)) }
}

/** Answers what code of a task asks of the judge model while the doc with this label is scored. */
export type AnswerAsk = (request: Json) => Promise<Json>

/** The workers of one folder of Python code. */
export interface PythonHost {
  readonly pool: PythonPool
  /** A folder for media that go to and fro. It is removed when the process ends. */
  readonly exchange: string
  /** Who answers what is asked during a call, by the call's label. */
  readonly askers: Map<string, AnswerAsk>
}

const hosts = new Map<string, PythonHost>()

/** Returns the workers for the code of a folder. They are started when they are first asked something. */
export function pythonHost(folder: string): PythonHost {
  const packages = packagesOf(folder)
  const { python, allowsNetwork: network, seconds, memory } = settings
  const key = JSON.stringify([folder, packages, python, network, seconds, memory])
  const known = hosts.get(key)
  if (known !== undefined) return known
  const exchange = mkdtempSync(join(tmpdir(), 'pipeline-python-'))
  const askers = new Map<string, AnswerAsk>()
  const pool = new PythonPool({
    python,
    worker: workerFile(),
    packages,
    network,
    exchange,
    seconds,
    ...(memory !== undefined && { memory }),
    env: { HF_HOME: hubFolder() },
    onAsk: ask => answer(ask, askers),
  })
  if (hosts.size === 0) process.once('exit', removeExchanges)
  const host = { pool, exchange, askers }
  hosts.set(key, host)
  return host
}

function removeExchanges(): void {
  for (const { exchange } of hosts.values()) rmSync(exchange, { recursive: true, force: true })
}

/** Ends all workers of this process. */
export async function closePython(): Promise<void> {
  const open = [...hosts.values()]
  hosts.clear()
  process.off('exit', removeExchanges)
  for (const { pool, exchange } of open) {
    await pool.close()
    rmSync(exchange, { recursive: true, force: true })
  }
}

/** The folders that stand for `lmms_eval.tasks`: the one that the folder lies in by its path, and those that were given. */
export function packagesOf(folder: string): readonly string[] {
  const parts = folder.split(sep)
  const at = parts.findLastIndex((part, index) => part === 'tasks' && parts[index - 1] === 'lmms_eval')
  const own = at < 0 ? [] : [parts.slice(0, at + 1).join(sep)]
  const given = settings.packages.filter(root => folder === root || folder.startsWith(`${root}${sep}`))
  return [...new Set([...own, ...given])]
}

/** Where media of datasets from the Hub are. Code of many tasks reads the variable when it is loaded. */
export const hubFolder = (): string => process.env['HF_HOME'] ?? join(homedir(), '.cache', 'huggingface')

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

const workerFile = (): string => join(isBuilt ? codeRoot : projectRoot, 'src', 'python', 'worker.py')

/** The folder that paths of stored code are relative to. */
export const codeHome = (file: string): string => packagesOf(dirname(file))[0] ?? dirname(file)
