import type { DocPlace } from '../../../store.js'
import { openToRead } from '../../connection/database.js'
import { failureOfItem } from '../../work/stored-rows.js'
import {
  hasAllDocs,
  SampleCounts,
  type FactRow,
  type IndexSource,
  type MovedDoc,
  type NewestRows,
  type RunStamp,
  type TextSourceRow,
} from './index-source.js'

const progressSql = 'SELECT coalesce(sum(docs), 0) FROM input_progress WHERE run = ?'
const countSql = 'SELECT count(*) FROM (SELECT DISTINCT task, doc FROM item WHERE run = ?)'
const placesSql = 'SELECT DISTINCT task, doc AS "index" FROM item WHERE run = ? ORDER BY task, doc LIMIT ? OFFSET ?'

const stampSql = `
  SELECT (SELECT started FROM run WHERE id = @run) AS started,
    (SELECT group_concat(task || ':' || docs || ':' || finished) FROM input_progress WHERE run = @run) AS progress,
    (SELECT finished FROM judgement WHERE id = @judgement) AS finished,
    EXISTS (SELECT 1 FROM working WHERE run = @run) AS working`
const newestSql = `
  SELECT (SELECT max(seq) FROM response) AS response, (SELECT max(id) FROM failure) AS failure, (SELECT max(id) FROM score) AS score`

const factsSql = `
  SELECT i.task, i.doc, i.doc_id, s.meta, z.body AS score,
    CASE WHEN json_valid(s.body) AND s.body ->> '$.logprob' IS NULL THEN length(s.body ->> '$.text') END AS characters,
    CASE WHEN s.seq IS NULL THEN ${failureOfItem} END AS failure,
    CASE WHEN z.id IS NULL THEN s.body END AS body,
    CASE WHEN z.id IS NULL THEN (SELECT n.preimage FROM request r JOIN instance n ON n.id = r.instance WHERE r.id = i.request) END AS input
  FROM item i LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = @judgement AND v.task = i.task AND v.doc = i.doc LEFT JOIN score z ON z.id = v.score
  WHERE i.run = @run AND (i.task, i.doc) > (@task, @doc) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT @limit`

const textColumns = `
  SELECT i.task, i.doc, i.doc_id, n.preimage AS input, c.preimage AS record, s.body
  FROM item i LEFT JOIN record c ON c.id = i.record LEFT JOIN request r ON r.id = i.request
    LEFT JOIN instance n ON n.id = r.instance LEFT JOIN response s ON s.request = i.request`
const textsSql = `${textColumns}
  WHERE i.run = @run AND (i.task, i.doc) > (@task, @doc) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT @limit`
const docSql = `${textColumns} WHERE i.run = @run AND i.task = @task AND i.doc = @doc ORDER BY i.choice, i.sample`
const movedSql = {
  response: `
    SELECT s.seq AS number, i.task, i.doc AS "index" FROM response s JOIN item i ON i.request = s.request AND i.run = @run
    WHERE s.seq > @after ORDER BY s.seq LIMIT 1000`,
  failure: `
    SELECT f.id AS number, i.task, i.doc AS "index" FROM failure f JOIN item i ON i.id = f.item
    WHERE f.run = @run AND f.id > @after ORDER BY f.id LIMIT 1000`,
} as const

const namesSql = "SELECT 'sha256:' || lower(hex(key)) || ' ' || id || ' ' || created FROM run"

/** Opens the index's source for a store in a folder, with its own connection. */
export function openSqliteSource(dir: string): IndexSource {
  const { db, dispose } = openToRead(dir)
  const counts = new SampleCounts()
  const readRows = <Row>(sql: string, ...values: readonly unknown[]): Promise<readonly Row[]> =>
    Promise.resolve(db.prepare<unknown[], Row>(sql).all(...values))
  const number = (sql: string, ref: number): number => db.prepare<unknown[], number>(sql).pluck().get(ref) ?? 0
  const version = (): number => Number(db.pragma('data_version', { simple: true }))
  const at = ({ task, index }: DocPlace) => ({ task, doc: index })
  return {
    version: () => Promise.resolve(version()),
    countSamples: async target =>
      hasAllDocs(target)
        ? number(progressSql, target.run.ref)
        : counts.read(target, version(), () => Promise.resolve(number(countSql, target.run.ref))),
    listPlaces: ({ run }, offset, limit) => readRows<DocPlace>(placesSql, run.ref, limit, offset),
    readStamp({ run, judgement }) {
      const row = db
        .prepare<unknown[], RunStamp & { readonly working: number }>(stampSql)
        .get({ run: run.ref, judgement: judgement?.ref ?? null })
      if (row === undefined) return Promise.resolve(undefined)
      const { working, ...settled } = row
      return Promise.resolve({ ...settled, isWorkedOn: working === 1 })
    },
    readNewest: () =>
      Promise.resolve(
        db.prepare<[], NewestRows & { readonly score: number | null }>(newestSql).get() ?? {
          response: null,
          failure: null,
          score: null,
        },
      ),
    readFacts: ({ run, judgement }, after, limit) =>
      readRows<FactRow>(factsSql, { run: run.ref, judgement: judgement?.ref ?? null, ...at(after), limit }),
    readTexts: ({ run }, after, limit) => readRows<TextSourceRow>(textsSql, { run: run.ref, ...at(after), limit }),
    readDocText: ({ run }, place) => readRows<TextSourceRow>(docSql, { run: run.ref, ...at(place) }),
    listMoved: (kind, { run }, after) => readRows<MovedDoc>(movedSql[kind], { run: run.ref, after }),
    listRunNames: () => Promise.resolve(db.prepare<[], string>(namesSql).pluck().all()),
    close() {
      db.close()
      dispose()
      return Promise.resolve()
    },
  }
}
