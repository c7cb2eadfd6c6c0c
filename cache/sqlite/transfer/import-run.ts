import type { ImportOutcome, OnConflict, PortableRun } from '../../bundle/portable.js'
import { digestBytes, parseDigest } from '../../digest.js'
import { runName } from '../../run-name.js'
import type { Context } from '../connection/context.js'
import { waitBriefly, waitLong } from '../connection/database.js'
import { whenUnlocked } from '../connection/lock-wait.js'
import { type Merge, mergeFailure, mergeItem, mergeResponse } from './merge-answers.js'
import { mergeJudgement } from './merge-judgements.js'
import { mergeRemarks } from './remarks.js'
import { renumberJudgements } from '../judging/judgements.js'
import { writeProgress } from '../work/docs.js'
import { internPreimage } from '../work/interning.js'
import { findRun } from '../work/runs.js'
import { parsePreimageKind, startMergeState, summarizeMerge } from '../../rows/merge.js'
import { toText } from '../../rows/sums.js'

/** Merges a verified run into the store, completely or not at all. See `PortableStore.importRun`. */
export async function importRun(context: Context, from: PortableRun, onConflict: OnConflict): Promise<ImportOutcome> {
  const isNew = findRun(context, from.id) === undefined
  const outcome = await inTransaction(context, async () => {
    const state = await mergeRun(context, from)
    const calls: Merge[] = []
    for (const run of (await from.judgeCalls?.()) ?? []) calls.push(await mergeRun(context, run))
    const summary = summarizeMerge(from.name, { state, calls, onConflict })
    const remarks = from.remarks && mergeRemarks(context, state.run, await from.remarks())
    return { ...summary, ...(remarks && { remarks }) }
  })
  const run = findRun(context, from.id)
  if (run === undefined) throw new Error('internal error: imported run vanished')
  return { run, isNew, ...outcome }
}

/** Merges the rows of one run. Call inside a write transaction. */
async function mergeRun(context: Context, from: PortableRun): Promise<Merge> {
  const merge = startMerge(context, from)
  for await (const rows of from.preimages())
    for (const row of rows)
      internPreimage(context, { ...row, kind: parsePreimageKind(row.kind), key: parseDigest(row.key) })
  for await (const rows of from.items()) for (const row of rows) mergeItem(merge, row)
  for await (const rows of from.responses()) for (const row of rows) mergeResponse(merge, row)
  for await (const rows of from.failures()) for (const row of rows) mergeFailure(merge, row)
  for (const judgement of from.judgements) await mergeJudgement(merge, judgement)
  renumberJudgements(context, merge.run)
  for (const [task, { docs, finished }] of from.progress.entries())
    writeProgress(context, { run: merge.run, task, docs, finished })
  return merge
}

/** Runs asynchronous work in one transaction. No other write of this process runs during an import. */
async function inTransaction<T>(context: Context, work: () => Promise<T>): Promise<T> {
  await context.commit.flush()
  waitBriefly(context.db)
  await whenUnlocked(context.patience, () => context.db.exec('BEGIN IMMEDIATE'))
  waitLong(context.db)
  try {
    const result = await work()
    context.db.exec('COMMIT')
    return result
  } catch (error) {
    if (context.db.inTransaction) context.db.exec('ROLLBACK')
    throw error
  }
}

function startMerge(context: Context, from: PortableRun): Merge {
  const now = context.now()
  const asked = toText(from.asked)
  const provenance = toText(from.provenance)
  context
    .sql(
      `INSERT INTO run (key, name, asked, provenance, created, started, sum) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO UPDATE SET created = min(created, excluded.created)`,
    )
    .run(digestBytes(from.id), runName(from.id), asked, provenance, from.createdAt, now, context.sum(asked, provenance))
  const row = context.sql<{ id: number }>('SELECT id FROM run WHERE key = ?').get(digestBytes(from.id))
  if (row === undefined) throw new Error('internal error: run vanished')
  return { context, ...startMergeState(row.id, from.asked) }
}
