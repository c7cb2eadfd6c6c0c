/** Tells which processes work on which runs. */
import type { Run } from '../../records.js'
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
