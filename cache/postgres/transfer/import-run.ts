import type { ImportOutcome, OnConflict, PortableRun } from '../../bundle/portable.js'
import { hexDigits, parseDigest } from '../../digest.js'
import { parsePreimageKind, startMergeState, summarizeMerge } from '../../rows/merge.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { renumberJudgements } from '../judging/judgements.js'
import { writeProgress } from '../work/insert-docs.js'
import { internPreimages } from '../work/interning.js'
import { findRun, insertRun } from '../work/runs.js'
import { mergeFailures, mergeItems, mergeResponses, type Merge } from './merge-answers.js'
import { mergeJudgement } from './merge-judgements.js'
import { mergeRemarks } from './remarks.js'

/** Merges a verified run into the store, completely or not at all. It begins again if the server was away. See `PortableStore.importRun`. */
export function importRun(context: Context, from: PortableRun, onConflict: OnConflict): Promise<ImportOutcome> {
  return context.db.write(async query => {
    // The bundle may be read slowly.
    await query('SET LOCAL idle_in_transaction_session_timeout = 0')
    const isNew = (await findRun(context, query, from.id)) === undefined
    const state = await mergeRun(context, query, from)
    const calls: Merge[] = []
    for (const run of (await from.judgeCalls?.()) ?? []) calls.push(await mergeRun(context, query, run))
    const summary = summarizeMerge(from.name, { state, calls, onConflict })
    const remarks = from.remarks && (await mergeRemarks(context, query, state.run, await from.remarks()))
    const run = await findRun(context, query, from.id)
    if (run === undefined) throw new Error('internal error: imported run vanished')
    return { run, isNew, ...summary, ...(remarks && { remarks }) }
  })
}

/** Merges the rows of one run. */
async function mergeRun(context: Context, query: Query, from: PortableRun): Promise<Merge> {
  const merge = await startMerge(context, query, from)
  for await (const rows of from.preimages())
    await internPreimages(
      query,
      rows.map(row => ({ ...row, kind: parsePreimageKind(row.kind), key: parseDigest(row.key) })),
    )
  for await (const rows of from.items()) await mergeItems(merge, rows)
  for await (const rows of from.responses()) await mergeResponses(merge, rows)
  for await (const rows of from.failures()) await mergeFailures(merge, rows)
  for (const judgement of from.judgements) await mergeJudgement(merge, judgement)
  await renumberJudgements(query, merge.run)
  for (const [task, { docs, finished }] of from.progress.entries())
    await writeProgress(context, query, { run: merge.run, task, docs, finished })
  return merge
}

async function startMerge(context: Context, query: Query, from: PortableRun): Promise<Merge> {
  await insertRun(context, query, from)
  const [row] = await query<{ id: number }>(
    "UPDATE run SET created = least(created, $2) WHERE key = decode($1, 'hex') RETURNING id",
    [hexDigits(from.id), from.createdAt],
  )
  if (row === undefined) throw new Error('internal error: run vanished')
  return { context, query, ...startMergeState(row.id, from.asked) }
}
