import { digestBytes, type ResponseKey } from '../../digest.js'
import type { ResponseMeta } from '../../records.js'
import type { KnownRequest } from '../../store.js'
import type { Context } from '../connection/context.js'

const knownSql = `
  SELECT s.meta, EXISTS (SELECT 1 FROM failure f WHERE f.request = r.id AND f.permanent) AS failed
  FROM request r LEFT JOIN response s ON s.request = r.id WHERE r.key = ?`

/** Some microseconds each: what an answer says is not read, and so not checked. */
export const knownRequests = (
  context: Context,
  keys: readonly ResponseKey[],
): readonly (KnownRequest | undefined)[] => {
  const find = context.sql<{ meta: string | null; failed: number }>(knownSql)
  return keys.map(key => {
    const row = find.get(digestBytes(key))
    if (row === undefined) return undefined
    if (row.meta !== null) return { type: 'answered', meta: JSON.parse(row.meta) as ResponseMeta }
    return row.failed === 1 ? { type: 'failed' } : undefined
  })
}
