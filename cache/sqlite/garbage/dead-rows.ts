/** Finds, counts and deletes rows that no run refers to. */
import { parseDigest, type MediaDigest } from '../../digest.js'
import { mediaIn } from '../../bundle/media.js'
import { sentDigitsAt, sentPattern } from '../../facts/sent-answer.js'
import { readRememberedMedia, rememberedPrefixes, type RememberedMedia } from '../../media/unused-media.js'
import type { Garbage } from '../../store.js'
import type { Context } from '../connection/context.js'

/** Values of the queries: JSON lists of the numbers of runs that do not count, and of owners that are alive. */
interface Parameters {
  readonly runs: string
  readonly alive: string
}

const isCounted = (run: string): string => `${run} NOT IN (SELECT value FROM json_each(@runs))`

/** SQL that tells whether a request is used: by an item of a run, a living process, or a provider's batch. */
const isRequestUsed = `(EXISTS (SELECT 1 FROM item i WHERE i.request = r.id AND ${isCounted('i.run')})
  OR EXISTS (SELECT 1 FROM batch_request b WHERE b.request = r.id)
  OR EXISTS (SELECT 1 FROM lease l WHERE l.request = r.id AND l.owner IN (SELECT value FROM json_each(@alive))))`
const isScoreUsed = `EXISTS (SELECT 1 FROM verdict v JOIN judgement j ON j.id = v.judgement WHERE v.score = z.id AND ${isCounted('j.run')})`
const isInstanceUsed = `n.id IN (SELECT r.instance FROM request r WHERE ${isRequestUsed})`
const isRecordUsed = `(EXISTS (SELECT 1 FROM item i WHERE i.record = c.id AND ${isCounted('i.run')})
  OR EXISTS (SELECT 1 FROM revision o JOIN judgement j ON j.id = o.judgement WHERE o.record = c.id AND ${isCounted('j.run')})
  OR c.id IN (SELECT z.record FROM score z WHERE ${isScoreUsed}))`
/** Values that lead to an answer which no run needs, or which is gone. */
const deadSent = `memory AS m WHERE m.name LIKE '${sentPattern}' AND NOT EXISTS (
  SELECT 1 FROM request r WHERE r.key = unhex(substr(m.text, ${sentDigitsAt}, 64)) AND ${isRequestUsed})`

type RowCounts = Pick<Garbage, 'requests' | 'responses' | 'scores' | 'records' | 'rowBytes'>

interface Count {
  readonly n: number
  readonly bytes: number | null
}

/** Reads the parameters of one look at the store. @param without the numbers of runs that do not count */
export function readParameters(context: Context, without: readonly number[]): Parameters {
  const owners = context.sql<{ owner: number }>('SELECT DISTINCT owner FROM lease').all()
  const alive = owners.flatMap(({ owner }) => (context.owners.isAlive(owner) ? [owner] : []))
  return { runs: JSON.stringify(without), alive: JSON.stringify(alive) }
}

/** Counts the rows that no run refers to, and the bytes of their texts. */
export function countDeadRows(context: Context, parameters: Parameters): RowCounts {
  const count = (sql: string): Count => context.sql<Count>(sql).get(parameters) ?? { n: 0, bytes: 0 }
  const requests = count(`SELECT count(*) AS n, 0 AS bytes FROM request r WHERE NOT ${isRequestUsed}`)
  const responses = count(
    `SELECT count(*) AS n, sum(octet_length(s.body) + octet_length(s.meta)) AS bytes
     FROM response s JOIN request r ON r.id = s.request WHERE NOT ${isRequestUsed}`,
  )
  const instances = count(
    `SELECT count(*) AS n, sum(octet_length(n.preimage)) AS bytes FROM instance n WHERE NOT ${isInstanceUsed}`,
  )
  const scores = count(`SELECT count(*) AS n, sum(octet_length(z.body)) AS bytes FROM score z WHERE NOT ${isScoreUsed}`)
  const records = count(
    `SELECT count(*) AS n, sum(octet_length(c.preimage)) AS bytes FROM record c WHERE NOT ${isRecordUsed}`,
  )
  const sent = count(`SELECT count(*) AS n, sum(octet_length(m.name) + octet_length(m.text)) AS bytes FROM ${deadSent}`)
  return {
    ...{ requests: requests.n, responses: responses.n, scores: scores.n, records: records.n },
    rowBytes: [responses, instances, scores, records, sent].reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
  }
}

/**
 * Deletes the rows that no run refers to. Call inside a write transaction, so that no process can refer to one meanwhile.
 *
 * The indexes exist only within the transaction. Without them, each deletion would look for references in the whole table.
 */
export function deleteDeadRows(context: Context, parameters: Parameters): void {
  const run = (sql: string): void => void context.sql(sql).run(parameters)
  context.db.exec('CREATE INDEX freed_instance ON request (instance); CREATE INDEX freed_record ON score (record)')
  run(`DELETE FROM score AS z WHERE NOT ${isScoreUsed}`)
  const dead = `SELECT r.id FROM request r WHERE NOT ${isRequestUsed}`
  for (const table of ['response', 'lease']) run(`DELETE FROM ${table} WHERE request IN (${dead})`)
  run(`DELETE FROM request AS r WHERE NOT ${isRequestUsed}`)
  run(`DELETE FROM ${deadSent}`)
  run('DELETE FROM instance AS n WHERE NOT EXISTS (SELECT 1 FROM request r WHERE r.instance = n.id)')
  run(`DELETE FROM record AS c WHERE NOT ${isRecordUsed}`)
  context.db.exec('DROP INDEX freed_instance; DROP INDEX freed_record')
}

/** Reads the media that rows refer to. */
export function readUsedMedia(context: Context, parameters: Parameters): ReadonlySet<MediaDigest> {
  const used = new Set<MediaDigest>()
  const texts = [
    `SELECT n.preimage AS text FROM instance n WHERE instr(n.preimage, '"media":') > 0 AND ${isInstanceUsed}`,
    `SELECT s.body AS text FROM response s JOIN request r ON r.id = s.request WHERE instr(s.body, '"media":') > 0 AND ${isRequestUsed}`,
    `SELECT c.preimage AS text FROM record c WHERE instr(c.preimage, '"media":') > 0 AND ${isRecordUsed}`,
  ]
  for (const sql of texts)
    for (const { text } of context.sql<{ text: string }>(sql).iterate(parameters))
      for (const digest of mediaIn(text)) used.add(parseDigest<'media'>(digest))
  return used
}

/** Reads the values that name media. */
export function readRemembered(context: Context): readonly RememberedMedia[] {
  const rows = rememberedPrefixes.flatMap(prefix =>
    context
      .sql<{ name: string; text: string }>('SELECT name, text FROM memory WHERE substr(name, 1, ?) = ?')
      .all(prefix.length, prefix),
  )
  return rows.flatMap(({ name, text }) => readRememberedMedia(name, text) ?? [])
}
