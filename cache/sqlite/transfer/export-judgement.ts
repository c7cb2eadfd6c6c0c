import type { PortableJudgement, VerdictRow } from '../../bundle/portable.js'
import type { Judgement, Run } from '../../records.js'
import type { Context } from '../connection/context.js'
import { readFewRows, pages } from '../pages.js'
import { digestSql } from '../rows.js'
import { describeJudgement, toVerdictRow, type StoredVerdict } from '../../rows/judging/judgements.js'
import { DamagedRowError } from '../../rows/sums.js'

/** Reads a judgement as rows that mean the same in every store. */
export function portableJudgement(
  context: Context,
  run: Run,
  judgement: Judgement,
): PortableJudgement & { readonly stamp: string } {
  const count = context
    .sql<{ n: number; last: number | null }>(
      'SELECT count(*) AS n, max(score) AS last FROM verdict WHERE judgement = ?',
    )
    .get(judgement.ref)
  return { ...describeJudgement(judgement, count), verdicts: () => verdicts(context, run, judgement) }
}

/** Reads the score of each doc in a judgement, and the records that the judgement revised. */
export async function* verdicts(
  context: Context,
  run: Run,
  judgement: Judgement,
): AsyncGenerator<readonly VerdictRow[]> {
  type Row = StoredVerdict & { readonly verdict: number | null }
  const sql = `
    SELECT d.task, d.doc, i.doc_id, c.id AS record, v.score AS verdict, z.id AS score, ${digestSql('z.key')} AS score_key, lower(hex(z.answers)) AS answers, z.body, z.sum, ${digestSql('c.key')} AS record_key,
      CASE WHEN o.record IS NOT NULL THEN c.preimage END AS revision
    FROM (SELECT task, doc FROM verdict WHERE judgement = @judgement UNION SELECT task, doc FROM revision WHERE judgement = @judgement) d
      LEFT JOIN item i ON i.run = @run AND i.task = d.task AND i.doc = d.doc
      LEFT JOIN verdict v ON v.judgement = @judgement AND v.task = d.task AND v.doc = d.doc LEFT JOIN score z ON z.id = v.score
      LEFT JOIN revision o ON o.judgement = @judgement AND o.task = d.task AND o.doc = d.doc
      LEFT JOIN record c ON c.id = coalesce(o.record, i.record)
    WHERE (d.task, d.doc) > (@task, @doc) GROUP BY d.task, d.doc ORDER BY d.task, d.doc`
  const read = (last: Row | undefined): readonly Row[] =>
    readFewRows(
      context
        .sql<Row>(sql)
        .iterate({ judgement: judgement.ref, run: run.ref, task: last?.task ?? -1, doc: last?.doc ?? -1 }),
      ({ body, revision }) => (body?.length ?? 0) + (revision?.length ?? 0),
    )
  for await (const rows of pages<Row>(read))
    yield rows.map(row => {
      if (row.verdict !== null && row.score === null) throw new DamagedRowError('score', row.verdict)
      return toVerdictRow(context, run, row)
    })
}
