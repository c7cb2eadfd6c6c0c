import type { Run } from '../../records.js'
import { pageStart, toCommittedRequest, type CommittedRow } from '../../rows/committed-requests.js'
import { keyedDocs } from '../../rows/keyed-docs.js'
import { DamagedRowError, sumOfProgress } from '../../rows/sums.js'
import type { CommittedRequest, DocStore, DraftDoc, Holder, InputProgress, UnsentRequests } from '../../store.js'
import { digestSql, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { livesSql } from '../connection/owners.js'
import { pages } from '../pages.js'
import { insertDocs, writeProgress } from './insert-docs.js'
import { startWork } from './working.js'

/** Opens the docs of a store on PostgreSQL. */
export const postgresDocs = (context: Context): DocStore => ({
  progress: (run, task) => context.db.read(query => inputProgress(context, query, run, task)),
  lease: (run, task) => leaseInput(context, run, task),
  commit: (run, task, docs, finished) => commitDocs(context, { run, task, docs, finished }),
  recommit: async (run, task, docs) => {
    await commitDocs(context, { run, task, docs, finished: false, isAgain: true })
  },
  indices: (run, task) =>
    context.db.read(async query => {
      const rows = await query<{ doc: number }>(
        'SELECT DISTINCT doc FROM item WHERE run = $1 AND task = $2 ORDER BY doc',
        [run.ref, task],
      )
      return rows.map(({ doc }) => doc)
    }),
  requests: (run, before, withTexts) => committedRequests(context, run, before, withTexts),
})

const committedSql = (text: string): string => `
  SELECT i.task, i.doc, i.choice, i.sample, ${digestSql('n.key')} AS input, ${digestSql('g.key')} AS config, r.sample AS draw, ${text} AS text
  FROM item i JOIN request r ON r.id = i.request JOIN instance n ON n.id = r.instance JOIN preimage g ON g.id = r.config
  WHERE i.run = $1 AND (i.task, i.doc, i.choice, i.sample) > ($2, $3, $4, $5) AND (i.task, i.doc) < ($6, $7)
  ORDER BY i.task, i.doc, i.choice, i.sample LIMIT 1000`

async function* committedRequests(
  { db }: Context,
  run: Run,
  before: { readonly task: number; readonly doc: number } = { task: run.asked.tasks.length, doc: 0 },
  withTexts = false,
): AsyncGenerator<readonly CommittedRequest[]> {
  const sql = committedSql(withTexts ? 'n.preimage' : 'NULL::text')
  const read = (last: CommittedRow | undefined): Promise<readonly CommittedRow[]> => {
    const { task, doc, choice, sample } = pageStart(last)
    return db.read(query => query(sql, [run.ref, task, doc, choice, sample, before.task, before.doc]))
  }
  for await (const rows of pages<CommittedRow>(read)) yield rows.map(toCommittedRequest)
}

/** Reads how far the input stage is with a task. @throws DamagedRowError if the row is damaged */
export async function inputProgress(context: Context, query: Query, run: Run, task: number): Promise<InputProgress> {
  const [row] = await query<{ docs: number; finished: number; sum: number }>(
    'SELECT docs, finished, sum FROM input_progress WHERE run = $1 AND task = $2',
    [run.ref, task],
  )
  if (row === undefined) return { docs: 0, finished: false }
  if (sumOfProgress(context, run.ref, task, row.docs, row.finished) !== row.sum)
    throw new DamagedRowError('input_progress', `task ${task} of run ${run.ref}`)
  return { docs: row.docs, finished: row.finished === 1 }
}

/** Leases the reading of a task's docs. @returns true, or the living process that holds the lease */
function leaseInput(context: Context, run: Run, task: number): Promise<true | Holder> {
  const { owners } = context
  return context.db.write(async query => {
    await owners.bury(query)
    await startWork(context, query, run)
    await query(
      `INSERT INTO input_lease AS l (run, task, owner) VALUES ($1, $2, $3)
       ON CONFLICT (run, task) DO UPDATE SET owner = excluded.owner WHERE NOT ${livesSql('l.owner')}`,
      [run.ref, task, owners.me],
    )
    const [row] = await query<{ owner: number }>('SELECT owner FROM input_lease WHERE run = $1 AND task = $2', [
      run.ref,
      task,
    ])
    if (row === undefined || row.owner === owners.me) return true
    const [holder] = await owners.holders(query, new Map([[row.owner, 0]]))
    return holder ?? true
  })
}

/** Writes docs as items of the run. Keys are computed before the transaction, to keep it short. */
async function commitDocs(
  context: Context,
  batch: {
    readonly run: Run
    readonly task: number
    readonly docs: readonly DraftDoc[]
    readonly finished: boolean
    /** True to replace items that have no request. */
    readonly isAgain?: boolean
  },
): Promise<UnsentRequests> {
  const { run, task, finished, isAgain = false } = batch
  const docs = keyedDocs(run, batch.docs)
  return context.db.write(async query => {
    if (isAgain)
      await query('DELETE FROM item WHERE run = $1 AND task = $2 AND doc = ANY($3) AND request IS NULL', [
        run.ref,
        task,
        docs.map(({ index }) => index),
      ])
    const unsent = await insertDocs(context, query, { run, task, docs })
    const last = docs.at(-1)?.index
    await writeProgress(context, query, { run: run.ref, task, docs: last === undefined ? 0 : last + 1, finished })
    return unsent
  })
}
