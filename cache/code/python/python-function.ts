/** Makes functions of Python files callable from TypeScript. */
import { PythonError } from './python-error.js'
import type { FunctionReference, LoadedFunction } from './python-types.js'
import type { Json } from '../../../base/values/canonical-json.js'
import { type AnswerAsk, type PythonHost, withAskers } from './python-runtime.js'

type Callee = (...args: readonly unknown[]) => unknown

/** A function or class of a Python file. */
export interface PythonFunction {
  readonly ref: FunctionReference
  /** The name for messages, such as `utils.doc_to_text`. */
  readonly name: string
  /** The function's signature. */
  readonly loaded: LoadedFunction
  readonly host: PythonHost
  /** Calls the function. Calls made in one turn of the event loop are sent together. */
  call(args: readonly Json[], options: CallOptions): Promise<Json>
}

/** Options of one call of a Python function. */
export interface CallOptions {
  readonly kwargs?: Readonly<Record<string, Json>>
  /** The doc that the call is about, for messages. Calls in flight must have different labels. */
  readonly label: string
  readonly ask?: AnswerAsk
}

const functions = new WeakMap<Callee, PythonFunction>()
const values = new WeakMap<object, Map<PythonFunction, () => unknown>>()

/** Returns the Python function that a {@link pythonCallee} wraps, or `undefined` for any other function. */
export const findPythonFunction = (callee: unknown): PythonFunction | undefined =>
  typeof callee === 'function' ? functions.get(callee as Callee) : undefined

/** Stores the value that a Python function returned for a doc. Rendering reads it synchronously. */
export function keepValue(doc: object, called: PythonFunction, value: () => unknown): void {
  const valuesByFunction = values.get(doc) ?? new Map<PythonFunction, () => unknown>()
  valuesByFunction.set(called, value)
  values.set(doc, valuesByFunction)
}

/**
 * Makes a synchronous function that returns a doc's stored value (see {@link keepValue}).
 *
 * @param host the workers that run it
 */
export function pythonCallee(ref: FunctionReference, host: PythonHost, loaded: LoadedFunction): Callee {
  const name = `${ref.module}.${ref.name}`
  const queue = new CallQueue(ref, host)
  const pythonFunction: PythonFunction = { ref, name, loaded, host, call: (args, options) => queue.add(args, options) }
  const callee: Callee = doc => {
    const readValue = typeof doc === 'object' && doc !== null ? values.get(doc)?.get(pythonFunction) : undefined
    if (readValue === undefined) throw new Error(`internal error: ${name} was not called for the doc`)
    return readValue()
  }
  functions.set(callee, pythonFunction)
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
