/** Functions of Python files as functions of this process. */
import { PythonError } from './python-error.js'
import type { FunctionReference, LoadedFunction } from './python-types.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { type AnswerAsk, type PythonHost, withAskers } from './python-runtime.js'

type Callee = (...args: readonly unknown[]) => unknown

/** A function or class of a Python file. */
export interface PythonFunction {
  readonly ref: FunctionReference
  /** `utils.doc_to_text`, for messages. */
  readonly name: string
  /** Its parameters. */
  readonly loaded: LoadedFunction
  readonly host: PythonHost
  /** Calls it. Calls of one turn are sent together. */
  call(args: readonly Json[], options: CallOptions): Promise<Json>
}

/** Options of one call of a Python function. */
export interface CallOptions {
  readonly kwargs?: Readonly<Record<string, Json>>
  /** The doc that the call is about, for messages. It must be unique among the calls under way. */
  readonly label: string
  readonly ask?: AnswerAsk
}

const functions = new WeakMap<Callee, PythonFunction>()
const values = new WeakMap<object, Map<PythonFunction, () => unknown>>()

/** Returns what lies behind a function of {@link pythonCallee}; `undefined` for any other function. */
export const findPythonFunction = (callee: unknown): PythonFunction | undefined =>
  typeof callee === 'function' ? functions.get(callee as Callee) : undefined

/** Keeps what a Python function gave for a doc, so that prompts can be made at once. */
export function keepValue(doc: object, called: PythonFunction, value: () => unknown): void {
  const kept = values.get(doc) ?? new Map<PythonFunction, () => unknown>()
  kept.set(called, value)
  values.set(doc, kept)
}

/**
 * Makes a Python function callable with a doc whose value was computed before ({@link keepValue}).
 *
 * @param host the workers that run it
 */
export function pythonCallee(ref: FunctionReference, host: PythonHost, loaded: LoadedFunction): Callee {
  const name = `${ref.module}.${ref.name}`
  const queue = new CallQueue(ref, host)
  const made: PythonFunction = { ref, name, loaded, host, call: (args, options) => queue.add(args, options) }
  const callee: Callee = doc => {
    const kept = typeof doc === 'object' && doc !== null ? values.get(doc)?.get(made) : undefined
    if (kept === undefined) throw new Error(`internal error: ${name} was not called for the doc`)
    return kept()
  }
  functions.set(callee, made)
  return callee
}

interface Waiting {
  readonly args: readonly Json[]
  readonly options: CallOptions
  readonly resolve: (value: Json) => void
  readonly reject: (error: unknown) => void
}

/** Sends the calls of one turn of the event loop as one batch. */
class CallQueue {
  readonly #ref: FunctionReference
  readonly #host: PythonHost
  #waiting: Waiting[] = []

  constructor(ref: FunctionReference, host: PythonHost) {
    this.#ref = ref
    this.#host = host
  }

  add(args: readonly Json[], options: CallOptions): Promise<Json> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ args, options, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => void this.#send())
    })
  }

  async #send(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    const calls = batch.map(({ options }) => options)
    const work = () =>
      this.#host.pool.call(
        this.#ref,
        batch.map(({ args, options: { kwargs } }) => ({ args, ...(kwargs && { kwargs }) })),
        calls.map(({ label }) => label),
      )
    try {
      const results = await withAskers(this.#host, calls, work)
      for (const [at, { resolve, reject }] of batch.entries()) {
        const result = results[at]
        if (result === undefined) reject(new Error('internal error: a call has no result'))
        else if ('ok' in result) resolve(result.ok)
        else reject(new PythonError(result.error))
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }
}
