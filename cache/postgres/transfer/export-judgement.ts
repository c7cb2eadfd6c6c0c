import type { PortableJudgement, VerdictRow } from '../../bundle/portable.js'
import type { Judgement, Run } from '../../records.js'
import { describeJudgement, toVerdictRow, type StoredVerdict } from '../../rows/judging/judgements.js'
import { digestSql, fromColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { pages } from '../pages.js'

/** Reads a judgement as rows that mean the same in every store. */
export async function portableJudgement(
  context: Context,
  query: Query,
  run: Run,
  judgement: Judgement,
): Promise<PortableJudgement & { readonly stamp: string }> {
  const [count] = await query<{ n: number; last: number | null }>(
    'SELECT count(*) AS n, max(score) AS last FROM verdict WHERE judgement = $1',
    [judgement.ref],
  )
  return { ...describeJudgement(judgement, count), verdicts: () => verdicts(context, run, judgement) }
}

const verdictsSql = `
  SELECT d.task, d.doc, i.doc_id, c.id AS record, z.id AS score, ${digestSql('z.key')} AS score_key, encode(z.answers, 'hex') AS answers, z.body, z.sum,
    ${digestSql('c.key')} AS record_key, CASE WHEN o.record IS NOT NULL THEN c.preimage END AS revision
  FROM ((SELECT task, doc FROM verdict WHERE judgement = $1 AND (task, doc) > ($3, $4) ORDER BY task, doc LIMIT 500)
      UNION (SELECT task, doc FROM revision WHERE judgement = $1 AND (task, doc) > ($3, $4) ORDER BY task, doc LIMIT 500)) d
    LEFT JOIN LATERAL (SELECT * FROM item i WHERE i.run = $2 AND i.task = d.task AND i.doc = d.doc ORDER BY i.choice, i.sample LIMIT 1) i ON true
    LEFT JOIN verdict v ON v.judgement = $1 AND v.task = d.task AND v.doc = d.doc LEFT JOIN score z ON z.id = v.score
    LEFT JOIN revision o ON o.judgement = $1 AND o.task = d.task AND o.doc = d.doc
    LEFT JOIN record c ON c.id = coalesce(o.record, i.record)
  ORDER BY d.task, d.doc LIMIT 500`

/** Reads the score of each doc in a judgement, and the records that the judgement revised. */
export async function* verdicts(
  context: Context,
  run: Run,
  judgement: Judgement,
): AsyncGenerator<readonly VerdictRow[]> {
  const read = (last: StoredVerdict | undefined): Promise<readonly StoredVerdict[]> =>
    context.db.read(query => query(verdictsSql, [judgement.ref, run.ref, last?.task ?? -1, last?.doc ?? -1]))
  for await (const rows of pages<StoredVerdict>(read))
    yield rows.map(row => toVerdictRow(context, run, { ...row, doc_id: fromColumn(row.doc_id) }))
}
