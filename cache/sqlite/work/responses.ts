import { digestBytes, type AnswerDigest } from '../../digest.js'
import type { ResponseBody } from '../../records.js'
import type { Context } from '../connection/context.js'
import { DamagedRowError } from '../rows.js'

/** The body of a response row. @throws DamagedRowError where it is not what was written. */
export const checkedBody = (context: Context, row: StoredResponse): ResponseBody =>
  JSON.parse(checkedBodyText(context, row)) as ResponseBody

interface StoredResponse {
  readonly seq: number | null
  readonly request: number | null
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
}

/** Stores the answer to a request. Call inside a write transaction. @returns false where it has one, which stays. */
export function insertResponse(
  context: Context,
  { request, digest, body, meta }: Pick<StoredResponse, 'digest' | 'body' | 'meta'> & { readonly request: number },
): boolean {
  const made = context
    .sql('INSERT OR IGNORE INTO response (request, digest, body, meta, sum) VALUES (?, ?, ?, ?, ?)')
    .run(request, digestBytes(digest), body, meta, context.sum(request, digest, body, meta))
  return made.changes === 1
}

export function checkedBodyText(context: Context, row: StoredResponse): string {
  const sum = context.sum(row.request, row.digest, row.body, row.meta)
  if (sum !== row.sum) throw new DamagedRowError('response', row.seq ?? 0)
  return row.body
}
