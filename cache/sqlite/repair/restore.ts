/** Restores damaged rows from docs that are read again. Call inside a write transaction. */
import { digestBytes, type ResponseKey, type Sha256 } from '../../digest.js'
import type { Keyed } from '../../keys.js'
import type { RequestKeys } from '../../request-keys.js'
import type { Context } from '../connection/context.js'
import { findRequest, insertRequest, internPreimage, internText, readRowId } from '../work/interning.js'
import { type ItemRow, sumOfItem } from '../../rows/answers.js'

/** Tells whether a repair has deleted something that only the dataset can restore. */
export const isAnythingMissing = (context: Context): boolean =>
  (context.sql<{ value: number }>("SELECT value FROM counter WHERE name = 'blank-texts'").get()?.value ?? 0) > 0

/** Restores the blanked text of a judge record. */
export const restoreRecord = (context: Context, record: Keyed<Sha256<string>>): void =>
  fillText(context, 'record', record)

/** A request with its place in a run. */
interface PlacedRequest {
  readonly run: number
  readonly task: number
  readonly doc: number
  readonly choice: number
  readonly sample: number
  readonly keys: RequestKeys
}

/**
 * Restores the rows that a request refers to. The request is found by its key, or by the number in the item of this
 * place. Its answer refers to that number.
 */
export function restoreRequest(context: Context, { keys, ...place }: PlacedRequest): void {
  fillText(context, 'instance', keys.input)
  fillText(context, 'preimage', keys.config)
  const storedRequest = findRequest(context, keys.response)
  if (storedRequest !== undefined) setParts(context, storedRequest, keys)
  const item = context
    .sql<ItemRow>('SELECT * FROM item WHERE run = ? AND task = ? AND doc = ? AND choice = ? AND sample = ?')
    .get(place.run, place.task, place.doc, place.choice, place.sample)
  if (item === undefined || item.request === null || isThere(context, item.request)) return
  if (storedRequest === undefined) insertUnder(context, item.request, keys)
  else adopt(context, item, storedRequest)
}

const isThere = (context: Context, request: number): boolean =>
  context.sql('SELECT 1 FROM request WHERE id = ?').get(request) !== undefined

const fillText = (
  context: Context,
  table: 'record' | 'instance' | 'preimage',
  { key, preimage }: Keyed<Sha256<string>>,
): void =>
  void context.sql(`UPDATE ${table} SET preimage = ? WHERE key = ? AND preimage = ''`).run(preimage, digestBytes(key))

function internParts(context: Context, keys: RequestKeys): { instance: number; config: number; code: number } {
  return {
    instance: internText(context, 'instance', keys.input),
    config: internPreimage(context, { kind: 'config', ...keys.config }),
    code: readRowId(context, 'preimage', digestBytes(keys.code)),
  }
}

function setParts(context: Context, request: number, keys: RequestKeys): void {
  const { instance, config, code } = internParts(context, keys)
  context
    .sql(
      `UPDATE request SET instance = @instance, config = @config, code = @code, sample = @sample
       WHERE id = @request AND (instance, config, code, sample) IS NOT (@instance, @config, @code, @sample)`,
    )
    .run({ instance, config, code, sample: keys.sample, request })
}

function insertUnder(context: Context, request: number, keys: RequestKeys): void {
  const newRequest = insertRequest(context, {
    key: keys.response satisfies ResponseKey,
    ...internParts(context, keys),
    sample: keys.sample,
  })
  context.sql('UPDATE request SET id = ? WHERE id = ?').run(request, newRequest)
}

/** Moves the answer of a lost request row to the request's current row, unless that has an answer. */
function adopt(context: Context, item: ItemRow, request: number): void {
  type Row = { seq: number; digest: string; body: string; meta: string }
  const answer = context
    .sql<Row>("SELECT seq, 'sha256:' || lower(hex(digest)) AS digest, body, meta FROM response WHERE request = ?")
    .get(item.request)
  if (answer !== undefined) {
    const { seq, digest, body, meta } = answer
    const moved = context
      .sql('UPDATE OR IGNORE response SET request = ?, sum = ? WHERE seq = ?')
      .run(request, context.sum(request, digest, body, meta), seq)
    if (moved.changes === 0) context.sql('DELETE FROM response WHERE seq = ?').run(seq)
  }
  for (const other of context.sql<ItemRow>('SELECT * FROM item WHERE request = ?').all(item.request))
    repointItem(context, other, { request })
}

/** Changes the rows that an item refers to. Call inside a write transaction. */
function repointItem(
  context: Context,
  item: ItemRow,
  to: { readonly request?: number; readonly record?: number },
): void {
  const { request, record } = { request: item.request, record: item.record, ...to }
  context
    .sql('UPDATE item SET request = ?, record = ?, sum = ? WHERE id = ?')
    .run(request, record, sumOfItem(context, { ...item, request, record }), item.id)
}

/** Replaces a record in all rows that refer to it by an equal record. Call inside a write transaction. */
export function repointRecord(context: Context, from: number, to: number): void {
  for (const item of context.sql<ItemRow>('SELECT * FROM item WHERE record = ?').all(from))
    repointItem(context, item, { record: to })
  for (const table of ['score', 'revision'])
    context.sql(`UPDATE ${table} SET record = ? WHERE record = ?`).run(to, from)
}
