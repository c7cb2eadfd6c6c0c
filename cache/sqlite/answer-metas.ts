import type { AnswerDigest } from '../digest.js'
import type { Failure, ResponseMeta, Run } from '../records.js'
import type { Context } from './context.js'
import { readFailure } from './failures.js'
import { NumberSet } from './number-set.js'
import { checkedBodyText } from './responses.js'
import { digestSql } from './rows.js'

interface Row {
  readonly item: number
  readonly request: number
  readonly seq: number
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
}

const pageSql = `
  SELECT i.id AS item, s.request, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum
  FROM item i CROSS JOIN response s ON s.request = i.request
  WHERE i.run = ? AND i.id > ? ORDER BY i.id LIMIT ?`

const pageSize = 1000

/** A page at a time, so that no read stands open while others write. Items that ask the same are one request. */
export async function* answerMetas(context: Context, run: Run): AsyncGenerator<readonly ResponseMeta[]> {
  const seen = new NumberSet()
  let after = 0
  for (;;) {
    const rows = context.sql<Row>(pageSql).all(run.ref, after, pageSize)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.filter(({ request }) => seen.add(request)).map(row => metaOf(context, row))
    if (rows.length < pageSize) return
    after = last.item
    await new Promise(setImmediate)
  }
}

function metaOf(context: Context, row: Row): ResponseMeta {
  checkedBodyText(context, row)
  return JSON.parse(row.meta) as ResponseMeta
}

/** Also of requests that were answered since. */
export function metFailures(context: Context, run: Run): readonly Failure[] {
  return context
    .sql<{ id: number }>('SELECT id FROM failure WHERE run = ? AND request IS NOT NULL AND attempts > 0 ORDER BY id')
    .all(run.ref)
    .flatMap(({ id }) => readFailure(context, id) ?? [])
}
