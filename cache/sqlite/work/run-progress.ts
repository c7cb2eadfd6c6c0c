import type { ResponseMeta, Run } from '../../records.js'
import type { RunProgress } from '../../store.js'
import type { Context, Read } from '../connection/context.js'
import type { SqliteDatabase } from '../connection/database.js'
import { uptime } from '../connection/owners.js'
import { isProgressSound } from '../rows.js'
import { isWorkedOn } from './leases.js'

/** Items per statement of the first count. A statement blocks the process, so each one stays below about 20 ms. */
const chunk = 20_000
/** A count that took longer, in milliseconds, is repeated after this many times its duration: it costs 1 % of the time. */
const longMs = 5
const pause = 100
/** Removed rows are noticed at the latest after this time in milliseconds. */
const recountMs = 600_000

/** A run's items and answers up to an item and a response. Later rows are added to it, so no row is read twice. */
interface Tally {
  readonly items: number
  readonly answered: number
  readonly lastItem: number
  readonly lastResponse: number
  /** The run's newest answer. 0 if there is none. */
  readonly newest: number
  readonly countedAt: number
}

/** A value that takes a while to count, and when it may be counted again. */
interface TimedCount<T> {
  readonly value: T
  readonly again: number
}

/** The counts of one run that this process remembers between two looks. */
interface Memory {
  tally?: Tally
  readonly kept: Map<string, TimedCount<number>>
  readonly failing: Map<'docs', TimedCount<FailedDocs>>
  /** The read in progress, which callers share. */
  looking?: Promise<RunProgress>
}

const memories = new WeakMap<SqliteDatabase, Map<number, Memory>>()

/**
 * Counts the progress of a run. The first call reads all items of the run in small parts. Later calls read only additions, so that a process can call
 * it every second for a run of a million requests.
 */
export function runProgress(context: Context, read: Read, run: Run): Promise<RunProgress> {
  const memory = ensureMemory(context, run)
  memory.looking ??= look(context, read, run, memory).finally(() => delete memory.looking)
  return memory.looking
}

function ensureMemory({ db }: Context, run: Run): Memory {
  let runs = memories.get(db)
  if (runs === undefined) memories.set(db, (runs = new Map<number, Memory>()))
  let memory = runs.get(run.ref)
  if (memory === undefined)
    runs.set(
      run.ref,
      (memory = { kept: new Map<string, TimedCount<number>>(), failing: new Map<'docs', TimedCount<FailedDocs>>() }),
    )
  return memory
}

async function look(context: Context, read: Read, run: Run, memory: Memory): Promise<RunProgress> {
  const parts = await read(() => readParts(context, run, memory))
  // A doc is scored when all of its requests are answered. If every other doc has a failed request, only these docs are checked.
  if (parts.inputFinished && parts.docs > 0 && memory.tally === undefined) {
    const failing = await read(() => readThrottled(memory.failing, 'docs', () => failedDocs(context, run)))
    if (parts.scored + failing.docs === parts.docs) {
      const items = await read(() => readThrottled(memory.kept, 'items', () => countItems(context, run)))
      const { unanswered } = failing
      const failed = unanswered === 0 ? 0 : await read(() => failedItems(context, run, memory))
      const newest = await read(() => newestOfLastItem(context, run))
      return { ...parts, items, answered: items - unanswered, failed, ...(await answeredAt(context, read, newest)) }
    }
  }
  const known = memory.tally
  const tally = known && (await read(() => extendTally(context, run, { memory, known })))
  memory.tally = tally ?? (await computeTally(context, read, run))
  const { items, answered, newest } = memory.tally
  const failed = items === answered ? 0 : await read(() => failedItems(context, run, memory))
  return { ...parts, items, answered, failed, ...(await answeredAt(context, read, newest)) }
}

type Parts = Omit<RunProgress, 'items' | 'answered' | 'failed' | 'lastAnswerAt'>

function readParts(context: Context, run: Run, memory: Memory): Parts {
  const input = context
    .sql<{ docs: number | null; finished: number }>(
      `SELECT sum(docs) AS docs, count(*) FILTER (WHERE finished) AS finished FROM input_progress p
       WHERE run = ? AND ${isProgressSound('p')}`,
    )
    .get(run.ref)
  const judgement = context
    .sql<{ id: number }>('SELECT id FROM judgement WHERE run = ? ORDER BY number DESC LIMIT 1')
    .get(run.ref)
  return {
    docs: input?.docs ?? 0,
    scored:
      judgement === undefined
        ? 0
        : readThrottled(memory.kept, `scored ${judgement.id}`, () => countScored(context, judgement.id)),
    inputFinished: input?.finished === run.asked.tasks.length,
    startedAt: context.sql<{ started: number }>('SELECT started FROM run WHERE id = ?').get(run.ref)?.started ?? 0,
    isWorkedOn: isWorkedOn(context, run),
  }
}

/** Returns a value of an earlier look, until it may be counted again. */
function readThrottled<N extends string, T>(values: Map<N, TimedCount<T>>, name: N, read: () => T): T {
  const known = values.get(name)
  const start = uptime()
  if (known !== undefined && start < known.again) return known.value
  const value = read()
  const end = uptime()
  values.set(name, { value, again: end - start > longMs ? end + pause * (end - start) : end })
  return value
}

const countItems = (context: Context, run: Run): number =>
  context.sql<{ n: number }>('SELECT count(*) AS n FROM item WHERE run = ?').get(run.ref)?.n ?? 0

const countScored = (context: Context, judgement: number): number =>
  context.sql<{ n: number }>('SELECT count(*) AS n FROM verdict WHERE judgement = ?').get(judgement)?.n ?? 0

/** Counts from the beginning, and lets other work go on in between. */
async function computeTally(context: Context, read: Read, run: Run): Promise<Tally> {
  const { lastItem, lastResponse } = await read(() => ends(context, run))
  let tally: Tally = { items: 0, answered: 0, newest: 0, lastItem: 0, lastResponse, countedAt: uptime() }
  while (tally.lastItem < lastItem) {
    const before = tally
    tally = await read(() => withItems(context, run, before, lastItem))
    await new Promise(resolve => setImmediate(resolve))
  }
  return tally
}

const ends = (context: Context, run: Run): { lastItem: number; lastResponse: number } => ({
  lastItem: context.sql<{ n: number | null }>('SELECT max(id) AS n FROM item WHERE run = ?').get(run.ref)?.n ?? 0,
  lastResponse: context.sql<{ n: number | null }>('SELECT max(seq) AS n FROM response').get()?.n ?? 0,
})

interface Added {
  readonly items: number
  readonly answered: number
  readonly last: number | null
  readonly newest: number | null
}

function withItems(context: Context, run: Run, tally: Tally, upTo: number): Tally {
  const added = context
    .sql<Added>(
      `SELECT count(*) AS items, count(s.seq) AS answered, max(i.id) AS last, max(s.seq) AS newest
       FROM (SELECT id, request FROM item WHERE run = @run AND id > @after AND id <= @upTo ORDER BY id LIMIT ${chunk}) i
         LEFT JOIN response s ON s.request = i.request AND s.seq <= @seq`,
    )
    .get({ run: run.ref, after: tally.lastItem, upTo, seq: tally.lastResponse })
  return {
    ...tally,
    items: tally.items + (added?.items ?? 0),
    answered: tally.answered + (added?.answered ?? 0),
    newest: Math.max(tally.newest, added?.newest ?? 0),
    // No item is left below `upTo` if the statement found none.
    lastItem: added?.last ?? upTo,
  }
}

/** Adds the answers to known items, then the new items. @returns undefined if rows that were counted are gone */
function extendTally(
  context: Context,
  run: Run,
  { memory, known }: { readonly memory: Memory; readonly known: Tally },
): Tally | undefined {
  if (uptime() - known.countedAt > recountMs) return undefined
  // A transaction makes all statements see the same rows.
  return context.db.transaction(() => {
    const { lastItem, lastResponse } = ends(context, run)
    let tally: Tally = { ...known, ...answersSince(context, run, known, lastResponse), lastResponse }
    while (tally.lastItem < lastItem) tally = withItems(context, run, tally, lastItem)
    const before = memory.kept.get('items')
    const items = readThrottled(memory.kept, 'items', () => countItems(context, run))
    const isNewlyCounted = memory.kept.get('items') !== before
    return isNewlyCounted && items !== tally.items ? undefined : tally
  })()
}

function answersSince(context: Context, run: Run, tally: Tally, upTo: number): Pick<Tally, 'answered' | 'newest'> {
  if (upTo === tally.lastResponse) return tally
  // CROSS JOIN fixes the order of the join in SQLite. Otherwise it reads all items of the run to find a few answers.
  const added = context
    .sql<Pick<Added, 'answered' | 'newest'>>(
      `SELECT count(*) AS answered, max(s.seq) AS newest FROM response s CROSS JOIN item i ON i.request = s.request
       WHERE s.seq > ? AND s.seq <= ? AND i.run = ? AND i.id <= ?`,
    )
    .get(tally.lastResponse, upTo, run.ref, tally.lastItem)
  return {
    answered: tally.answered + (added?.answered ?? 0),
    newest: Math.max(tally.newest, added?.newest ?? 0),
  }
}

/** Reads the items with failures. It starts from the failures, because a young run has many open items. */
const itemsWithFailures = `
  SELECT i.id, i.task, i.doc, i.request FROM failure f CROSS JOIN item i ON i.id = f.item WHERE f.run = @run
  UNION SELECT i.id, i.task, i.doc, i.request FROM failure f CROSS JOIN item i ON i.request = f.request
  WHERE (f.permanent OR f.run = @run) AND i.run = @run`

interface FailedDocs {
  readonly docs: number
  /** Requests of these docs without an answer. */
  readonly unanswered: number
}

/** Counts the docs that have a failed request without an answer. */
const failedDocs = (context: Context, run: Run): FailedDocs =>
  context
    .sql<FailedDocs>(
      `WITH doc AS MATERIALIZED (
         SELECT DISTINCT task, doc FROM (${itemsWithFailures}) u
         WHERE NOT EXISTS (SELECT 1 FROM response s WHERE s.request = u.request))
       SELECT (SELECT count(*) FROM doc) AS docs,
         (SELECT count(*) FROM doc d CROSS JOIN item i ON i.run = @run AND i.task = d.task AND i.doc = d.doc
          WHERE NOT EXISTS (SELECT 1 FROM response s WHERE s.request = i.request)) AS unanswered`,
    )
    .get({ run: run.ref }) ?? { docs: 0, unanswered: 0 }

/** Counts items without an answer that failed. */
const failedItems = (context: Context, run: Run, memory: Memory): number =>
  readThrottled(
    memory.kept,
    'failed',
    () =>
      context
        .sql<{ n: number }>(
          `SELECT count(*) AS n FROM (${itemsWithFailures}) u
           WHERE NOT EXISTS (SELECT 1 FROM response s WHERE s.request = u.request)`,
        )
        .get({ run: run.ref })?.n ?? 0,
  )

const newestOfLastItem = (context: Context, run: Run): number =>
  context
    .sql<{ seq: number }>(
      `SELECT s.seq FROM item i JOIN response s ON s.request = i.request
       WHERE i.id = (SELECT max(id) FROM item WHERE run = ?)`,
    )
    .get(run.ref)?.seq ?? 0

/** Reads when a response arrived. Its time is for people only, so the checksum of the row is not computed. */
async function answeredAt(context: Context, read: Read, seq: number): Promise<Pick<RunProgress, 'lastAnswerAt'>> {
  if (seq === 0) return {}
  const row = await read(() => context.sql<{ meta: string }>('SELECT meta FROM response WHERE seq = ?').get(seq))
  return row === undefined ? {} : { lastAnswerAt: (JSON.parse(row.meta) as ResponseMeta).answeredAt }
}
