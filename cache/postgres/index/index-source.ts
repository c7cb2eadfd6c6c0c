import {
  hasAllDocs,
  SampleCounts,
  type FactRow,
  type IndexSource,
  type MovedDoc,
  type NewestRows,
  type RunStamp,
  type TextSourceRow,
} from '../../sqlite/index/source/index-source.js'
import type { DocPlace } from '../../store.js'
import { digestSql, fromColumn } from '../connection/context.js'
import type { Database } from '../connection/database.js'
import { failureOfItem } from '../work/item-sql.js'

const versionSql = `
  SELECT (SELECT sum(value) FROM counter)::bigint + (SELECT last_value FROM failure_id_seq) AS n`
const progressSql = 'SELECT coalesce(sum(docs), 0)::bigint AS n FROM input_progress WHERE run = $1'
const countSql = 'SELECT count(*) AS n FROM (SELECT DISTINCT task, doc FROM item WHERE run = $1) d'
const placesSql = 'SELECT DISTINCT task, doc AS index FROM item WHERE run = $1 ORDER BY task, doc LIMIT $2 OFFSET $3'

const stampSql = `
  SELECT (SELECT started FROM run WHERE id = $1) AS started,
    (SELECT string_agg(task || ':' || docs || ':' || finished, ',' ORDER BY task) FROM input_progress WHERE run = $1) AS progress,
    (SELECT finished FROM judgement WHERE id = $2) AS finished,
    EXISTS (SELECT 1 FROM working WHERE run = $1) AS "isWorkedOn"`
const newestSql = `
  SELECT (SELECT max(seq) FROM response) AS response, (SELECT max(id) FROM failure) AS failure, (SELECT max(id) FROM score) AS score`

const factsSql = `
  SELECT i.task, i.doc, i.doc_id, s.meta, s.body, z.body AS score,
    CASE WHEN s.seq IS NULL THEN ${failureOfItem} END AS failure,
    CASE WHEN z.id IS NULL THEN (SELECT n.preimage FROM request r JOIN instance n ON n.id = r.instance WHERE r.id = i.request) END AS input
  FROM item i LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = $2 AND v.task = i.task AND v.doc = i.doc LEFT JOIN score z ON z.id = v.score
  WHERE i.run = $1 AND (i.task, i.doc) > ($3, $4) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT $5`

const textColumns = `
  SELECT i.task, i.doc, i.doc_id, n.preimage AS input, c.preimage AS record, s.body
  FROM item i LEFT JOIN record c ON c.id = i.record LEFT JOIN request r ON r.id = i.request
    LEFT JOIN instance n ON n.id = r.instance LEFT JOIN response s ON s.request = i.request`
const textsSql = `${textColumns}
  WHERE i.run = $1 AND (i.task, i.doc) > ($2, $3) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT $4`
const docSql = `${textColumns} WHERE i.run = $1 AND i.task = $2 AND i.doc = $3 ORDER BY i.choice, i.sample`
const movedSql = {
  response: `
    SELECT s.seq AS number, i.task, i.doc AS index FROM response s JOIN item i ON i.request = s.request AND i.run = $1
    WHERE s.seq > $2 ORDER BY s.seq LIMIT 1000`,
  failure: `
    SELECT f.id AS number, i.task, i.doc AS index FROM failure f JOIN item i ON i.id = f.item
    WHERE f.run = $1 AND f.id > $2 ORDER BY f.id LIMIT 1000`,
} as const

const namesSql = `SELECT ${digestSql('key')} || ' ' || id || ' ' || created AS name FROM run`

/** Makes the index's source for a store on PostgreSQL. The caller owns the database. */
export function makePostgresSource(db: Database): IndexSource {
  const counts = new SampleCounts()
  const readRows = <Row>(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    db.read(query => query<Row>(sql, values))
  const number = async (sql: string, ...values: readonly unknown[]): Promise<number> =>
    (await readRows<{ readonly n: number }>(sql, ...values))[0]?.n ?? 0
  const readNamed = async <Row extends { readonly doc_id: string }>(rows: Promise<readonly Row[]>): Promise<Row[]> =>
    (await rows).map(row => ({ ...row, doc_id: fromColumn(row.doc_id) }))
  const version = (): Promise<number> => number(versionSql)
  return {
    version,
    countSamples: async target =>
      hasAllDocs(target)
        ? number(progressSql, target.run.ref)
        : counts.read(target, await version(), () => number(countSql, target.run.ref)),
    listPlaces: ({ run }, offset, limit) => readRows<DocPlace>(placesSql, run.ref, limit, offset),
    readStamp: async ({ run, judgement }) =>
      (await readRows<RunStamp & { readonly isWorkedOn: boolean }>(stampSql, run.ref, judgement?.ref ?? null))[0],
    readNewest: async () =>
      (await readRows<NewestRows & { readonly score: number | null }>(newestSql))[0] ?? {
        response: null,
        failure: null,
        score: null,
      },
    readFacts: ({ run, judgement }, { task, index }, limit) =>
      readNamed(readRows<FactRow>(factsSql, run.ref, judgement?.ref ?? null, task, index, limit)),
    readTexts: ({ run }, { task, index }, limit) =>
      readNamed(readRows<TextSourceRow>(textsSql, run.ref, task, index, limit)),
    readDocText: ({ run }, { task, index }) => readNamed(readRows<TextSourceRow>(docSql, run.ref, task, index)),
    listMoved: (kind, { run }, after) => readRows<MovedDoc>(movedSql[kind], run.ref, after),
    listRunNames: async () => (await readRows<{ readonly name: string }>(namesSql)).map(({ name }) => name),
    close: () => Promise.resolve(),
  }
}
