import type { ResponseMeta, Run } from '../../records.js'
import type { RunProgress } from '../../store.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { failedItems, failureOfItem } from './item-sql.js'
import { findWorkers } from './working.js'

/** A count that took longer, in milliseconds, is repeated after this many times its duration. */
const longMs = 200
const pause = 20

interface Counted {
  readonly progress: Omit<RunProgress, 'isWorkedOn'>
  readonly again: number
}

/** Makes the function that counts how far runs are. Counts that take long are some seconds old. */
export function makeProgressReader(context: Context): (run: Run) => Promise<RunProgress> {
  const countedByRun = new Map<number, Counted>()
  const looking = new Map<number, Promise<RunProgress>>()
  const look = async (run: Run): Promise<RunProgress> => {
    const start = performance.now()
    const isRecent = start < (countedByRun.get(run.ref)?.again ?? 0)
    const snapshot = await context.db.snapshot(async query => ({
      counted: isRecent ? undefined : await countProgress(query, run),
      isWorkedOn: (await findWorkers(context, query, run)).length > 0,
    }))
    const end = performance.now()
    if (snapshot.counted !== undefined) {
      const again = end - start > longMs ? end + pause * (end - start) : end
      countedByRun.set(run.ref, { progress: snapshot.counted, again })
    }
    const progress = snapshot.counted ?? countedByRun.get(run.ref)?.progress
    if (progress === undefined) throw new Error('internal error: progress not counted')
    return { ...progress, isWorkedOn: snapshot.isWorkedOn }
  }
  return run => {
    const running = looking.get(run.ref) ?? look(run).finally(() => looking.delete(run.ref))
    looking.set(run.ref, running)
    return running
  }
}

// The newest answers have the highest numbers. For a large run, only the doc of the last item is read.
const progressSql = `
  SELECT (SELECT coalesce(sum(docs), 0)::bigint FROM input_progress WHERE run = $1) AS docs,
    (SELECT count(*) FROM input_progress WHERE run = $1 AND finished = 1) AS finished,
    (SELECT started FROM run WHERE id = $1) AS started,
    (SELECT count(*) FROM verdict v WHERE v.judgement = (SELECT id FROM judgement WHERE run = $1 ORDER BY number DESC LIMIT 1)) AS scored,
    count(*) AS items, count(s.seq) AS answered, max(s.seq) AS newest
  FROM item i LEFT JOIN response s ON s.request = i.request WHERE i.run = $1`

const failedSql = `SELECT count(*) AS n FROM ${failedItems} AND ${failureOfItem} IS NOT NULL`

interface ProgressRow {
  readonly docs: number
  readonly finished: number
  readonly started: number | null
  readonly scored: number
  readonly items: number
  readonly answered: number
  readonly newest: number | null
}

async function countProgress(query: Query, run: Run): Promise<Omit<RunProgress, 'isWorkedOn'>> {
  const [row] = await query<ProgressRow>(progressSql, [run.ref])
  if (row === undefined) throw new Error('internal error: progress not counted')
  const { docs, finished, started, scored, items, answered, newest } = row
  const [failed] = items === answered ? [{ n: 0 }] : await query<{ n: number }>(failedSql, [run.ref])
  // Its time is for people only, so the checksum of the row is not computed.
  const [last] =
    newest === null ? [] : await query<{ meta: string }>('SELECT meta FROM response WHERE seq = $1', [newest])
  return {
    ...{ docs, items, answered, failed: failed?.n ?? 0, scored, startedAt: started ?? 0 },
    inputFinished: finished === run.asked.tasks.length,
    ...(last === undefined ? {} : { lastAnswerAt: (JSON.parse(last.meta) as ResponseMeta).answeredAt }),
  }
}
