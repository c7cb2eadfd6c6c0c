/**
 * When a run is done. An item is *answered* or *failed*, else pending; a failure is for good, or open until the next start
 * (`isPermanent` in records/failure.ts). SQL says the same of items in sqlite/work/stored-rows.ts.
 */
import type { RunCounts } from './store/work.js'

/** Every doc is read, and every request of it has an answer or a failure. */
export const isSettled = ({ inputFinished, pending }: Pick<RunCounts, 'inputFinished' | 'pending'>): boolean =>
  inputFinished && pending === 0

/** The run is settled, and no item failed. */
export const isComplete = (counts: Pick<RunCounts, 'inputFinished' | 'pending' | 'failed'>): boolean =>
  isSettled(counts) && Object.keys(counts.failed).length === 0

/** The next start has nothing to ask: open failures would be asked again, and with `retryFailed` all of them. */
export const isAllAsked = (counts: RunCounts, { retryFailed }: { readonly retryFailed: boolean }): boolean =>
  isSettled(counts) && counts.open === 0 && (!retryFailed || isComplete(counts))

/** The run can be sealed. A budget that ran out says nothing of a request: it is as good as pending. */
export const isSealable = (counts: Pick<RunCounts, 'inputFinished' | 'pending' | 'failed'>): boolean =>
  isSettled(counts) && counts.failed.budget === undefined
