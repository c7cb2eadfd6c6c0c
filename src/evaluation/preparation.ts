import { PipelineError } from '../../base/errors/errors.js'
import { waitOutside, WaitLimitError } from '../../base/time/outside-wait.js'
import { tellWait } from '../../cache/events.js'
import type { Hooks } from '../config/settings.js'
import type { Spending } from '../cost/spending.js'

/** The time that a step may take to end itself after the signal, in milliseconds. */
const graceMs = 2_000

export interface Preparation<Value> {
  /** The step, for messages: `the datasets of mme to open`. */
  readonly what: string
  readonly hooks: Pick<Hooks, 'emit' | 'drain' | 'stop'>
  /** The command's budget. @default no limit */
  readonly spending?: Pick<Spending, 'docsOver' | 'stopped'>
  /** Closes a value that arrives after the abort. */
  readonly discard?: (late: Value) => Promise<void>
}

/**
 * Waits for a step before the first request, such as the reading of tasks. A long wait is reported. An interruption and the end of the
 * command's time end the wait, even if code of a user never settles. Such code is left behind.
 *
 * @throws the reason of the interruption, or PipelineError (usage) if the time is over
 */
export async function awaitPreparation<Value>(
  work: () => Promise<Value>,
  { what, hooks, spending, discard }: Preparation<Value>,
): Promise<Value> {
  const signals = [hooks.drain, hooks.stop, ...(spending === undefined ? [] : [spending.docsOver])]
  const signal = AbortSignal.any(signals)
  const working = work()
  try {
    return await waitOutside(() => working, {
      ...{ what, signal, onSlow: tellWait(hooks.emit, what) },
      keepsProcess: false,
    })
  } catch (error) {
    if (!signal.aborted) throw error
    // Downloads stop at the same signal, and keep what they have.
    return await waitOutside(() => working, { what, limitMs: graceMs }).catch((late: unknown) => {
      if (!(late instanceof WaitLimitError)) throw late
      void working.then(discard, () => undefined)
      if (hooks.drain.aborted || hooks.stop.aborted) throw signal.reason as Error
      throw new PipelineError('usage', timeOver(spending?.stopped?.message ?? 'time is up', what))
    })
  }
}

const timeOver = (limit: string, what: string): string =>
  `${limit} while the command waited for ${what}. No request was sent. If a function of a task or plugin never ends, correct it; else give more time`
