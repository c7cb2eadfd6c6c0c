import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Failure, Run } from '../../records.js'
import type { Context } from '../connection/context.js'
import { insertFailure } from './stored-rows.js'
import { failureOfItem, isAnswered, isInBatch } from './stored-rows.js'

/** The number of failures in one transaction. It is large enough to share an fsync, and small enough to let others write. */
const chunk = 5_000

interface WaitingRow {
  readonly item: number
  readonly request: number
  readonly owner: number | null
}

// One failure applies to all items of the run with the same request. Requests in a batch are already at the provider.
const waitingSql = `
  SELECT i.id AS item, i.request, l.owner FROM item i LEFT JOIN lease l ON l.request = i.request
  WHERE i.run = @run AND i.id > @after AND i.request IS NOT NULL
    AND NOT ${isAnswered} AND ${failureOfItem} IS NULL AND NOT ${isInBatch}
  ORDER BY i.id LIMIT @limit`

/** Fails all pending requests of a run, except those that other living processes work on. @returns their number */
export async function failWaiting(context: Context, run: Run, failure: Failure): Promise<number> {
  const failed = new Set<number>()
  const alive = new Map<number, boolean>()
  let after = 0
  for (;;) {
    const rows = await context.commit.add(() => {
      const found = context.sql<WaitingRow>(waitingSql).all({ run: run.ref, after, limit: chunk })
      for (const { item, request, owner } of found) {
        if (owner !== null && isAlive(context, owner, alive)) continue
        if (failed.has(request)) continue
        insertFailure(context, { run: run.ref, item, request, failure })
        failed.add(request)
      }
      return found
    })
    if (rows.length < chunk) return failed.size
    after = rows.at(-1)?.item ?? after
    await nextTurn()
  }
}

function isAlive(context: Context, owner: number, known: Map<number, boolean>): boolean {
  const alive = known.get(owner) ?? context.owners.isAlive(owner)
  known.set(owner, alive)
  return alive
}

/** Deletes the failures of requests that were over the budget, since the next budget may allow them. */
export const reopenOverBudget = (context: Context, run: Run): Promise<void> =>
  context.commit.add(() => {
    context.sql("DELETE FROM failure WHERE run = ? AND class = 'budget'").run(run.ref)
  })
