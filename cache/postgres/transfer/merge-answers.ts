import type { FailureRow, ItemRow, ResponseRow } from '../../bundle/portable.js'
import { parseDigest, type AnswerDigest, type RecordKey, type ResponseKey } from '../../digest.js'
import { sumOfFailure, sumOfItem } from '../../rows/answers.js'
import { addItemConflict, lostItemError, readRequestKeys, taskNumber, type MergeState } from '../../rows/merge.js'
import { permanentFailures } from '../../records.js'
import { splitColumns, digestSql, takeNumbers, toColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { insertAnswers } from '../work/answers/answers.js'
import { insertItems, storeItemTexts, type NewItem } from '../work/insert-docs.js'
import { findNumbers, requireNumber } from '../work/interning.js'

/** The state of an import. */
export interface Merge extends MergeState {
  readonly context: Context
  readonly query: Query
}

export async function mergeItems(merge: Merge, rows: readonly ItemRow[]): Promise<void> {
  const { context, query, run } = merge
  if (rows.length === 0) return
  const first = await takeNumbers(context, query, 'item', rows.length)
  const records = rows.map(row => ({ key: parseDigest<'judge-record'>(row.record_key), preimage: row.record }))
  const requests = rows.map(readRequestKeys)
  const { recordNumber, requestNumber } = await storeItemTexts(
    query,
    records,
    requests.flatMap(keys => keys ?? []),
  )
  const items = rows.map((row, index) => ({
    ...{ id: first + index, run, task: taskNumber(merge, row.task), doc: row.doc_index, doc_id: row.doc_id },
    ...{ choice: row.choice, sample: row.sample },
    request: requestNumber(requests[index]),
    record: recordNumber(parseDigest<'judge-record'>(row.record_key)),
  }))
  const insertedIds = await insertItems(context, query, items)
  merge.added.items += insertedIds.size
  await compareItems(
    merge,
    items.flatMap((item, index) => {
      const row = rows[index]
      return insertedIds.has(item.id) || row === undefined ? [] : [{ item, row }]
    }),
  )
}

interface PresentItem {
  readonly item: NewItem
  readonly row: ItemRow
}

interface OwnItem {
  readonly place: number
  readonly id: number
  readonly request: number | null
  readonly record: number
  readonly record_key: RecordKey
}

const placesSql = `
  SELECT u.place, i.id, i.request, i.record, ${digestSql('c.key')} AS record_key
  FROM unnest($2::integer[], $3::integer[], $4::integer[], $5::integer[]) WITH ORDINALITY u(task, doc, choice, sample, place)
    JOIN item i ON i.run = $1 AND i.task = u.task AND i.doc = u.doc AND i.choice = u.choice AND i.sample = u.sample
    JOIN record c ON c.id = i.record ORDER BY u.place`

/** Compares rows of the bundle with the existing items. */
async function compareItems(merge: Merge, present: readonly PresentItem[]): Promise<void> {
  if (present.length === 0) return
  const { query, run } = merge
  const ours = await query<OwnItem>(placesSql, [
    run,
    ...splitColumns(
      present.map(({ item }) => item),
      ['task', 'doc', 'choice', 'sample'],
    ),
  ])
  for (const own of ours) {
    const presentItem = present[own.place - 1]
    if (presentItem === undefined) continue
    const { item, row } = presentItem
    if (own.request === item.request && (own.record === item.record || merge.holdsJudgeCalls)) {
      merge.present.items += 1
      // Docs of two stores asked the judge first. Either order of imports must end with the same doc.
      if (own.record !== item.record && own.record_key > row.record_key) await setRecord(merge, own.id, item)
    } else addItemConflict(merge, row)
  }
}

async function setRecord({ context, query }: Merge, id: number, item: NewItem): Promise<void> {
  await query('UPDATE item SET record = $2, sum = $3 WHERE id = $1', [id, item.record, sumOfItem(context, item)])
}

export async function mergeResponses(merge: Merge, rows: readonly ResponseRow[]): Promise<void> {
  const { context, query } = merge
  if (rows.length === 0) return
  const numbers = await findNumbers<ResponseKey>(
    query,
    'request',
    rows.map(row => parseDigest(row.response_key)),
  )
  const answers = rows.map(row => ({
    request: requireNumber(numbers, 'request', parseDigest<'response'>(row.response_key)),
    ...{ digest: parseDigest<'answer'>(row.answer), body: row.body, meta: row.meta },
  }))
  const isNew = await insertAnswers(context, query, answers)
  const storedRows = await query<{ request: number; digest: AnswerDigest }>(
    `SELECT request, ${digestSql('digest')} AS digest FROM response WHERE request = ANY($1)`,
    [answers.map(({ request }) => request)],
  )
  const digests = new Map(storedRows.map(({ request, digest }) => [request, digest]))
  for (const [index, { request, digest }] of answers.entries()) {
    if (isNew[index] === true) merge.added.responses += 1
    else if (digests.get(request) === digest) merge.present.responses += 1
    else merge.conflicts.push({ kind: 'response', key: rows[index]?.response_key ?? '' })
  }
}

/** The owner of imported failures, which no process of this store has met. */
const foreignOwner = 0

export async function mergeFailures(merge: Merge, rows: readonly FailureRow[]): Promise<void> {
  const { context, query, run } = merge
  if (rows.length === 0) return
  const places = rows.map(row => ({ ...row, task: taskNumber(merge, row.task), doc: row.doc_index }))
  const ownItems = await query<OwnItem>(placesSql, [run, ...splitColumns(places, ['task', 'doc', 'choice', 'sample'])])
  const items = new Map(ownItems.map(item => [item.place - 1, item]))
  const failures = rows.map((row, index) => {
    const item = items.get(index)
    if (item === undefined) throw lostItemError(row)
    const content = {
      ...{ run, item: item.id, request: item.request, class: row.class, message: row.message },
      ...{ attempts: row.attempts, permanent: permanentFailures.has(row.class) ? 1 : 0 },
    }
    return { ...content, message: toColumn(row.message), at: row.at, sum: sumOfFailure(context, content) }
  })
  await query(
    `INSERT INTO failure (run, item, request, class, message, attempts, permanent, owner, at, sum)
     SELECT $1, u.item, u.request, u.class, u.message, u.attempts, u.permanent, $2, u.at, u.sum
     FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::integer[], $8::smallint[], $9::bigint[], $10::bigint[])
       WITH ORDINALITY u(item, request, class, message, attempts, permanent, at, sum, place)
     WHERE NOT EXISTS (SELECT 1 FROM failure f WHERE f.item = u.item AND f.class = u.class AND f.message = u.message
       AND f.attempts = u.attempts AND f.at = u.at) ORDER BY u.place`,
    [
      ...[run, foreignOwner],
      ...splitColumns(failures, ['item', 'request', 'class', 'message', 'attempts', 'permanent', 'at', 'sum']),
    ],
  )
}
