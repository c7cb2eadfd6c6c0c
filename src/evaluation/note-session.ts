import type { Run } from '../../cache/records.js'
import { explainedError } from '../../cache/open.js'
import type { Store } from '../../cache/store.js'
import { isSealable } from '../../cache/facts/run-state.js'
import { beginSession, endSession, type StopReason } from '../reading/runs/session-end.js'
import type { EvalOutcome, Stages } from '../config/settings.js'
import { interruption, reasonOfError, reasonOfOutcome, type EndedSession } from './stopping/why-stopped.js'

/** Marks the beginning of a session's work. */
export interface NotedSession {
  /** Notes in the store that work begins. A session that finds nothing to do does not call it. */
  readonly begin: () => Promise<void>
  readonly onFailed: (stage: keyof Stages) => void
  /** Ends the session's work on the run before its end. */
  readonly leave: () => Promise<void>
}

/**
 * Runs the work of a session. If the run is not complete then, it stores why the session ended. A session that only judges keeps the reason why
 * requests are left.
 */
export async function noteSession(
  { store, run, ...parts }: EndedSession & { readonly store: Store; readonly run: Run },
  work: (session: NotedSession) => Promise<EvalOutcome>,
): Promise<EvalOutcome> {
  let failed: keyof Stages | undefined
  const areRequestsLeft = async (): Promise<boolean> => !isSealable(await store.runs.counts(run))
  const isKept = !parts.stages.input && !parts.stages.model && (await areRequestsLeft())
  // A full disk cannot store the reason either. The session's own error names the full disk.
  const note = async (reason: StopReason | undefined): Promise<void> => {
    if (!isKept || !(await areRequestsLeft())) await endSession(store, run, reason).catch(() => undefined)
  }
  const { drain } = parts.hooks
  // A process that gets SIGTERM is often killed soon after.
  const noteInterruption = (): void => void note(interruption(parts.hooks, parts.hide))
  const leave = countSession(store, run)
  const session: NotedSession = {
    begin: async () => {
      if (isKept) return
      await beginSession(store, run)
      drain.addEventListener('abort', noteInterruption, { once: true })
    },
    onFailed: stage => (failed ??= stage),
    leave,
  }
  try {
    const outcome = await work(session)
    await note(reasonOfOutcome(outcome, parts))
    return outcome
  } catch (error) {
    await note(reasonOfError(await explainedError(store.location, error), { ...parts, isOfInput: failed === 'input' }))
    throw error
  } finally {
    drain.removeEventListener('abort', noteInterruption)
    await leave()
  }
}

/** The sessions of this process by store and run. A program may evaluate one run twice at the same time. */
const sessions = new WeakMap<Store, Map<number, number>>()

/** @returns ends the session, once. The last one of a run leaves the run. */
function countSession(store: Store, run: Run): () => Promise<void> {
  const counts = sessions.get(store) ?? new Map<number, number>()
  sessions.set(store, counts)
  counts.set(run.ref, (counts.get(run.ref) ?? 0) + 1)
  let hasLeft = false
  return async () => {
    if (hasLeft) return
    hasLeft = true
    const count = (counts.get(run.ref) ?? 1) - 1
    counts.set(run.ref, count)
    // If the store is not writable, closing it leaves the run, too.
    if (count === 0) await store.runs.leave(run).catch(() => undefined)
  }
}
