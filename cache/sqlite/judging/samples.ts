import { rememberGenerations } from '../work/leases.js'
import type { Judgement, Run } from '../../records.js'
import type { Context } from '../connection/context.js'
import type { CodeKey, ConfigKey } from '../../digest.js'
import { digestSql } from '../rows.js'
import { failureOfItem, readFailure } from '../work/stored-rows.js'
import type { DocPlace, Sample } from '../../store.js'
import { byDoc, checkItem, type CheckableItem } from '../../rows/answers.js'
import { type SampleRow, toSample } from '../../rows/judging/samples.js'
import { DamagedRowError } from '../../rows/sums.js'

/**
 * Makes the query for the rows of a run's items after a place, with the joined rows: `c` the record, `r` the request, `n` its input, `s` its
 * response, and `z` the score. Its parameters are `run`, `judgement`, `task`, `doc` and `limit`.
 *
 * @param columns further columns besides {@link DocRow}, the record, the request's keys and the score
 */
export const docsQuery = (columns: string): string => `
  SELECT i.id AS item, i.record AS item_record, i.sum AS item_sum, i.task, i.doc, i.choice, i.sample, i.doc_id, coalesce(o.record, i.record) AS record, ${digestSql('c.key')} AS record_key, c.preimage AS record_text,
    i.request, ${digestSql('r.key')} AS key, r.sample AS request_sample, NULL AS config_key, NULL AS code_key, r.config, r.code, n.id AS instance, ${digestSql('n.key')} AS input_key, s.seq,
    v.score AS verdict, z.id AS score, z.record AS score_record, z.body AS score_body, z.sum AS score_sum,
    ${columns}
  FROM item i LEFT JOIN revision o ON o.judgement = @judgement AND o.task = i.task AND o.doc = i.doc
    LEFT JOIN record c ON c.id = coalesce(o.record, i.record)
    LEFT JOIN request r ON r.id = i.request LEFT JOIN instance n ON n.id = r.instance
    LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = @judgement AND v.task = i.task AND v.doc = i.doc LEFT JOIN score z ON z.id = v.score
  WHERE i.run = @run AND (i.task, i.doc) > (@task, @doc) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT @limit`

const pageSql = docsQuery(
  `n.preimage AS input, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum, CASE WHEN s.seq IS NULL THEN ${failureOfItem} END AS failure`,
)

const pageSize = 1000

/** Reads docs of a run in the order of task and doc, one page at a time, so that no read transaction blocks writers. */
export async function* samples(
  context: Context,
  run: Run,
  { judgement, after, first }: Omit<ReadDocs<SampleRow, Sample>, 'sql' | 'makeDoc'>,
): AsyncGenerator<Sample> {
  const sources = {
    sum: context.sum,
    findGeneration: rememberGenerations(context),
    findFailure: (id: number) => readFailure(context, id),
  }
  const makeDoc = (rows: readonly SampleRow[]): Sample => toSample(sources, rows)
  yield* readDocs<SampleRow, Sample>(context, run, { sql: pageSql, judgement, after, first, makeDoc })
}

/** The columns of a doc's item that every reader of docs needs. */
export interface DocRow extends CheckableItem {
  readonly config: number
  readonly config_key: ConfigKey | null
  readonly code_key: CodeKey | null
}

/** A row without the keys of its config and code. They are looked up separately, because a run has few of them and the join costs a tenth of the query. */
type PageRow<Row> = { -readonly [Name in keyof Row]: Row[Name] } & { readonly code: number | null }

interface ReadDocs<Row, Doc> {
  /** A query of {@link docsQuery}. */
  readonly sql: string
  readonly judgement: Judgement | undefined
  readonly after: DocPlace | undefined
  readonly first?: number | undefined
  /** Makes a doc of the checked rows of its items. */
  readonly makeDoc: (rows: readonly Row[]) => Doc
}

/** Reads a run's docs with a query, one page at a time. */
export async function* readDocs<Row extends DocRow, Doc>(
  context: Context,
  run: Run,
  { sql, judgement, after, first, makeDoc }: ReadDocs<Row, Doc>,
): AsyncGenerator<Doc> {
  // This check covers the whole judgement, so it runs only with the first page.
  if (judgement !== undefined && after === undefined) refuseLostDocs(context, judgement)
  const findKey = rememberKeys(context)
  let place = { task: after?.task ?? -1, doc: after?.index ?? -1 }
  // One more, because the last doc of a full page is left for the next.
  let limit = first === undefined ? pageSize : first + 1
  for (;;) {
    const rows = context
      .sql<PageRow<Row>>(sql)
      .all({ run: run.ref, judgement: judgement?.ref ?? null, ...place, limit })
    for (const row of rows) {
      row.config_key = findKey(row.config) as ConfigKey | null
      row.code_key = findKey(row.code) as CodeKey | null
    }
    const groups = byDoc(rows)
    // The last doc of a full page may be incomplete. The next page starts with it again.
    if (rows.length === limit) groups.pop()
    if (groups.length === 0) {
      if (rows.length < limit) return
      limit *= 2
      continue
    }
    for (const row of groups.flat()) checkItem(context, run.ref, row)
    for (const group of groups) yield makeDoc(group)
    const last = groups.at(-1)?.[0]
    if (last === undefined || rows.length < limit) return
    place = { task: last.task, doc: last.doc }
    limit = Math.max(limit, pageSize)
    await new Promise(setImmediate)
  }
}

/** Makes a function that reads the key of a preimage, and reads each key once. Null if the preimage is missing. */
function rememberKeys(context: Context): (id: number | null) => string | null {
  const known = new Map<number, string | null>()
  return id => {
    if (id === null) return null
    let key = known.get(id)
    if (key === undefined) {
      key =
        context.sql<{ key: string }>(`SELECT ${digestSql('key')} AS key FROM preimage WHERE id = ?`).get(id)?.key ??
        null
      known.set(id, key)
    }
    return key
  }
}

const lostSql = `
  SELECT v.score FROM verdict v WHERE v.judgement = @judgement
    AND NOT EXISTS (SELECT 1 FROM item i WHERE i.run = @run AND i.task = v.task AND i.doc = v.doc) LIMIT 1`

/** @throws DamagedRowError if a scored doc is missing, because the results would silently lack it */
function refuseLostDocs(context: Context, { ref: judgement, run }: Judgement): void {
  const lost = context.sql<{ score: number }>(lostSql).get({ judgement, run })
  if (lost !== undefined) throw new DamagedRowError('item', `of score ${lost.score}`)
}
