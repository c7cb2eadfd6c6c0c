/** Waits for something outside the program, such as a server, a user's function or another process. */
export interface OutsideWait {
  /** The awaited event, for messages: `the answer of https://example.org/a.png`. */
  readonly what: string
  /** The longest wait in milliseconds. @default no limit */
  readonly limitMs?: number
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined
  /** Called every few seconds while a wait is long, with its time so far, and once with `undefined` when it has ended. */
  readonly onSlow?: ((forMs: number | undefined) => void) | undefined
  /** False if a process with nothing else to do may end during the wait, since nothing can end it then. @default true */
  readonly keepsProcess?: boolean
}

/** A wait took longer than its limit. */
export class WaitLimitError extends Error {
  override readonly name = 'WaitLimitError'
}

/** A wait is reported after this time, and again after each further one. */
const slowMs = 5_000

/**
 * Waits for `work` with a time limit and a signal. A promise that never settles is abandoned. `work` gets a signal that is aborted at the same
 * moment, so that it can clean up.
 *
 * @throws WaitLimitError after `limitMs`, and the reason of `signal` when it is aborted
 */
export async function waitOutside<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  { what, limitMs = Infinity, signal, onSlow, keepsProcess = true }: OutsideWait,
): Promise<Value> {
  signal?.throwIfAborted()
  const ended = new AbortController()
  const startedAt = performance.now()
  let reports = 0
  const teller = setInterval(() => {
    reports += 1
    onSlow?.(performance.now() - startedAt)
  }, slowMs)
  if (!keepsProcess) teller.unref()
  const limit = Number.isFinite(limitMs)
    ? setTimeout(() => ended.abort(new WaitLimitError(`${what} took longer than ${limitMs / 1_000} s`)), limitMs)
    : undefined
  const onAbort = (): void => ended.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  try {
    return await new Promise<Value>((resolve, reject) => {
      ended.signal.addEventListener('abort', () => reject(ended.signal.reason as Error), { once: true })
      work(ended.signal).then(resolve, reject)
    })
  } finally {
    signal?.removeEventListener('abort', onAbort)
    clearInterval(teller)
    clearTimeout(limit)
    if (reports > 0) onSlow?.(undefined)
  }
}

/**
 * Yields what `source` yields until `signal` is aborted, also while `source` is silent.
 *
 * @throws the reason of the signal. A source that is silent then is left behind, since it cannot be ended.
 */
export async function* untilAborted<Value>(
  source: AsyncIterable<Value>,
  wait: OutsideWait,
): AsyncGenerator<Value, void, undefined> {
  const values = source[Symbol.asyncIterator]()
  // A source that has ended or is left behind is not closed.
  const reading = { isOpen: true }
  const next = (): Promise<IteratorResult<Value>> =>
    waitOutside(() => values.next(), wait).catch((error: unknown) => {
      reading.isOpen = false
      throw error
    })
  try {
    for (let step = await next(); step.done !== true; step = await next()) yield step.value
    reading.isOpen = false
  } finally {
    if (reading.isOpen) await values.return?.()
  }
}
