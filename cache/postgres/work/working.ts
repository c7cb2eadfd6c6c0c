/** Finds the processes that work on runs and jobs. */
import type { Run } from '../../records.js'
import type { WorkingProcess } from '../../store.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'

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

interface WorkerRow extends Omit<WorkingProcess, 'isHere' | 'isAlive'> {
  readonly id: number
}

const workersSql = `
  SELECT o.id, o.host, o.pid, o.answers, o.per_second AS "perSecond",
    greatest(0, floor(extract(epoch FROM clock_timestamp() - o.seen) * 1000))::bigint AS "silentMs",
    (SELECT count(*) FROM lease l WHERE l.owner = o.id) AS items,
    (SELECT coalesce(json_agg(w.run ORDER BY w.run), '[]') FROM working w WHERE w.owner = o.id) AS runs,
    (SELECT coalesce(json_agg(j.uuid ORDER BY j.id), '[]') FROM job j WHERE j.owner = o.id AND j.status = 'running') AS jobs
  FROM owner o WHERE o.id IN (SELECT owner FROM working UNION SELECT owner FROM job WHERE status = 'running') ORDER BY o.id`

/** Lists living processes that work on runs or jobs, and dead ones whose leases or jobs nobody has taken over. */
export async function listWorkers({ owners, host }: Context, query: Query): Promise<readonly WorkingProcess[]> {
  const rows = await query<WorkerRow>(workersSql)
  const alive = await owners.alive(query)
  return rows
    .map(({ id, ...row }) => ({ ...row, isHere: row.host === host, isAlive: alive.has(id) }))
    .filter(({ isAlive, items, jobs }) => isAlive || items > 0 || jobs.length > 0)
}
