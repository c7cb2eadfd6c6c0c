import { PipelineError } from '../../../base/errors/errors.js'
import type { FailureRow, ItemRow, ResponseRow } from '../../bundle/portable.js'
import { digestBytes, parseDigest } from '../../digest.js'
import { permanentFailures } from '../../records.js'
import type { Context } from '../connection/context.js'
import { taskNumber, type MergeState } from '../../rows/merge.js'
import { restoreRecord, restoreRequest, isAnythingMissing } from '../repair/restore.js'
import { findRequest, insertRequest, internText, readRowId } from '../work/interning.js'
import { insertResponse } from '../work/stored-rows.js'

/** The state of an import. */
export interface Merge extends MergeState {
  readonly context: Context
}

/** The owner of imported failures, which no process of this store has met. */
const foreignOwner = 0

export function mergeItem(merge: Merge, row: ItemRow): void {
  const { context, run } = merge
  const task = taskNumber(merge, row.task)
  if (isAnythingMissing(context)) reopenFailures(merge, task, row)
  const record = internText(context, 'record', { key: parseDigest(row.record_key), preimage: row.record })
  const request = mergeRequest(context, row)
  const known = context
    .sql<{ id: number; request: number | null; record: number }>(
      'SELECT id, request, record FROM item WHERE run = ? AND task = ? AND doc = ? AND choice = ? AND sample = ?',
    )
    .get(run, task, row.doc_index, row.choice, row.sample)
  if (known === undefined) {
    const sum = context.sum(run, task, row.doc_index, row.choice, row.sample, row.doc_id, request, record)
    context
      .sql(
        'INSERT INTO item (run, task, doc, choice, sample, doc_id, request, record, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(run, task, row.doc_index, row.choice, row.sample, row.doc_id, request, record, sum)
    merge.added.items += 1
  } else if (known.request === request && (known.record === record || merge.holdsJudgeCalls)) {
    merge.present.items += 1
    if (known.record !== record) keepSmallerRecord(merge, { task, row, known, record })
  } else {
    const which = row.choice > 0 || row.sample > 0 ? ` choice ${row.choice} sample ${row.sample}` : ''
    merge.conflicts.push({ kind: 'item', key: `${row.task}/${row.doc_id}${which}` })
  }
}

/** Docs of two stores asked the judge first. Either order of imports must end with the same doc. */
function keepSmallerRecord(
  { context, run }: Merge,
  item: {
    readonly task: number
    readonly row: ItemRow
    readonly known: { readonly id: number; readonly request: number | null; readonly record: number }
    readonly record: number
  },
): void {
  const { task, row, known, record } = item
  const ours = context.sql<{ key: Buffer }>('SELECT key FROM record WHERE id = ?').get(known.record)
  if (ours !== undefined && ours.key.compare(digestBytes(parseDigest(row.record_key))) < 0) return
  const sum = context.sum(run, task, row.doc_index, row.choice, row.sample, row.doc_id, known.request, record)
  context.sql('UPDATE item SET record = ?, sum = ? WHERE id = ?').run(record, sum, known.id)
}

/** Restores rows that a repair blanked or deleted, as a doc that is read again does. */
function reopenFailures({ context, run }: Merge, task: number, row: ItemRow): void {
  restoreRecord(context, { key: parseDigest(row.record_key), preimage: row.record })
  const { response_key, input_key, input, config_key, code_key, choice, sample, draw } = row
  if (response_key === null || input_key === null || input === null || config_key === null || code_key === null) return
  const keys = {
    input: { key: parseDigest<'input'>(input_key), preimage: input },
    // The preimage is empty here because preimages are merged first, so the store has it already.
    config: { key: parseDigest<'config'>(config_key), preimage: '' },
    code: parseDigest<'code'>(code_key),
    response: parseDigest<'response'>(response_key),
    sample: draw ?? sample,
  }
  restoreRequest(context, { run, task, doc: row.doc_index, choice, sample, keys })
}

function mergeRequest(context: Context, row: ItemRow): number | null {
  const { response_key, input_key, input, config_key, code_key, sample, draw } = row
  if (response_key === null || input_key === null || input === null || config_key === null || code_key === null)
    return null
  const key = parseDigest<'response'>(response_key)
  const known = findRequest(context, key)
  if (known !== undefined) return known
  return insertRequest(context, {
    key,
    instance: internText(context, 'instance', { key: parseDigest(input_key), preimage: input }),
    config: readRowId(context, 'preimage', digestBytes(parseDigest(config_key))),
    code: readRowId(context, 'preimage', digestBytes(parseDigest(code_key))),
    sample: draw ?? sample,
  })
}

export function mergeResponse(merge: Merge, row: ResponseRow): void {
  const { context } = merge
  const request = readRowId(context, 'request', digestBytes(parseDigest(row.response_key)))
  const answer = parseDigest<'answer'>(row.answer)
  if (insertResponse(context, { request, digest: answer, body: row.body, meta: row.meta })) {
    merge.added.responses += 1
    return
  }
  const ours = context.sql<{ digest: Buffer }>('SELECT digest FROM response WHERE request = ?').get(request)
  if (ours?.digest.equals(digestBytes(answer)) === true) merge.present.responses += 1
  else merge.conflicts.push({ kind: 'response', key: row.response_key })
}

export function mergeFailure(merge: Merge, row: FailureRow): void {
  const { context, run } = merge
  const item = context
    .sql<{ id: number; request: number | null }>(
      'SELECT id, request FROM item WHERE run = ? AND task = ? AND doc = ? AND choice = ? AND sample = ?',
    )
    .get(run, taskNumber(merge, row.task), row.doc_index, row.choice, row.sample)
  if (item === undefined)
    throw new PipelineError(
      'bundle',
      `the bundle has a failure of ${row.task}/${row.doc_index}, which it does not have`,
    )
  const same = context
    .sql('SELECT 1 FROM failure WHERE item = ? AND class = ? AND message = ? AND attempts = ? AND at = ?')
    .get(item.id, row.class, row.message, row.attempts, row.at)
  if (same !== undefined) return
  const permanent = permanentFailures.has(row.class) ? 1 : 0
  const sum = context.sum(run, item.id, item.request, row.class, row.message, row.attempts, permanent)
  context
    .sql(
      'INSERT INTO failure (run, item, request, class, message, attempts, permanent, owner, at, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run(run, item.id, item.request, row.class, row.message, row.attempts, permanent, foreignOwner, row.at, sum)
}
