import { PipelineError } from '../../../base/errors/errors.js'
import { conflictMessage, type ImportOutcome, type OnConflict, type PortableRun } from '../../bundle/portable.js'
import { hexDigits, parseDigest } from '../../digest.js'
import { preimageKinds } from '../../rows/key-checks.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/database.js'
import { renumberJudgements } from '../judging/judgements.js'
import { writeProgress } from '../work/insert-docs.js'
import { internPreimages } from '../work/interning.js'
import { findRun, insertRun } from '../work/runs.js'
import { mergeFailures, mergeItems, mergeResponses, type Merge } from './merge-answers.js'
import { mergeJudgement } from './merge-judgements.js'
import { mergeRemarks } from './remarks.js'

/** Merges a verified run into the store, completely or not at all. See `PortableStore.importRun`. */
export function importRun(context: Context, from: PortableRun, onConflict: OnConflict): Promise<ImportOutcome> {
  return context.db.writeOnce(async query => {
    // The bundle may be read slowly.
    await query('SET LOCAL idle_in_transaction_session_timeout = 0')
    const isNew = (await findRun(context, query, from.id)) === undefined
    const state = await mergeRun(context, query, from)
    const calls: Merge[] = []
    for (const run of (await from.judgeCalls?.()) ?? []) calls.push(await mergeRun(context, query, run))
    const conflicts = [state, ...calls].flatMap(part => part.conflicts)
    if (conflicts.length > 0 && onConflict === 'refuse')
      throw new PipelineError('bundle', conflictMessage(from.name, conflicts), {
        reason: 'bundle-conflict',
        data: { run: from.name, conflicts: conflicts.length },
      })
    const remarks = from.remarks && (await mergeRemarks(context, query, state.run, await from.remarks()))
    const run = await findRun(context, query, from.id)
    if (run === undefined) throw new Error('internal error: imported run vanished')
    return {
      ...{ run, isNew, added: state.added, present: state.present, conflicts },
      ...(remarks && { remarks }),
      ...(calls.length > 0 && { judgeCalls: sumCalls(calls) }),
    }
  })
}

const sumCalls = (calls: readonly Merge[]): NonNullable<ImportOutcome['judgeCalls']> => ({
  added: calls.reduce((sum, { added }) => sum + added.responses, 0),
  present: calls.reduce((sum, { present }) => sum + present.responses, 0),
})

/** Merges the rows of one run. */
async function mergeRun(context: Context, query: Query, from: PortableRun): Promise<Merge> {
  const merge = await startMerge(context, query, from)
  for await (const rows of from.preimages())
    await internPreimages(
      query,
      rows.map(row => ({ ...row, kind: parseKind(row.kind), key: parseDigest(row.key) })),
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

function parseKind(kind: string): (typeof preimageKinds)[number] {
  const known = preimageKinds.find(name => name === kind)
  if (known === undefined)
    throw new PipelineError(
      'bundle',
      `the bundle has a preimage of unknown kind ${JSON.stringify(kind)}: it needs a newer version of pipeline`,
    )
  return known
}

async function startMerge(context: Context, query: Query, from: PortableRun): Promise<Merge> {
  await insertRun(context, query, from)
  const [row] = await query<{ id: number }>(
    "UPDATE run SET created = least(created, $2) WHERE key = decode($1, 'hex') RETURNING id",
    [hexDigits(from.id), from.createdAt],
  )
  if (row === undefined) throw new Error('internal error: run vanished')
  return {
    ...{ context, query, run: row.id, holdsJudgeCalls: from.asked.judge !== undefined },
    tasks: new Map(from.asked.tasks.map(({ name }, index) => [name, index])),
    added: { items: 0, responses: 0, scores: 0 },
    present: { items: 0, responses: 0, scores: 0 },
    conflicts: [],
  }
}
