import type { Judgement, Run } from '../../records.js'
import { byDoc, checkItem } from '../../rows/answers.js'
import { toSample, type SampleRow } from '../../rows/judging/samples.js'
import { DamagedRowError } from '../../rows/sums.js'
import type { DocPlace, Sample } from '../../store.js'
import { digestSql, fromColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { readFailures } from '../work/failures.js'
import { failureOfItem } from '../work/item-sql.js'
import { readGenerations } from '../work/leases.js'

/** @param from reads the items `i` of the run $1 */
const makeDocsSql = (from: string): string => `
  SELECT i.id AS item, i.record AS item_record, i.sum AS item_sum, i.task, i.doc, i.choice, i.sample, i.doc_id, coalesce(o.record, i.record) AS record, ${digestSql('c.key')} AS record_key, c.preimage AS record_text,
    i.request, ${digestSql('r.key')} AS key, r.sample AS request_sample, ${digestSql('g.key')} AS config_key, ${digestSql('k.key')} AS code_key, r.config, n.id AS instance, ${digestSql('n.key')} AS input_key, n.preimage AS input, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum,
    v.score AS verdict, z.id AS score, z.record AS score_record, z.body AS score_body, z.sum AS score_sum,
    CASE WHEN s.seq IS NULL THEN ${failureOfItem} END AS failure
  FROM ${from} LEFT JOIN revision o ON o.judgement = $2 AND o.task = i.task AND o.doc = i.doc
    LEFT JOIN record c ON c.id = coalesce(o.record, i.record)
    LEFT JOIN request r ON r.id = i.request LEFT JOIN instance n ON n.id = r.instance
    LEFT JOIN preimage g ON g.id = r.config LEFT JOIN preimage k ON k.id = r.code LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = $2 AND v.task = i.task AND v.doc = i.doc LEFT JOIN score z ON z.id = v.score`
const pageSql = `${makeDocsSql('item i')} WHERE i.run = $1 AND (i.task, i.doc) > ($3, $4) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT $5`
const placesSql = `
  ${makeDocsSql('unnest($3::integer[], $4::integer[]) u(task, doc) JOIN item i ON i.run = $1 AND i.task = u.task AND i.doc = u.doc')}
  ORDER BY i.task, i.doc, i.choice, i.sample`

const pageSize = 1000

interface SampleSelection {
  readonly judgement: Judgement | undefined
  readonly after: DocPlace | undefined
  readonly first?: number | undefined
}

/** Reads docs of a run in the order of task and doc, one page at a time. */
export async function* samples(
  context: Context,
  run: Run,
  { judgement, after, first }: SampleSelection,
): AsyncGenerator<Sample> {
  // This check covers the whole judgement, so it runs only with the first page.
  if (judgement !== undefined && after === undefined) await context.db.read(query => refuseLostDocs(query, judgement))
  let place = { task: after?.task ?? -1, doc: after?.index ?? -1 }
  // One more, because the last doc of a full page is left for the next.
  let limit = first === undefined ? pageSize : first + 1
  for (;;) {
    const page = await context.db.read(query => readPage(context, query, { run, judgement, place, limit }))
    yield* page.samples
    if (page.isLast) return
    if (page.last === undefined) limit *= 2
    else {
      place = page.last
      limit = Math.max(limit, pageSize)
    }
  }
}

async function readPage(
  context: Context,
  query: Query,
  wanted: {
    readonly run: Run
    readonly judgement: Judgement | undefined
    readonly place: { readonly task: number; readonly doc: number }
    readonly limit: number
  },
) {
  const { run, judgement, place, limit } = wanted
  const rows = await query<SampleRow>(pageSql, [run.ref, judgement?.ref ?? null, place.task, place.doc, limit])
  const groups = groupDocs(rows)
  const isLast = rows.length < limit
  // The last doc of a full page may be incomplete. The next page starts with it again.
  if (!isLast) groups.pop()
  const last = groups.at(-1)?.[0]
  return {
    samples: await makeSamples(context, query, run, groups),
    isLast,
    last: last && { task: last.task, doc: last.doc },
  }
}

/** Reads the docs at places in a run. */
export const samplesAt = (
  context: Context,
  run: Run,
  judgement: Judgement | undefined,
  places: readonly DocPlace[],
): Promise<readonly Sample[]> =>
  context.db.read(async query => {
    const rows = await query<SampleRow>(placesSql, [
      ...[run.ref, judgement?.ref ?? null],
      ...[places.map(({ task }) => task), places.map(({ index }) => index)],
    ])
    return makeSamples(context, query, run, groupDocs(rows))
  })

const groupDocs = (rows: readonly SampleRow[]) => byDoc(rows.map(row => ({ ...row, doc_id: fromColumn(row.doc_id) })))

async function makeSamples(
  context: Context,
  query: Query,
  run: Run,
  groups: readonly (readonly SampleRow[])[],
): Promise<readonly Sample[]> {
  const rows = groups.flat()
  for (const row of rows) checkItem(context, run.ref, row)
  const failures = await readFailures(
    context,
    query,
    rows.flatMap(({ failure }) => failure ?? []),
  )
  const findGeneration = await readGenerations(
    query,
    rows.map(({ config }) => config),
  )
  const sources = { sum: context.sum, findGeneration, findFailure: (id: number) => failures.get(id) }
  return groups.map(group => toSample(sources, group))
}

/** @throws DamagedRowError if a scored doc is missing, because the results would silently lack it */
async function refuseLostDocs(query: Query, { ref, run }: Judgement): Promise<void> {
  const [lost] = await query<{ score: number }>(
    `SELECT v.score FROM verdict v WHERE v.judgement = $1
       AND NOT EXISTS (SELECT 1 FROM item i WHERE i.run = $2 AND i.task = v.task AND i.doc = v.doc) LIMIT 1`,
    [ref, run],
  )
  if (lost !== undefined) throw new DamagedRowError('item', `of score ${lost.score}`)
}
