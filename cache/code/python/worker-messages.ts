import { availableParallelism } from 'node:os'
import { messageOf } from '../../../base/errors/errors.js'
import type { Json } from '../../../base/values/canonical-json.js'
import type { PythonErrorData } from './python-error.js'
import type { PythonOptions } from './python-types.js'

/** A line of a Python process. */
export type FromWorker =
  | { readonly ready: { readonly python: string; readonly executable: string; readonly pid: number } }
  | { readonly ask: number; readonly id: number; readonly call: number; readonly kind: string; readonly request: Json }
  | { readonly id: number; readonly part: number; readonly ok: Json }
  | { readonly id: number; readonly at: number }
  | { readonly id: number; readonly ok: Json }
  | { readonly id: number; readonly error: PythonErrorData }

/** One message to a process, and who waits for its answer. */
export interface Job {
  readonly op: string
  readonly message: Readonly<Record<string, Json | undefined>>
  /** Maximum time until the next line of this job, in seconds. */
  readonly seconds: number
  /** Maximum time until the first line, which includes the import of users' modules. @default the time for later lines */
  readonly firstSeconds?: number
  label(call: number): string
  /** Receives a result of a batch. */
  onPart(index: number, result: Json): void
  onDone(value: Json): void
  onError(error: PythonErrorData): void
  /** Called if the process is gone. `began`: the job was running, not only waiting. `error`: the cause. */
  onLost(error: PythonErrorData, began: boolean): void
}

/** The first message to each process. */
export const openMessage = (options: PythonOptions): Readonly<Record<string, Json | undefined>> => ({
  root: options.root,
  packages: options.packages ?? [],
  network: options.network ?? false,
  exchange: options.exchange,
  seconds: callSeconds(options),
  importSeconds: importSeconds(options),
  memory: options.memory,
  hub: options.hub,
})

/** The environment of a process. Equal seeds of hashes give sets an order that is the same each time. */
export const makeWorkerEnvironment = (options: PythonOptions): NodeJS.ProcessEnv => ({
  ...options.env,
  PYTHONHASHSEED: '0',
  PYTHONUNBUFFERED: '1',
  PYTHONDONTWRITEBYTECODE: '1',
})

/** The maximum number of processes. More than four hardly help, and each one imports all that the code needs. */
export const mostWorkers = ({ workers }: PythonOptions): number =>
  workers ?? Math.max(1, Math.min(4, availableParallelism() - 1))

export const callSeconds = (options: PythonOptions): number => options.seconds ?? 60
export const importSeconds = (options: PythonOptions): number => options.importSeconds ?? 300

/** Answers a request of users' code. A failure is sent as an answer. */
export async function answerTo(
  { kind, request }: { readonly kind: string; readonly request: Json },
  label: string,
  onAsk: PythonOptions['onAsk'],
): Promise<{ readonly ok: Json } | { readonly error: PythonErrorData }> {
  if (onAsk === undefined) {
    return { error: { type: 'JudgeError', message: `the task asks a ${kind} model, and none is configured` } }
  }
  try {
    return { ok: await onAsk({ kind, label, request }) }
  } catch (error) {
    return { error: { type: kind === 'judge' ? 'JudgeError' : 'AskError', message: messageOf(error) } }
  }
}
