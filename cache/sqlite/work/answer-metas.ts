import type { AnswerDigest } from '../../digest.js'
import type { Failure, ResponseMeta, Run } from '../../records.js'
import type { OfTask } from '../../store.js'
import type { Context } from '../connection/context.js'
import { readFailure } from './failures.js'
import { RowNumberSet } from '../number-set.js'
import { checkedBodyText } from './responses.js'
import { digestSql } from '../rows.js'

interface Row {
  readonly item: number
  readonly task: number
  readonly request: number
  readonly seq: number
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
}

const pageSql = `
  SELECT i.id AS item, i.task, s.request, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum
  FROM item i CROSS JOIN response s ON s.request = i.request
  WHERE i.run = ? AND i.id > ? ORDER BY i.id LIMIT ?`

const pageSize = 1000

/** A page at a time, so that no read stands open while others write. Items that ask the same are one request. */
export async function* answerMetas(context: Context, run: Run): AsyncGenerator<readonly OfTask<ResponseMeta>[]> {
  const seen = new RowNumberSet()
  let after = 0
  for (;;) {
    const rows = context.sql<Row>(pageSql).all(run.ref, after, pageSize)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows.filter(({ request }) => seen.add(request)).map(row => ({ task: row.task, value: metaOf(context, row) }))
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
export function metFailures(context: Context, run: Run): readonly OfTask<Failure>[] {
  return context
    .sql<{ id: number; task: number }>(metSql)
    .all(run.ref)
    .flatMap(({ id, task }) => {
      const value = readFailure(context, id)
      return value === undefined ? [] : [{ task, value }]
    })
}

const metSql = `
  SELECT f.id, i.task FROM failure f CROSS JOIN item i ON i.id = f.item
  WHERE f.run = ? AND f.request IS NOT NULL AND f.attempts > 0 ORDER BY f.id`
