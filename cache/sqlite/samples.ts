import type { AnswerDigest, InputKey, RecordKey, ResponseKey } from '../digest.js'
import type { GenerationKwargs, Input, Judgement, JudgeRecord, ResponseMeta, Run, ScoreBody } from '../records.js'
import type { Sample, SampleItem } from '../store.js'
import type { Context } from './context.js'
import { checkedText } from './interning.js'
import { byDoc } from './doc-groups.js'
import { checkedBody } from './responses.js'
import { checkedScore } from './scores.js'
import { readFailure } from './failures.js'
import { checkItem, type CheckableItem } from './items.js'
import { generationOf } from './leases.js'
import { digestSql } from './rows.js'

interface Row extends CheckableItem {
  readonly record: number
  readonly record_key: RecordKey
  readonly record_text: string
  readonly key: ResponseKey
  readonly config: number
  readonly instance: number
  readonly input_key: InputKey
  readonly input: string
  readonly seq: number | null
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
  readonly score: number | null
  readonly score_body: string
  readonly score_sum: number
  readonly failure: number | null
}

// The same rule for which failure tells on an item as in runs.ts.
const pageSql = `
  SELECT i.id AS item, i.record AS item_record, i.sum AS item_sum, i.task, i.doc, i.choice, i.sample, i.doc_id, c.id AS record, ${digestSql('c.key')} AS record_key, c.preimage AS record_text,
    i.request, ${digestSql('r.key')} AS key, r.config, n.id AS instance, ${digestSql('n.key')} AS input_key, n.preimage AS input, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum,
    z.id AS score, z.body AS score_body, z.sum AS score_sum,
    CASE WHEN s.seq IS NULL THEN (SELECT max(f.id) FROM failure f
      WHERE f.item = i.id OR (f.request = i.request AND (f.permanent OR f.run = i.run))) END AS failure
  FROM item i LEFT JOIN revision o ON o.judgement = @judgement AND o.task = i.task AND o.doc = i.doc
    JOIN record c ON c.id = coalesce(o.record, i.record)
    LEFT JOIN request r ON r.id = i.request LEFT JOIN instance n ON n.id = r.instance LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = @judgement AND v.task = i.task AND v.doc = i.doc LEFT JOIN score z ON z.id = v.score
  WHERE i.run = @run AND (i.task, i.doc) > (@task, @doc) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT @limit`

const pageSize = 1000

/** All docs of a run in the order of task and doc, a page at a time, so that no read stands open while others write. */
export async function* samples(context: Context, run: Run, judgement: Judgement | undefined): AsyncGenerator<Sample> {
  let place = { task: -1, doc: -1 }
  let limit = pageSize
  for (;;) {
    const rows = context.sql<Row>(pageSql).all({ run: run.ref, judgement: judgement?.ref ?? null, ...place, limit })
    const groups = byDoc(rows)
    // The last doc of a full page may be cut short: it comes again with the next.
    if (rows.length === limit) groups.pop()
    if (groups.length === 0) {
      if (rows.length < limit) return
      limit *= 2
      continue
    }
    for (const row of groups.flat()) checkItem(context, run.ref, row)
    for (const group of groups) yield toSample(context, group)
    const last = groups.at(-1)?.[0]
    if (last === undefined || rows.length < limit) return
    place = { task: last.task, doc: last.doc }
    await new Promise(setImmediate)
  }
}

function toSample(context: Context, rows: readonly Row[]): Sample {
  const [first] = rows
  if (first === undefined) throw new Error('internal error: a doc without items')
  return {
    task: first.task,
    index: first.doc,
    id: first.doc_id,
    record: JSON.parse(checkedText('record', first.record, first.record_key, first.record_text)) as JudgeRecord,
    items: rows.map(row => toItem(context, row)),
    ...(first.score === null
      ? {}
      : { score: scoreOf(context, { id: first.score, body: first.score_body, sum: first.score_sum }) }),
  }
}

const scoreOf = (context: Context, row: { id: number; body: string; sum: number }): ScoreBody =>
  checkedScore(context, row)

function toItem(context: Context, row: Row): SampleItem {
  const failure = row.failure === null ? undefined : readFailure(context, row.failure)
  return {
    choice: row.choice,
    sample: row.sample,
    ...(row.request === null ? {} : { request: requestOf(context, row) }),
    ...(row.seq === null
      ? {}
      : { response: { body: checkedBody(context, row), meta: JSON.parse(row.meta) as ResponseMeta } }),
    ...(failure === undefined ? {} : { failure }),
  }
}

function requestOf(context: Context, row: Row): NonNullable<SampleItem['request']> {
  const input = JSON.parse(checkedText('instance', row.instance, row.input_key, row.input)) as Input
  return {
    key: row.key,
    input,
    generation: generationOf(context, row.config) satisfies GenerationKwargs,
  }
}
