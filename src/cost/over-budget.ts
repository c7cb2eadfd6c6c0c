import type { Wake } from '../../base/time/wake.js'
import { storedText } from '../../base/errors/option-words.js'
import type { Run } from '../../cache/records.js'
import type { RunCounts, Store } from '../../cache/store.js'
import type { Hooks } from '../config/settings.js'
import type { Spending } from './spending.js'

/** Milliseconds between two checks whether all docs are read. */
const pollMs = 200

/**
 * Marks all unsent requests as failed with class `budget` after a limit was reached and all docs were read. The next start sends them. If the work stopped
 * for another reason, they stay pending.
 */
export async function failOverBudget(
  {
    store,
    run,
    spending,
    hooks,
  }: { readonly store: Store; readonly run: Run; readonly spending: Spending; readonly hooks: Pick<Hooks, 'emit'> },
  flow: {
    readonly docs: Wake
    readonly drain: AbortSignal
    readonly upstreamFinished: () => Promise<boolean>
  },
): Promise<void> {
  const { stopped } = spending
  if (stopped?.why !== 'budget') return
  // With a stop condition, the scores that would decide about the rest do not come.
  if (run.asked.selection.stop_when === undefined && !(await flow.upstreamFinished()))
    hooks.emit({ type: 'note', text: `${stopped.message}; docs are still read, to count the rest` })
  while (!flow.drain.aborted && !(await flow.upstreamFinished())) await flow.docs.wait(pollMs)
  if (flow.drain.aborted) return
  await store.requests.failWaiting(run, { class: 'budget', message: storedText(stopped.message), attempts: 0 })
}

/** Reopens the requests that were over the budget of an earlier command. @returns the counts afterwards */
export async function reopenOverBudget(store: Store, run: Run, counts: RunCounts): Promise<RunCounts> {
  if (counts.failed.budget === undefined) return counts
  await store.requests.reopenOverBudget(run)
  return store.runs.counts(run)
}
