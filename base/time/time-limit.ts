/**
 * Ends users' synchronous code after a time limit, and tells a watching thread which code runs.
 *
 * The limit is CPU time of this thread, so that a busy machine does not end code that a quiet one lets pass. Wall time
 * has a limit far above it.
 *
 * A loop cannot be interrupted from its own thread. `node:vm` starts a timer in another thread and ends the code, even within a regular expression.
 * That costs about 0.1 ms, so the judge scores many docs in one such call.
 */
import { Script } from 'node:vm'

/** Thrown if code exceeds the limit. The message names the code, the limit and what to do. */
export class TimeLimitError extends Error {}

/** Maximum milliseconds of CPU time of one doc's code, unless `PIPELINE_CODE_TIMEOUT` sets another limit for a plan. */
export const usualTimeLimit = 30_000

/** The wall time that code may take is at most this multiple of its limit. */
const mostWall = 20

/** Receives the name of the running code. A watching thread can report it while this thread is blocked. */
export interface Watcher {
  began(code: string): void
  ended(): void
}

let watcher: Watcher | undefined

export function watchCode(by: Watcher | undefined): void {
  watcher = by
}

/** The doc of the running code. */
export interface LimitedDoc {
  readonly task: string
  readonly id: string | number
  /** Maximum milliseconds of CPU time of its code. @default {@link usualTimeLimit} */
  readonly limit?: number | undefined
}

/** The doc of the synchronous code that runs now. */
let doc: LimitedDoc | undefined

/** Sets the doc that the synchronous `work` is about: for its time limit, and for messages about code that does not end. */
export function ofDoc<Result>(of: LimitedDoc, work: () => Result): Result {
  const before = doc
  doc = of
  try {
    return work()
  } finally {
    doc = before
  }
}

/** Returns the doc of the running code. */
export const currentDoc = (): LimitedDoc | undefined => doc

/** The names of running code, from the outermost to the innermost. Code that was ended is still in the list. */
let running: string[] = []

/** Names `work` for the watcher without a time limit, for code such as `process_docs`, which goes through all docs. */
export function callWatched<Result>(what: string, work: () => Result): Result {
  running.push(what)
  watcher?.began(describeCall(what))
  try {
    return work()
  } finally {
    running.pop()
    const outer = running.at(-1)
    if (outer === undefined) watcher?.ended()
    else watcher?.began(describeCall(outer))
  }
}

const describeCall = (what: string): string => (doc === undefined ? what : `${what} (task ${doc.task}, doc ${doc.id})`)

const key = Symbol.for('pipeline.limited')
const script = new Script(`globalThis[Symbol.for('pipeline.limited')]()`, { filename: 'time-limit' })
let isLimited = false

/**
 * Calls code with the time limit: a user's function, a pattern, or the work on a doc that calls them. Nested calls have no separate limit and only
 * set the code's name. For an async function, the limit applies to the part before its first `await`.
 *
 * The timer in `node:vm` knows only wall time, and ended code cannot go on. Code that was ended before it had its CPU time, because other processes had the
 * processors, is called again with more wall time. It must bear being called again from its beginning.
 *
 * @param limit maximum milliseconds of CPU time. @default the limit of the doc that the code is about
 * @throws TimeLimitError if the code exceeds the limit.
 */
export function callLimited<Result>(
  what: string,
  work: () => Result,
  limit: number = doc?.limit ?? usualTimeLimit,
): Result {
  if (isLimited) return callWatched(what, work)
  for (let wall = limit; ;) {
    const before = cpuTime()
    const outcome = callWithin(what, work, wall)
    if ('result' in outcome) return outcome.result
    const used = cpuTime() - before
    // The share of the processor that the code got decides how much wall time it needs.
    if (used >= 0.8 * limit || wall >= mostWall * limit)
      throw new TimeLimitError(
        `${outcome.inner} did not end within ${limit / 1000} s. Fix it, or set PIPELINE_CODE_TIMEOUT to more seconds`,
        { cause: outcome.error },
      )
    wall = Math.ceil(Math.min(mostWall * limit, wall * Math.max(2, (1.5 * limit) / Math.max(used, 1))))
  }
}

/** Milliseconds of CPU time of this thread; of the whole process before Node 23.9, which cannot tell. */
function cpuTime(): number {
  const node: Partial<Pick<NodeJS.Process, 'threadCpuUsage'>> = process
  const { user, system } = node.threadCpuUsage?.() ?? process.cpuUsage()
  return (user + system) / 1000
}

type Outcome<Result> = { readonly result: Result } | { readonly inner: string; readonly error: unknown }

/** Calls code within so many milliseconds of wall time. If it does not end, the innermost code that ran is named. */
function callWithin<Result>(what: string, work: () => Result, wall: number): Outcome<Result> {
  // The first call starts the watching thread. Its start must not count towards the limit.
  watcher?.began(describeCall(what))
  const outer = { running, doc }
  const results: Result[] = []
  running = []
  isLimited = true
  Reflect.set(globalThis, key, () => void results.push(callWatched(what, work)))
  try {
    script.runInThisContext({ timeout: wall, displayErrors: false })
  } catch (error) {
    if (!isTimeout(error)) throw error
    const inner = running.at(-1) ?? what
    watcher?.ended()
    return { inner, error }
  } finally {
    isLimited = false
    ;({ running, doc } = outer)
  }
  const [result] = results
  return { result: result as Result }
}

type Callee = (...args: readonly unknown[]) => unknown
const originals = new WeakMap<Callee, Callee>()

/** Wraps a user's function with the time limit of its plan, in milliseconds. */
export function limitedFunction(name: string, callee: Callee, limit: number | undefined): Callee {
  const call: Callee = (...args) => callLimited(name, () => callee(...args), limit)
  originals.set(call, callee)
  return call
}

/** Returns the function that {@link limitedFunction} wrapped, or any other function unchanged. */
export const unwrapLimited = (callee: Callee): Callee => originals.get(callee) ?? callee

const isTimeout = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
