import type { FailureRow, ItemRow, ResponseRow } from '../../bundle/portable.js'
import { digestBytes, parseDigest } from '../../digest.js'
import { permanentFailures } from '../../records.js'
import type { Context } from '../connection/context.js'
import type { RequestKeys } from '../../request-keys.js'
import { addItemConflict, lostItemError, readRequestKeys, taskNumber, type MergeState } from '../../rows/merge.js'
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
  const keys = readRequestKeys(row)
  if (isAnythingMissing(context)) restoreItem(merge, { task, row, keys })
  const record = internText(context, 'record', { key: parseDigest(row.record_key), preimage: row.record })
  const request = keys === undefined ? null : (findRequest(context, keys.response) ?? addRequest(context, keys))
  const ownItem = context
    .sql<{ id: number; request: number | null; record: number }>(
      'SELECT id, request, record FROM item WHERE run = ? AND task = ? AND doc = ? AND choice = ? AND sample = ?',
    )
    .get(run, task, row.doc_index, row.choice, row.sample)
  if (ownItem === undefined) {
    const sum = context.sum(run, task, row.doc_index, row.choice, row.sample, row.doc_id, request, record)
    context
      .sql(
        'INSERT INTO item (run, task, doc, choice, sample, doc_id, request, record, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(run, task, row.doc_index, row.choice, row.sample, row.doc_id, request, record, sum)
    merge.added.items += 1
  } else if (ownItem.request === request && (ownItem.record === record || merge.holdsJudgeCalls)) {
    merge.present.items += 1
    if (ownItem.record !== record) keepSmallerRecord(merge, { task, row, known: ownItem, record })
  } else addItemConflict(merge, row)
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
  const { task, row, known: ownItem, record } = item
  const ours = context.sql<{ key: Buffer }>('SELECT key FROM record WHERE id = ?').get(ownItem.record)
  if (ours !== undefined && ours.key.compare(digestBytes(parseDigest(row.record_key))) < 0) return
  const sum = context.sum(run, task, row.doc_index, row.choice, row.sample, row.doc_id, ownItem.request, record)
  context.sql('UPDATE item SET record = ?, sum = ? WHERE id = ?').run(record, sum, ownItem.id)
}

/** Restores rows that a repair blanked or deleted, as a doc that is read again does. */
function restoreItem(
  { context, run }: Merge,
  { task, row, keys }: { readonly task: number; readonly row: ItemRow; readonly keys: RequestKeys | undefined },
): void {
  restoreRecord(context, { key: parseDigest(row.record_key), preimage: row.record })
  const { doc_index: doc, choice, sample } = row
  if (keys !== undefined) restoreRequest(context, { run, task, doc, choice, sample, keys })
}

const addRequest = (context: Context, { response, input, config, code, sample }: RequestKeys): number =>
  insertRequest(context, {
    key: response,
    instance: internText(context, 'instance', input),
    config: readRowId(context, 'preimage', digestBytes(config.key)),
    code: readRowId(context, 'preimage', digestBytes(code)),
    sample,
  })

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
  if (item === undefined) throw lostItemError(row)
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
