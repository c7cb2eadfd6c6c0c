/** Finds, counts and deletes rows that no run refers to. */
import type { MediaDigest } from '../../digest.js'
import { sentDigitsAt, sentPattern } from '../../facts/sent-answer.js'
import { readRememberedMedia, rememberedPrefixes, type RememberedMedia } from '../../media/unused-media.js'
import type { Garbage } from '../../store.js'
import type { Query } from '../connection/query.js'
import { livesSql } from '../connection/owners.js'

// $1 is the list of the numbers of runs that do not count.
const isCounted = (run: string): string => `${run} <> ALL($1::bigint[])`

/** SQL that tells whether a request is used: by an item of a run, a living process, or a provider's batch. */
const isRequestUsed = `(EXISTS (SELECT 1 FROM item i WHERE i.request = r.id AND ${isCounted('i.run')})
  OR EXISTS (SELECT 1 FROM batch_request b WHERE b.request = r.id)
  OR EXISTS (SELECT 1 FROM lease l WHERE l.request = r.id AND ${livesSql('l.owner')}))`
const isScoreUsed = `EXISTS (SELECT 1 FROM verdict v JOIN judgement j ON j.id = v.judgement WHERE v.score = z.id AND ${isCounted('j.run')})`
const isInstanceUsed = `EXISTS (SELECT 1 FROM used_request u WHERE u.instance = n.id)`
const isRecordUsed = `(EXISTS (SELECT 1 FROM item i WHERE i.record = c.id AND ${isCounted('i.run')})
  OR EXISTS (SELECT 1 FROM revision o JOIN judgement j ON j.id = o.judgement WHERE o.record = c.id AND ${isCounted('j.run')})
  OR EXISTS (SELECT 1 FROM used_score u WHERE u.record = c.id))`
const withUsed = `WITH used_request AS MATERIALIZED (SELECT r.id, r.instance FROM request r WHERE ${isRequestUsed}),
  used_score AS MATERIALIZED (SELECT z.id, z.record FROM score z WHERE ${isScoreUsed})`
/** Values that lead to an answer which no run needs, or which is gone. Digits that are none belong to no request. */
const deadSent = `memory m WHERE m.name LIKE '${sentPattern}' AND NOT EXISTS (SELECT 1 FROM request r
  WHERE r.key = CASE WHEN substr(m.text, ${sentDigitsAt}, 64) ~ '^[0-9a-f]{64}$' THEN decode(substr(m.text, ${sentDigitsAt}, 64), 'hex') END AND ${isRequestUsed})`

type RowCounts = Pick<Garbage, 'requests' | 'responses' | 'scores' | 'records' | 'rowBytes'>

/** Counts the rows that no run refers to, and the bytes of their texts. @param without the numbers of runs that do not count */
export async function countDeadRows(query: Query, without: readonly number[]): Promise<RowCounts> {
  const [row] = await query<RowCounts>(
    `${withUsed}, dead_response AS (SELECT count(*) AS n, coalesce(sum(octet_length(s.body) + octet_length(s.meta)), 0) AS bytes
       FROM response s WHERE NOT EXISTS (SELECT 1 FROM used_request u WHERE u.id = s.request)),
     dead_instance AS (SELECT coalesce(sum(octet_length(n.preimage)), 0) AS bytes FROM instance n WHERE NOT ${isInstanceUsed}),
     dead_score AS (SELECT count(*) AS n, coalesce(sum(octet_length(z.body)), 0) AS bytes
       FROM score z WHERE NOT EXISTS (SELECT 1 FROM used_score u WHERE u.id = z.id)),
     dead_record AS (SELECT count(*) AS n, coalesce(sum(octet_length(c.preimage)), 0) AS bytes FROM record c WHERE NOT ${isRecordUsed}),
     dead_sent AS (SELECT coalesce(sum(octet_length(m.name) + octet_length(m.text)), 0) AS bytes FROM ${deadSent})
     SELECT (SELECT count(*) FROM request) - (SELECT count(*) FROM used_request) AS requests, s.n AS responses, z.n AS scores, c.n AS records,
       (s.bytes + i.bytes + z.bytes + c.bytes + m.bytes)::bigint AS "rowBytes"
     FROM dead_response s, dead_instance i, dead_score z, dead_record c, dead_sent m`,
    [without],
  )
  if (row === undefined) throw new Error('internal error: nothing was counted')
  return row
}

/** Deletes the rows that no run refers to. Call inside a write transaction. */
export async function deleteDeadRows(query: Query): Promise<void> {
  // Writers of rows that refer to these rows wait. They retry and look up the rows again (server-error.ts).
  await query('LOCK TABLE record, request, score, verdict, instance, response IN SHARE ROW EXCLUSIVE MODE')
  const none = [[]]
  // Without indexes, each deletion would look for references in the whole table. They exist only within the transaction.
  await query('CREATE INDEX freed_instance ON request (instance)')
  await query('CREATE INDEX freed_record ON score (record)')
  await query(`DELETE FROM score z WHERE NOT ${isScoreUsed}`, none)
  for (const table of ['response', 'lease'])
    await query(`DELETE FROM ${table} t USING request r WHERE t.request = r.id AND NOT ${isRequestUsed}`, none)
  await query(`DELETE FROM request r WHERE NOT ${isRequestUsed}`, none)
  await query(`DELETE FROM ${deadSent}`, none)
  await query('DELETE FROM instance n WHERE NOT EXISTS (SELECT 1 FROM request r WHERE r.instance = n.id)')
  await query(
    `WITH used_score AS MATERIALIZED (SELECT z.record FROM score z) DELETE FROM record c WHERE NOT ${isRecordUsed}`,
    none,
  )
  await query('DROP INDEX freed_instance')
  await query('DROP INDEX freed_record')
}

/** Reads the media that rows refer to. */
export async function readUsedMedia(query: Query, without: readonly number[]): Promise<ReadonlySet<MediaDigest>> {
  const media = (text: string): string =>
    `(regexp_matches(${text}, '"media":"(sha256:[0-9a-f]{64})"', 'g'))[1] AS digest`
  const rows = await query<{ digest: MediaDigest }>(
    `${withUsed} SELECT ${media('n.preimage')} FROM instance n WHERE strpos(n.preimage, '"media":') > 0 AND ${isInstanceUsed}
     UNION SELECT ${media('s.body')} FROM response s JOIN used_request u ON u.id = s.request WHERE strpos(s.body, '"media":') > 0
     UNION SELECT ${media('c.preimage')} FROM record c WHERE strpos(c.preimage, '"media":') > 0 AND ${isRecordUsed}`,
    [without],
  )
  return new Set(rows.map(({ digest }) => digest))
}

/** Reads the values that name media. */
export async function readRemembered(query: Query): Promise<readonly RememberedMedia[]> {
  const rows = await query<{ name: string; text: string }>(
    'SELECT name, text FROM memory WHERE EXISTS (SELECT 1 FROM unnest($1::text[]) u(prefix) WHERE starts_with(name, u.prefix))',
    [rememberedPrefixes],
  )
  return rows.flatMap(({ name, text }) => readRememberedMedia(name, text) ?? [])
}
