import { digestBytes, digestOfBytes, type RunKey } from '../../digest.js'
import { runKey } from '../../keys.js'
import { isPermanent, type RunSpec, type FailureClass, type Run, type RunProvenance } from '../../records.js'
import { runName } from '../../run-name.js'
import type { Context, Read } from '../connection/context.js'
import { whileUnchanged } from '../connection/unchanged.js'
import { allTags, tagRun } from '../labels/tags.js'
import { isProgressSound } from '../rows.js'
import { internPreimage } from './interning.js'
import { isWorkedOnElsewhere, leaveRun, listWorkers } from './leases.js'
import { runProgress } from './run-progress.js'
import { failureOfItem } from './stored-rows.js'
import type { FailedItem, NamedPreimage, RunCounts, RunPage, RunQuery, RunStore } from '../../store.js'
import { checkedFailure } from '../../rows/answers.js'
import { type FailedRow, type RunRow, toFailedItem, toRun } from '../../rows/runs.js'
import { toText } from '../../rows/sums.js'

/** Opens the runs of an SQLite store. */
export const sqliteRuns = (context: Context, read: Read): RunStore => ({
  create: (asked, provenance, preimages) => createRun(context, { asked, provenance, preimages }),
  find: id => read(() => findRun(context, id)),
  names: () => read(() => runNames(context)),
  page: query => read(() => runPage(context, query)),
  list: () => read(() => listRuns(context)),
  newest: () => read(() => newestRun(context)),
  remove: run => removeRun(context, run),
  tags: () => read(() => allTags(context)),
  tag: (run, change) => tagRun(context, run, change),
  touch: run => touchRun(context, run),
  counts: run => read(() => counts(context, run)),
  progress: run => runProgress(context, read, run),
  workedOn: () => read(() => runsWorkedOn(context)),
  isWorkedOnElsewhere: run => read(() => isWorkedOnElsewhere(context, run)),
  workers: () => read(() => listWorkers(context)),
  leave: run => leaveRun(context, run),
})

/** Stores a run, or finds the one with the same id. */
async function createRun(
  context: Context,
  row: {
    readonly asked: RunSpec
    readonly provenance: RunProvenance
    readonly preimages: readonly NamedPreimage[]
    readonly createdAt?: number
  },
): Promise<{ run: Run; isNew: boolean }> {
  const { key } = runKey(row.asked)
  const asked = toText(row.asked)
  const provenance = toText(row.provenance)
  const isNew = await context.commit.add(() => {
    for (const preimage of row.preimages) internPreimage(context, preimage)
    const now = context.now()
    const made = context
      .sql(
        'INSERT OR IGNORE INTO run (key, name, asked, provenance, created, started, sum) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(digestBytes(key), runName(key), asked, provenance, row.createdAt ?? now, now, context.sum(asked, provenance))
    return made.changes === 1
  })
  const run = findRun(context, key)
  if (run === undefined) throw new Error('internal error: run vanished')
  return { run, isNew }
}

/** Finds a run by its id. */
export function findRun(context: Context, id: RunKey): Run | undefined {
  const row = context.sql<RunRow>('SELECT * FROM run WHERE key = ?').get(digestBytes(id))
  return row === undefined ? undefined : toRun(context, row)
}

/** Lists all runs of the store. */
const listRuns = (context: Context): readonly Run[] =>
  context
    .sql<RunRow>('SELECT * FROM run ORDER BY started, id')
    .all()
    .map(row => toRun(context, row))

/** Lists the runs that hold the requests to judge models on behalf of a run, in the order of their ids. */
export const listJudgeRuns = (context: Context, run: Run): readonly Run[] =>
  context
    .sql<RunRow>(
      "SELECT * FROM run WHERE CASE WHEN json_valid(asked) THEN json_extract(asked, '$.judge.of') = ? ELSE 0 END ORDER BY key",
    )
    .all(run.id)
    .map(row => toRun(context, row))

const runNames = (context: Context): readonly Pick<Run, 'id' | 'name'>[] =>
  context
    .sql<Pick<RunRow, 'name' | 'key'>>('SELECT name, key FROM run ORDER BY name, key')
    .all()
    .map(({ name, key }) => ({ id: digestOfBytes(key), name }))

function runPage(context: Context, { text = '', offset = 0, limit }: RunQuery): RunPage {
  const words = text.split(/\s+/).filter(word => word !== '')
  const isWanted = words.length === 0 ? 'TRUE' : words.map(() => "words LIKE ? ESCAPE '\\'").join(' AND ')
  const patterns = words.map(word => `%${word.replace(/[\\%_]/g, sign => `\\${sign}`)}%`)
  const total = context.sql<{ n: number }>(`SELECT count(*) AS n FROM run_list WHERE ${isWanted}`).get(...patterns)
  const rows = context
    .sql<RunRow>(
      `SELECT r.* FROM (SELECT started, run FROM run_list WHERE ${isWanted} ORDER BY started DESC, run DESC LIMIT ? OFFSET ?) l
         JOIN run r ON r.id = l.run ORDER BY l.started DESC, l.run DESC`,
    )
    .all(...patterns, limit, offset)
  return { runs: rows.map(row => toRun(context, row)), total: total?.n ?? 0 }
}

function newestRun(context: Context): Run | undefined {
  const row = context.sql<RunRow>('SELECT * FROM run ORDER BY started DESC, id DESC LIMIT 1').get()
  return row && toRun(context, row)
}

function runsWorkedOn(context: Context): readonly Run[] {
  const rows = context
    .sql<RunRow & { owner: number }>(
      'SELECT r.*, w.owner FROM working w JOIN run r ON r.id = w.run ORDER BY r.started, r.id',
    )
    .all()
  const runs = new Map<number, Run>()
  for (const row of rows)
    if (!runs.has(row.id) && context.owners.isAlive(row.owner)) runs.set(row.id, toRun(context, row))
  return [...runs.values()]
}

/** Sets a start time that is later than any other, since two starts may fall into one millisecond. */
const touchRun = (context: Context, run: Run): Promise<void> =>
  context.commit.add(() => {
    context
      .sql('UPDATE run SET started = max(?, (SELECT max(started) + 1 FROM run)) WHERE id = ?')
      .run(context.now(), run.ref)
  })

/** Deletes a run. Answers and scores stay, because they were paid for and other runs may share them. */
const removeRun = (context: Context, run: Run): Promise<void> =>
  context.commit.add(() => {
    context.sql('DELETE FROM run WHERE id = ?').run(run.ref)
  })

const failedSql = `
  SELECT u.task, u.doc, u.doc_id, u.choice, u.sample, f.*
  FROM (SELECT i.task, i.doc, i.doc_id, i.choice, i.sample, ${failureOfItem} AS failure
      FROM item i LEFT JOIN response s ON s.request = i.request WHERE i.run = ? AND s.seq IS NULL) u
    JOIN failure f ON f.id = u.failure`

/** Counts the docs and items of a run by state. */
export const counts = (context: Context, run: Run): RunCounts =>
  whileUnchanged(context, `counts ${run.ref}`, () => readCounts(context, run))

function readCounts(context: Context, run: Run): RunCounts {
  const items = count(context, 'SELECT count(*) AS n FROM item WHERE run = ?', run)
  const { unanswered, shared } = countUnanswered(context, run)
  const failed: Partial<Record<FailureClass, number>> = {}
  let known = 0
  let open = 0
  if (unanswered > 0) {
    for (const row of context.sql<FailedRow>(failedSql).iterate(run.ref)) {
      const failure = checkedFailure(context, row)
      failed[failure.class] = (failed[failure.class] ?? 0) + 1
      known += 1
      if (!isPermanent(failure)) open += 1
    }
  }
  const docsByTask = docCounts(context, run)
  return {
    docs: docsByTask.reduce((sum, docs) => sum + docs, 0),
    docsByTask,
    items,
    answered: items - unanswered,
    failed,
    open,
    pending: unanswered - known,
    shared,
    inputFinished:
      count(
        context,
        `SELECT count(*) AS n FROM input_progress p WHERE run = ? AND finished AND ${isProgressSound('p')}`,
        run,
      ) === run.asked.tasks.length,
  }
}

const countUnanswered = (context: Context, run: Run): { readonly unanswered: number; readonly shared: number } =>
  context
    .sql<{ unanswered: number; shared: number }>(
      `SELECT count(*) AS unanswered, count(i.request) - count(DISTINCT i.request) AS shared
       FROM item i LEFT JOIN response s ON s.request = i.request WHERE i.run = ? AND s.seq IS NULL`,
    )
    .get(run.ref) ?? { unanswered: 0, shared: 0 }

function docCounts(context: Context, run: Run): readonly number[] {
  const rows = context
    .sql<{ task: number; n: number }>('SELECT task, count(DISTINCT doc) AS n FROM item WHERE run = ? GROUP BY task')
    .all(run.ref)
  return run.asked.tasks.map((_, task) => rows.find(row => row.task === task)?.n ?? 0)
}

const count = (context: Context, sql: string, run: Run): number => context.sql<{ n: number }>(sql).get(run.ref)?.n ?? 0

/** Lists the items of a run that failed and have no answer, in the order of the run. */
export const failures = (context: Context, run: Run): readonly FailedItem[] =>
  context
    .sql<FailedRow>(`${failedSql} ORDER BY u.task, u.doc, u.choice, u.sample`)
    .all(run.ref)
    .map(row => toFailedItem(context, run, row))

export const lastFailure = (context: Context): number =>
  context.sql<{ last: number | null }>('SELECT max(id) AS last FROM failure').get()?.last ?? 0

export const nextSample = (context: Context): number =>
  (context.sql<{ highest: number | null }>('SELECT max(sample) AS highest FROM request').get()?.highest ?? -1) + 1
