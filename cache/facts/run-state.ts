/**
 * Decides whether a run is complete. An item is *answered*, *failed* or pending. A failure is permanent, or it is
 * retried at the next start (`isPermanent` in records/failure.ts). The SQL for items is in sqlite/work/stored-rows.ts.
 */
import type { RunCounts } from '../store/work.js'

/** Tells whether every doc is read and every request has an answer or a failure. */
export const isSettled = ({ inputFinished, pending }: Pick<RunCounts, 'inputFinished' | 'pending'>): boolean =>
  inputFinished && pending === 0

/** Tells whether the run is settled and no item failed. */
export const isComplete = (counts: Pick<RunCounts, 'inputFinished' | 'pending' | 'failed'>): boolean =>
  isSettled(counts) && Object.keys(counts.failed).length === 0

/** Tells whether the next start has nothing to send. It retries open failures, and with `retryFailed` all failures. */
export const isAllAsked = (counts: RunCounts, { retryFailed }: { readonly retryFailed: boolean }): boolean =>
  isSettled(counts) && counts.open === 0 && (!retryFailed || isComplete(counts))

/** Tells whether the run can be sealed. Items that failed over the budget count as pending, as they were never sent. */
export const isSealable = (counts: Pick<RunCounts, 'inputFinished' | 'pending' | 'failed'>): boolean =>
  isSettled(counts) && counts.failed.budget === undefined
