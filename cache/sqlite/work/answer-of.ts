import { digestBytes, type AnswerDigest, type ResponseKey } from '../../digest.js'
import type { Failure, ResponseMeta } from '../../records.js'
import type { StoredAnswer } from '../../store.js'
import type { Context } from '../connection/context.js'
import { readFailure } from './failures.js'
import { checkedBody } from './responses.js'
import { digestSql } from '../rows.js'

const answerSql = `
  SELECT r.id AS request, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum
  FROM request r JOIN response s ON s.request = r.id WHERE r.key = ?`

const failureSql = `
  SELECT f.id FROM failure f JOIN request r ON r.id = f.request WHERE r.key = ? AND f.permanent ORDER BY f.id DESC LIMIT 1`

interface AnswerRow {
  readonly request: number
  readonly seq: number
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
}

/** What became of a request, whichever run asked it: its answer, or why there will be none. */
export function answerOf(context: Context, key: ResponseKey): StoredAnswer | { readonly failure: Failure } | undefined {
  const row = context.sql<AnswerRow>(answerSql).get(digestBytes(key))
  if (row !== undefined) return { body: checkedBody(context, row), meta: JSON.parse(row.meta) as ResponseMeta }
  const failed = context.sql<{ id: number }>(failureSql).get(digestBytes(key))
  const failure = failed === undefined ? undefined : readFailure(context, failed.id)
  return failure === undefined ? undefined : { failure }
}
