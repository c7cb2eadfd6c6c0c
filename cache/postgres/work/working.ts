/** Tells which processes work on which runs. */
import type { Run } from '../../records.js'
import type { Holder } from '../../store.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/database.js'

/** Notes that this process works on a run. Call inside a write transaction. */
export async function startWork({ owners }: Context, query: Query, run: Run): Promise<void> {
  await query('INSERT INTO working (run, owner) VALUES ($1, $2) ON CONFLICT DO NOTHING', [run.ref, owners.me])
}

/** Ends the work of this process on a run. */
export function leaveRun({ db, owners }: Context, run: Run): Promise<void> {
  return db.write(async query => {
    for (const table of ['input_lease', 'working'])
      await query(`DELETE FROM ${table} WHERE run = $1 AND owner = $2`, [run.ref, owners.registered ?? null])
  })
}

/** Returns the owners that are alive and work on the run. */
export async function findWorkers({ owners }: Context, query: Query, run: Run): Promise<readonly number[]> {
  const rows = await query<{ owner: number }>('SELECT owner FROM working WHERE run = $1', [run.ref])
  if (rows.length === 0) return []
  const alive = await owners.alive(query)
  return rows.flatMap(({ owner }) => (alive.has(owner) ? [owner] : []))
}

/** Describes the processes that work on a run: those that are alive, and those whose leases nobody took over. */
export async function describeWorkers({ owners }: Context, query: Query, run: Run): Promise<readonly Holder[]> {
  const rows = await query<{ owner: number; held: number }>(
    `SELECT w.owner, (SELECT count(*) FROM lease l WHERE l.owner = w.owner) AS held FROM working w WHERE w.run = $1`,
    [run.ref],
  )
  const alive = await owners.alive(query)
  const shown = rows.filter(({ owner, held }) => held > 0 || alive.has(owner))
  return owners.holders(query, new Map(shown.map(({ owner, held }) => [owner, held])))
}
