import { hexDigits, type RunKey } from '../../digest.js'
import { runKey } from '../../keys.js'
import { isPermanent, type FailureClass, type Run, type RunProvenance, type RunSpec } from '../../records.js'
import { checkedFailure } from '../../rows/answers.js'
import { toRun, type FailedRow, type RunRow } from '../../rows/runs.js'
import { toText } from '../../rows/sums.js'
import { runName } from '../../run-name.js'
import type { NamedPreimage, RunCounts, RunPage, RunQuery, RunStore } from '../../store.js'
import { nowSql, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { allTags, tagRun } from '../labels/tags.js'
import { fromFailureRow } from './failures.js'
import { internPreimages } from './interning.js'
import { failedSql } from './requests.js'
import { makeProgressReader } from './run-progress.js'
import { findWorkers, leaveRun, listWorkers } from './working.js'

/** Opens the runs of a store on PostgreSQL. */
export function postgresRuns(context: Context): RunStore {
  const { db, owners } = context
  return {
    create: (asked, provenance, preimages) => createRun(context, { asked, provenance, preimages }),
    find: id => db.read(query => findRun(context, query, id)),
    names: () =>
      db.read(async query =>
        (await query<RunRow>('SELECT name, key FROM run ORDER BY name, key')).map(({ name, key }) => ({
          id: `sha256:${key.toString('hex')}` as RunKey,
          name,
        })),
      ),
    page: wanted => db.read(query => readRunPage(context, query, wanted)),
    list: () => readRuns(context, 'ORDER BY started, id'),
    newest: async () => (await readRuns(context, 'ORDER BY started DESC, id DESC LIMIT 1'))[0],
    // Answers and scores stay, because they were paid for and other runs may share them.
    remove: run =>
      db.write(async query => {
        await query('DELETE FROM run WHERE id = $1', [run.ref])
      }),
    tags: () => db.read(query => allTags(context, query)),
    tag: (run, change) => tagRun(context, run, change),
    // The start is later than any other, since two starts may fall into one millisecond.
    touch: run =>
      db.write(async query => {
        await query(`UPDATE run SET started = greatest(${nowSql}, (SELECT max(started) + 1 FROM run)) WHERE id = $1`, [
          run.ref,
        ])
      }),
    counts: makeCounter(context),
    progress: makeProgressReader(context),
    workedOn: () => db.read(query => findRunsWorkedOn(context, query)),
    isWorkedOnElsewhere: run =>
      db.read(async query => (await findWorkers(context, query, run)).some(owner => owner !== owners.registered)),
    workers: () => db.read(query => listWorkers(context, query)),
    leave: run => leaveRun(context, run),
  }
}

interface NewRun {
  readonly asked: RunSpec
  readonly provenance: RunProvenance
  readonly preimages: readonly NamedPreimage[]
}

/** Stores a run, or finds the one with the same id. */
function createRun(context: Context, { asked, provenance, preimages }: NewRun): Promise<{ run: Run; isNew: boolean }> {
  return context.db.write(async query => {
    await internPreimages(query, preimages)
    const { id, isNew } = await insertRun(context, query, { asked, provenance })
    const run = await findRun(context, query, id)
    if (run === undefined) throw new Error('internal error: run vanished')
    return { run, isNew }
  })
}

/** Stores a run if it is missing. Call inside a write transaction. */
export async function insertRun(
  context: Context,
  query: Query,
  row: Pick<NewRun, 'asked' | 'provenance'> & { readonly createdAt?: number },
): Promise<{ readonly id: RunKey; readonly isNew: boolean }> {
  const { key } = runKey(row.asked)
  const [asked, provenance] = [toText(row.asked), toText(row.provenance)]
  const insertedRows = await query(
    `INSERT INTO run (key, name, asked, provenance, created, started, sum, words, listed)
     VALUES (decode($1, 'hex'), $2, $3, $4, coalesce($5::bigint, ${nowSql}), ${nowSql}, $6, $7, $8) ON CONFLICT (key) DO NOTHING RETURNING id`,
    [
      ...[hexDigits(key), runName(key), asked, provenance, row.createdAt ?? null, context.sum(asked, provenance)],
      ...[runWords(runName(key), row.asked), row.asked.judge === undefined && row.asked.rounds === undefined],
    ],
  )
  return { id: key, isNew: insertedRows.length > 0 }
}

/** The text that a search looks at. */
function runWords(name: string, { model, groups = [], tasks }: RunSpec): string {
  const args = Object.values(model.args).filter(value => typeof value === 'string')
  const words = [
    name,
    model.backend,
    ...args.map(arg => arg.slice(0, 200)),
    ...[...groups, ...tasks].map(entry => entry.name),
  ]
  return foldCase(words.join(' ')).replaceAll('\u0000', '')
}

/** Ignores the case of a-z. */
const foldCase = (text: string): string => text.replace(/[A-Z]/g, letter => letter.toLowerCase())

/** Finds a run by its id. */
export async function findRun(context: Context, query: Query, id: RunKey): Promise<Run | undefined> {
  const [row] = await query<RunRow>("SELECT * FROM run WHERE key = decode($1, 'hex')", [hexDigits(id)])
  return row && toRun(context, row)
}

const readRuns = (context: Context, order: string): Promise<readonly Run[]> =>
  context.db.read(async query => (await query<RunRow>(`SELECT * FROM run ${order}`)).map(row => toRun(context, row)))

/** Lists the runs that hold the requests to judge models on behalf of a run, in the order of their ids. */
export async function listJudgeRuns(context: Context, run: Run): Promise<readonly Run[]> {
  const rows = await context.db.read(query =>
    query<RunRow>('SELECT * FROM run WHERE NOT listed AND strpos(asked, $1) > 0 ORDER BY key', [run.id]),
  )
  return rows.map(row => toRun(context, row)).filter(({ asked }) => asked.judge?.of === run.id)
}

async function readRunPage(
  context: Context,
  query: Query,
  { text = '', offset = 0, limit }: RunQuery,
): Promise<RunPage> {
  const words = text.split(/\s+/).filter(word => word !== '')
  const isWanted = 'listed AND NOT EXISTS (SELECT 1 FROM unnest($1::text[]) u(word) WHERE strpos(words, u.word) = 0)'
  const [total] = await query<{ n: number }>(`SELECT count(*) AS n FROM run WHERE ${isWanted}`, [words.map(foldCase)])
  const rows = await query<RunRow>(
    `SELECT * FROM run WHERE ${isWanted} ORDER BY started DESC, id DESC LIMIT $2 OFFSET $3`,
    [words.map(foldCase), limit, offset],
  )
  return { runs: rows.map(row => toRun(context, row)), total: total?.n ?? 0 }
}

async function findRunsWorkedOn(context: Context, query: Query): Promise<readonly Run[]> {
  const alive = await context.owners.alive(query)
  const rows = await query<RunRow>(
    'SELECT * FROM run r WHERE EXISTS (SELECT 1 FROM working w WHERE w.run = r.id AND w.owner = ANY($1)) ORDER BY r.started, r.id',
    [[...alive]],
  )
  return rows.map(row => toRun(context, row))
}

/** Makes the function that counts runs. A count is remembered until a transaction writes anything, because counting a large run takes a second. */
function makeCounter(context: Context): (run: Run) => Promise<RunCounts> {
  const countsByRun = new Map<number, { readonly snapshot: string; readonly counts: RunCounts }>()
  return run =>
    context.db.snapshot(async query => {
      // Two equal snapshots see the same rows.
      const [row] = await query<{ snapshot: string }>('SELECT pg_current_snapshot()::text AS snapshot')
      const before = countsByRun.get(run.ref)
      if (before !== undefined && before.snapshot === row?.snapshot) return before.counts
      const counts = await readCounts(context, query, run)
      if (row !== undefined) countsByRun.set(run.ref, { snapshot: row.snapshot, counts })
      return counts
    })
}

/** Counts the docs and items of a run by state. */
export async function readCounts(context: Context, query: Query, run: Run): Promise<RunCounts> {
  const [row] = await query<{ items: number; answered: number; shared: number; finished: number }>(
    `SELECT count(*) AS items, count(s.seq) AS answered,
       count(i.request) FILTER (WHERE s.seq IS NULL) - count(DISTINCT i.request) FILTER (WHERE s.seq IS NULL) AS shared,
       (SELECT count(*) FROM input_progress p WHERE p.run = $1 AND p.finished = 1) AS finished
     FROM item i LEFT JOIN response s ON s.request = i.request WHERE i.run = $1`,
    [run.ref],
  )
  const { items = 0, answered = 0, shared = 0, finished = 0 } = row ?? {}
  const failed: Partial<Record<FailureClass, number>> = {}
  let failedItems = 0
  let open = 0
  for (const each of items === answered ? [] : await query<FailedRow>(failedSql, [run.ref])) {
    const failure = checkedFailure(context, fromFailureRow(each))
    failed[failure.class] = (failed[failure.class] ?? 0) + 1
    failedItems += 1
    if (!isPermanent(failure)) open += 1
  }
  const docs = await query<{ task: number; n: number }>(
    'SELECT task, count(DISTINCT doc) AS n FROM item WHERE run = $1 GROUP BY task',
    [run.ref],
  )
  const byTask = new Map(docs.map(({ task, n }) => [task, n]))
  const docsByTask = run.asked.tasks.map((_, task) => byTask.get(task) ?? 0)
  return {
    ...{ docs: docsByTask.reduce((sum, n) => sum + n, 0), docsByTask, items, answered, failed, open },
    pending: items - answered - failedItems,
    shared,
    inputFinished: finished === run.asked.tasks.length,
  }
}
