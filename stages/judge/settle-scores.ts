import type { ScoreBody } from '../../cache/records.js'
import { type Emit, tellWait } from '../../cache/events.js'
import { waitOutside, WaitLimitError } from '../../base/time/outside-wait.js'
import { isUnwritable } from '../../cache/waiting-answers/unwritable.js'
import { Wake } from '../../base/time/wake.js'

/** The times that the judge waits for scores. */
export interface Patience {
  /** When aborted, the current batch is finished and no other is started. */
  readonly drain: AbortSignal
  /** Returns whether calls of a judge model wait for their replies, which may take hours. */
  readonly isAsking?: () => boolean
  /** The time that scoring may wait for code that never answers, in milliseconds. */
  readonly patienceMs?: number
  readonly emit: Emit
}

const defaultPatienceMs = 600_000
/** The time that code may still take when the judge is drained. */
const graceMs = 2_000

/** The reason of a doc whose code never answered. */
export const neverAnswered = ({ patienceMs = defaultPatienceMs }: Patience): string =>
  `the code that scores it did not answer for ${patienceMs / 1_000} s: an async function of the task or of a plugin never ends`

/**
 * Waits for scores that users' async code computes. A promise that never settles cannot be ended. So waiting ends when for
 * some time nothing was scored and no judge model was asked, and soon after `drain` is aborted.
 *
 * @returns the scores; undefined for each that did not come
 */
export async function settleScores(
  bodies: readonly (ScoreBody | Promise<ScoreBody>)[],
  patience: Patience,
): Promise<readonly (ScoreBody | undefined)[]> {
  const scored = bodies.map(body => (body instanceof Promise ? undefined : body))
  const settled = new Wake()
  let waiting = 0
  let failure: { readonly thrown: unknown } | undefined
  bodies.forEach((body, at) => {
    if (!(body instanceof Promise)) return
    waiting += 1
    void body
      .then(
        value => (scored[at] = value),
        (thrown: unknown) => (failure ??= { thrown }),
      )
      .finally(() => {
        waiting -= 1
        settled.notify()
      })
  })
  // A store that cannot be written keeps the replies of judges in a file, so all of them are waited for.
  while (waiting > 0 && (await waitForScore(settled, patience)))
    if (failure !== undefined && !isUnwritable(failure.thrown)) throw failure.thrown
  if (failure !== undefined) throw failure.thrown
  return scored
}

/** Waits until one of the scores has come. @returns false if none comes any more */
async function waitForScore(settled: Wake, patience: Patience): Promise<boolean> {
  const { drain, emit, isAsking, patienceMs = defaultPatienceMs } = patience
  const limitMs = drain.aborted ? graceMs : patienceMs
  const what = 'code that scores docs'
  try {
    await waitOutside(() => settled.wait(Infinity), {
      what,
      limitMs,
      // A drained judge waits once more, and shortly.
      signal: drain.aborted ? undefined : drain,
      onSlow: forMs => {
        if (forMs === undefined || isAsking?.() !== true) tellWait(emit, what, limitMs)(forMs)
      },
    })
    return true
  } catch (error) {
    if (error instanceof WaitLimitError) return isAsking?.() === true
    if (drain.aborted) return true
    throw error
  }
}
