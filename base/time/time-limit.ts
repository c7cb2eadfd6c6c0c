/**
 * Ends synchronous code of users that does not end by itself, and says to a watching thread what this thread is doing.
 *
 * A loop can't be interrupted from its own thread. `node:vm` starts a timer in a thread of its own and ends the code that it was
 * given, also within a regular expression. That costs about 0.1 ms, so that the judge runs many docs in one such call.
 */
import { Script } from 'node:vm'

/** Thrown in place of the result of code that was ended. Its message names the code, the limit and what to do. */
export class TimeLimitError extends Error {}

/** Milliseconds that one doc's code may take; `PIPELINE_CODE_TIMEOUT` sets it. */
let limit = 30_000

export function setTimeLimit(seconds: number): void {
  limit = Math.ceil(seconds * 1000)
}

/** Learns which code runs. A thread that sees it can tell, and this one can't while it is busy. */
export interface Watcher {
  began(place: string): void
  ended(): void
}

let watcher: Watcher | undefined

export function watchCode(by: Watcher | undefined): void {
  watcher = by
}

let doc: { readonly task: string; readonly id: string | number } | undefined

/** Says whose doc `work` is about, for whatever in it does not end. */
export function ofDoc<Result>(task: string, id: string | number, work: () => Result): Result {
  const before = doc
  doc = { task, id }
  try {
    return work()
  } finally {
    doc = before
  }
}

/** What runs now, from the outermost to the innermost. What was ended in the midst is still in it. */
let running: string[] = []

/** Says what `work` is, without a limit of its own: such as `process_docs`, which goes through all docs. */
export function watched<Result>(what: string, work: () => Result): Result {
  running.push(what)
  watcher?.began(placeOf(what))
  try {
    return work()
  } finally {
    running.pop()
    const outer = running.at(-1)
    if (outer === undefined) watcher?.ended()
    else watcher?.began(placeOf(outer))
  }
}

const placeOf = (what: string): string => (doc === undefined ? what : `${what} (task ${doc.task}, doc ${doc.id})`)

const key = Symbol.for('pipeline.limited')
const script = new Script(`globalThis[Symbol.for('pipeline.limited')]()`, { filename: 'time-limit' })
let isLimited = false

/**
 * Calls code that has a limit: a user's function, a pattern, or the work on a doc that calls them. Within code that has one
 * already it only says what runs. Of an async function the part before its first `await` is limited.
 *
 * @throws TimeLimitError where it does not end in time.
 */
export function limited<Result>(what: string, work: () => Result): Result {
  if (isLimited) return watched(what, work)
  // The first call starts the watching thread, whose start must not count against the limit.
  watcher?.began(placeOf(what))
  const outer = { running, doc }
  const results: Result[] = []
  running = []
  isLimited = true
  Reflect.set(globalThis, key, () => void results.push(watched(what, work)))
  try {
    script.runInThisContext({ timeout: limit, displayErrors: false })
  } catch (error) {
    if (!isTimeout(error)) throw error
    const inner = running.at(-1) ?? what
    watcher?.ended()
    throw new TimeLimitError(
      `${inner} did not end within ${limit / 1000} s. Mend it, or set PIPELINE_CODE_TIMEOUT to more seconds`,
      { cause: error },
    )
  } finally {
    isLimited = false
    ;({ running, doc } = outer)
  }
  const [result] = results
  return result as Result
}

type Callee = (...args: readonly unknown[]) => unknown
const originals = new WeakMap<Callee, Callee>()

/** A user's function with the limit. */
export function limitedFunction(name: string, callee: Callee): Callee {
  const call: Callee = (...args) => limited(name, () => callee(...args))
  originals.set(call, callee)
  return call
}

/** The function that {@link limitedFunction} was given; any other function itself. */
export const originalOf = (callee: Callee): Callee => originals.get(callee) ?? callee

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
