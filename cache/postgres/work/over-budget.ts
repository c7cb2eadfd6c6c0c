import type { Failure, Run } from '../../records.js'
import type { Context } from '../connection/context.js'
import { livesSql } from '../connection/owners.js'
import { insertFailures } from './failures.js'
import { failureOfItem, isAnswered, isInBatch } from './item-sql.js'

/** The number of items that one transaction looks at. */
const chunk = 5_000

interface WaitingRow {
  readonly item: number
  readonly request: number
  readonly lives: boolean
}

// One failure applies to all items of the run with the same request. Requests in a batch are already at the provider.
const waitingSql = `
  SELECT i.id AS item, i.request, l.owner IS NOT NULL AND ${livesSql('l.owner')} AS lives
  FROM item i LEFT JOIN lease l ON l.request = i.request
  WHERE i.run = $1 AND i.id > $2 AND i.request IS NOT NULL
    AND NOT ${isAnswered} AND ${failureOfItem} IS NULL AND NOT ${isInBatch}
  ORDER BY i.id LIMIT $3`

/** Fails all pending requests of a run, except those that other living processes work on. @returns their number */
export async function failWaiting(context: Context, run: Run, failure: Failure): Promise<number> {
  const failed = new Set<number>()
  let after = 0
  for (;;) {
    const { waiting, requests } = await context.db.write(async query => {
      await context.owners.bury(query)
      const rows = await query<WaitingRow>(waitingSql, [run.ref, after, chunk])
      const first = new Map<number, number>()
      for (const { item, request, lives } of rows)
        if (!lives && !failed.has(request) && !first.has(request)) first.set(request, item)
      await insertFailures(
        context,
        query,
        [...first].map(([request, item]) => ({ run: run.ref, item, request, failure })),
      )
      return { waiting: rows, requests: [...first.keys()] }
    })
    for (const request of requests) failed.add(request)
    if (waiting.length < chunk) return failed.size
    after = waiting.at(-1)?.item ?? after
  }
}

/** Deletes the failures of requests that were over the budget, since the next budget may allow them. */
export const reopenOverBudget = ({ db }: Context, run: Run): Promise<void> =>
  db.write(async query => {
    await query("DELETE FROM failure WHERE run = $1 AND class = 'budget'", [run.ref])
  })
