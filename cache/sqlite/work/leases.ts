import type { ConfigKey } from '../../digest.js'
import { answerDigest } from '../../keys.js'
import type { Failure, GenerationKwargs, ResponseBody, ResponseMeta, Run } from '../../records.js'
import type { Context } from '../connection/context.js'
import { digestSql } from '../rows.js'
import { insertFailure } from './stored-rows.js'
import { insertResponse, isAnswered } from './stored-rows.js'
import type { Holder, Lease, LeaseQuery, LeaseResult, WorkingProcess } from '../../store.js'
import {
  type FindGeneration,
  type PendingItem,
  type RequestRow,
  makeLease,
  parseGeneration,
  sortPending,
} from '../../rows/leases.js'
import { toText } from '../../rows/sums.js'

/** Leases the reading of a task's docs. @returns true, or the living process that holds the lease */
export function leaseInput(context: Context, run: Run, task: number): Promise<true | Holder> {
  return context.commit.add(() => {
    startWork(context, run)
    const holder = context
      .sql<{ owner: number }>('SELECT owner FROM input_lease WHERE run = ? AND task = ?')
      .get(run.ref, task)
    if (holder !== undefined && holder.owner !== context.owners.me && context.owners.isAlive(holder.owner)) {
      const [other] = holders(context, new Map([[holder.owner, 0]]))
      if (other !== undefined) return other
    }
    context
      .sql('INSERT OR REPLACE INTO input_lease (run, task, owner) VALUES (?, ?, ?)')
      .run(run.ref, task, context.owners.me)
    return true
  })
}

const startWork = (context: Context, run: Run): void =>
  void context.sql('INSERT OR IGNORE INTO working (run, owner) VALUES (?, ?)').run(run.ref, context.owners.me)

type PendingRow = RequestRow & PendingItem

// A repair may have dropped a part of a doc, such as a medium. Such a doc is read again, and its requests wait. Requests that failed permanently or
// in this invocation are skipped. Answered items are filtered before other columns are read, because a resumed run has many of them.
const pendingSql = `
  SELECT i.id AS item, i.task, i.doc_id, r.id AS request, ${digestSql('r.key')} AS key, r.sample, r.instance,
    ${digestSql('n.key')} AS input_key, n.preimage AS input, r.config, ${digestSql('g.key')} AS config_key,
    ${digestSql('o.key')} AS code_key, l.owner, q.batch,
    EXISTS (SELECT 1 FROM failure f WHERE f.request = r.id AND ((f.owner = @me AND f.id > @failuresAfter) OR (f.permanent AND NOT @retry))) AS failed,
    EXISTS (SELECT 1 FROM input_progress p WHERE p.run = i.run AND p.task = i.task AND p.finished = 0 AND i.doc >= p.docs) AS waits
  FROM item i CROSS JOIN request r ON r.id = i.request CROSS JOIN instance n ON n.id = r.instance
    CROSS JOIN preimage g ON g.id = r.config CROSS JOIN preimage o ON o.id = r.code
    LEFT JOIN lease l ON l.request = r.id LEFT JOIN batch_request q ON q.request = r.id
  WHERE i.run = @run AND i.id > @after AND NOT ${isAnswered}
  ORDER BY i.id LIMIT @limit`

/** Leases the next pending requests of a run. It skips requests that living processes hold or that are in a batch. */
export function lease(context: Context, run: Run, query: LeaseQuery): Promise<LeaseResult> {
  return context.commit.add(() => {
    startWork(context, run)
    const rows = context.sql<PendingRow>(pendingSql).all({
      me: context.owners.me,
      retry: query.retryFailed ? 1 : 0,
      failuresAfter: query.failuresAfter ?? 0,
      run: run.ref,
      after: query.after,
      limit: query.limit,
    })
    const alive = new Map<number, boolean>()
    const { free, elsewhere, exhausted, ...sorted } = sortPending(rows, query, {
      me: context.owners.me,
      lives: ({ owner }) => owner !== null && livesStill(context, owner, alive),
    })
    const leases = take(context, run, [...free.values()])
    if (leases.length > 0) context.commit.expectAnswers()
    // The cursor moves past answered items behind the last pending one, so that they are not read again each time.
    const last = exhausted ? lastItem(context, run) : sorted.last
    const next = sorted.firstWaiting === undefined ? last : sorted.firstWaiting - 1
    return {
      leases,
      next: next ?? query.after,
      exhausted,
      elsewhere: [...elsewhere.values()].reduce((sum, items) => sum + items, 0),
      holders: holders(context, elsewhere),
    }
  })
}

const holders = ({ owners }: Context, items: ReadonlyMap<number, number>): readonly Holder[] =>
  [...items].flatMap(([id, count]) => {
    const holder = owners.describe(id)
    if (holder === undefined) return []
    const { owner, isHere, silentMs } = holder
    return [{ host: owner.host, pid: owner.pid, isHere, items: count, silentMs }]
  })

/** Tells whether a lease is still held. A process that was stopped for long may have lost its leases to others. */
export function holds({ sql }: Context, { request, token, batch }: Lease): boolean {
  if (batch !== undefined) return true
  return sql<{ token: number }>('SELECT token FROM lease WHERE request = ?').get(request)?.token === token
}

const lastItem = (context: Context, run: Run): number | undefined =>
  context.sql<{ id: number | null }>('SELECT max(id) AS id FROM item WHERE run = ?').get(run.ref)?.id ?? undefined

function livesStill(context: Context, owner: number, livesByOwner: Map<number, boolean>): boolean {
  const alive = livesByOwner.get(owner) ?? context.owners.isAlive(owner)
  livesByOwner.set(owner, alive)
  return alive
}

function take(context: Context, run: Run, rows: readonly PendingRow[]): readonly Lease[] {
  if (rows.length === 0) return []
  const last = context
    .sql<{ value: number }>("UPDATE counter SET value = value + ? WHERE name = 'lease-token' RETURNING value")
    .get(rows.length)
  const first = (last?.value ?? 0) - rows.length + 1
  const findGeneration = rememberGenerations(context)
  return rows.map((row, index) => {
    const token = first + index
    const lease = makeLease(row, { token, run: run.ref, task: run.asked.tasks[row.task]?.name, findGeneration })
    context
      .sql('INSERT OR REPLACE INTO lease (request, owner, token) VALUES (?, ?, ?)')
      .run(row.request, context.owners.me, token)
    return lease
  })
}

const configSql = `SELECT ${digestSql('key')} AS key, preimage FROM preimage WHERE id = ?`

/** Makes a function that reads generation kwargs, and reads each config once. */
export function rememberGenerations(context: Context): FindGeneration {
  const generations = new Map<number, GenerationKwargs>()
  return config => {
    const generation =
      generations.get(config) ??
      parseGeneration(config, context.sql<{ key: ConfigKey; preimage: string }>(configSql).get(config))
    generations.set(config, generation)
    return generation
  }
}

/**
 * Stores an answer. Without a valid lease, the answer is still stored if it is the first, because it was paid for. A stored answer is never replaced.
 */
export async function commitResponse(
  context: Context,
  held: Lease,
  {
    body,
    meta,
    kept,
  }: { readonly body: ResponseBody; readonly meta: ResponseMeta; readonly kept?: (() => void) | undefined },
): Promise<boolean> {
  const { key: digest, preimage: bodyText } = answerDigest(body)
  const metaText = toText(meta)
  const write = (): boolean => {
    const isFirst = insertResponse(context, { request: held.request, digest, body: bodyText, meta: metaText })
    releaseLeases(context, held)
    context.owners.answered.add(1)
    if (context.owners.answered.isDue) context.owners.beat()
    return isFirst
  }
  const stored = context.commit.add(write, 'soon', () => {
    context.ownAnswers.add([held.request])
    kept?.()
  })
  return stored.catch((error: unknown) => {
    context.answers.keep({ key: held.key, digest, body: bodyText, meta: metaText }, error)
    throw error
  })
}

/** Stores a failure, unless another process took the lease over. That process then reports the result. */
export function commitFailure(context: Context, held: Lease, failure: Failure): Promise<void> {
  return context.commit.add(() => {
    // A request without an item has no failure to report.
    if (releaseLeases(context, held) && held.item.id !== 0)
      insertFailure(context, { run: held.item.run, item: held.item.id, request: held.request, failure })
  })
}

/** Gives up leases, so that other processes can take the requests. */
export function release(context: Context, leases: readonly Lease[]): Promise<void> {
  return context.commit.add(() => {
    for (const held of leases) releaseLeases(context, held)
  })
}

/** @returns whether the lease was still held */
export function releaseLeases(context: Context, { request, token, batch }: Lease): boolean {
  const { changes } =
    batch === undefined
      ? context.sql('DELETE FROM lease WHERE request = ? AND token = ?').run(request, token)
      : context.sql('DELETE FROM batch_request WHERE request = ? AND batch = ?').run(request, batch)
  return changes === 1
}

/** Tells whether another living process works on the run. */
export function isWorkedOnElsewhere(context: Context, run: Run): boolean {
  return context
    .sql<{ owner: number }>('SELECT owner FROM working WHERE run = ?')
    .all(run.ref)
    .some(({ owner }) => owner !== context.owners.registered && context.owners.isAlive(owner))
}

interface WorkerRow {
  readonly owner: number
  readonly items: number
  readonly runs: string
  readonly jobs: string
  readonly answers: number
  readonly perSecond: number
}

const workersSql = `
  SELECT o.id AS owner, o.answers, o.per_second AS perSecond, (SELECT count(*) FROM lease l WHERE l.owner = o.id) AS items,
    (SELECT json_group_array(run) FROM (SELECT run FROM working w WHERE w.owner = o.id ORDER BY run)) AS runs,
    (SELECT json_group_array(uuid) FROM (SELECT uuid FROM job j WHERE j.owner = o.id AND j.status = 'running' ORDER BY id)) AS jobs
  FROM owner o WHERE o.id IN (SELECT owner FROM working UNION SELECT owner FROM job WHERE status = 'running') ORDER BY o.id`

/** Lists living processes that work on runs or jobs, and dead ones whose leases or jobs nobody has taken over. */
export function listWorkers(context: Context): readonly WorkingProcess[] {
  return context
    .sql<WorkerRow>(workersSql)
    .all()
    .flatMap(({ owner, items, runs, jobs, answers, perSecond }) => {
      const [holder] = holders(context, new Map([[owner, items]]))
      const isAlive = context.owners.isAlive(owner)
      if (holder === undefined || (!isAlive && items === 0 && jobs === '[]')) return []
      return [
        {
          ...{ ...holder, isAlive, answers, perSecond },
          runs: JSON.parse(runs) as readonly number[],
          jobs: JSON.parse(jobs) as readonly string[],
        },
      ]
    })
}

/** Ends the work of this process on a run. */
export const leaveRun = (context: Context, run: Run): Promise<void> =>
  context.commit.add(() => {
    for (const table of ['input_lease', 'working'])
      context.sql(`DELETE FROM ${table} WHERE run = ? AND owner = ?`).run(run.ref, context.owners.registered ?? null)
  })

/** Tells whether a living process, perhaps this one, works on the run. */
export const isWorkedOn = (context: Context, run: Run): boolean =>
  context
    .sql<{ owner: number }>('SELECT owner FROM working WHERE run = ?')
    .all(run.ref)
    .some(({ owner }) => context.owners.isAlive(owner))
