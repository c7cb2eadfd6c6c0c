import type { AnswerDigest, CodeKey, ConfigKey, InputKey, RecordKey, ResponseKey } from '../../digest.js'
import { responseKey } from '../../keys.js'
import type { GenerationKwargs, Input, Judgement, JudgeRecord, ResponseMeta, Run, ScoreBody } from '../../records.js'
import type { Context } from '../connection/context.js'
import { checkedScore } from './scores.js'
import { DamagedRowError, digestSql } from '../rows.js'
import { checkedText } from '../work/interning.js'
import { readGenerationKwargs } from '../work/leases.js'
import { failureOfItem, byDoc, readFailure, checkedBody, checkItem, type CheckableItem } from '../work/stored-rows.js'
import type { DocPlace, Sample, SampleItem } from '../../store.js'

interface Row extends CheckableItem {
  readonly record: number
  readonly record_key: RecordKey
  /** Null if the record is missing. The same holds for the other columns that an item refers to. */
  readonly record_text: string | null
  readonly key: ResponseKey | null
  readonly request_sample: number
  readonly config_key: ConfigKey | null
  readonly code_key: CodeKey | null
  readonly config: number
  readonly instance: number
  readonly input_key: InputKey
  readonly input: string | null
  readonly seq: number | null
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
  readonly verdict: number | null
  readonly score: number | null
  readonly score_record: number | null
  readonly score_body: string
  readonly score_sum: number
  readonly failure: number | null
}

const pageSql = `
  SELECT i.id AS item, i.record AS item_record, i.sum AS item_sum, i.task, i.doc, i.choice, i.sample, i.doc_id, coalesce(o.record, i.record) AS record, ${digestSql('c.key')} AS record_key, c.preimage AS record_text,
    i.request, ${digestSql('r.key')} AS key, r.sample AS request_sample, ${digestSql('g.key')} AS config_key, ${digestSql('k.key')} AS code_key, r.config, n.id AS instance, ${digestSql('n.key')} AS input_key, n.preimage AS input, s.seq, ${digestSql('s.digest')} AS digest, s.body, s.meta, s.sum,
    v.score AS verdict, z.id AS score, z.record AS score_record, z.body AS score_body, z.sum AS score_sum,
    CASE WHEN s.seq IS NULL THEN ${failureOfItem} END AS failure
  FROM item i LEFT JOIN revision o ON o.judgement = @judgement AND o.task = i.task AND o.doc = i.doc
    LEFT JOIN record c ON c.id = coalesce(o.record, i.record)
    LEFT JOIN request r ON r.id = i.request LEFT JOIN instance n ON n.id = r.instance
    LEFT JOIN preimage g ON g.id = r.config LEFT JOIN preimage k ON k.id = r.code LEFT JOIN response s ON s.request = i.request
    LEFT JOIN verdict v ON v.judgement = @judgement AND v.task = i.task AND v.doc = i.doc LEFT JOIN score z ON z.id = v.score
  WHERE i.run = @run AND (i.task, i.doc) > (@task, @doc) ORDER BY i.task, i.doc, i.choice, i.sample LIMIT @limit`

const pageSize = 1000

/** Reads docs of a run in the order of task and doc, one page at a time, so that no read transaction blocks writers. */
export async function* samples(
  context: Context,
  run: Run,
  {
    judgement,
    after,
    first,
  }: {
    readonly judgement: Judgement | undefined
    readonly after: DocPlace | undefined
    readonly first?: number | undefined
  },
): AsyncGenerator<Sample> {
  // This looks at the whole judgement, so whoever reads a page at a time has it checked with the first.
  if (judgement !== undefined && after === undefined) refuseLostDocs(context, judgement)
  const generations = new Map<number, GenerationKwargs>()
  let place = { task: after?.task ?? -1, doc: after?.index ?? -1 }
  // One more, because the last doc of a full page is left for the next.
  let limit = first === undefined ? pageSize : first + 1
  for (;;) {
    const rows = context.sql<Row>(pageSql).all({ run: run.ref, judgement: judgement?.ref ?? null, ...place, limit })
    const groups = byDoc(rows)
    // The last doc of a full page may be incomplete. The next page starts with it again.
    if (rows.length === limit) groups.pop()
    if (groups.length === 0) {
      if (rows.length < limit) return
      limit *= 2
      continue
    }
    for (const row of groups.flat()) checkItem(context, run.ref, row)
    for (const group of groups) yield toSample({ context, generations }, group)
    const last = groups.at(-1)?.[0]
    if (last === undefined || rows.length < limit) return
    place = { task: last.task, doc: last.doc }
    limit = Math.max(limit, pageSize)
    await new Promise(setImmediate)
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

/** The store, and the generation arguments that were read, of which a run has few. */
interface Reading {
  readonly context: Context
  readonly generations: Map<number, GenerationKwargs>
}

function toSample({ context, generations }: Reading, rows: readonly Row[]): Sample {
  const [first] = rows
  if (first === undefined) throw new Error('internal error: a doc without items')
  return {
    task: first.task,
    index: first.doc,
    id: first.doc_id,
    record: JSON.parse(checkedText('record', first.record, first.record_key, first.record_text)) as JudgeRecord,
    items: rows.map(row => toItem({ context, generations }, row)),
    ...(first.verdict === null ? {} : { score: readScore(context, rows, first) }),
  }
}

function readScore(context: Context, rows: readonly Row[], row: Row): ScoreBody {
  const unanswered = rows.find(({ seq }) => seq === null)
  if (unanswered !== undefined) throw new DamagedRowError('response', `to request ${unanswered.request ?? 0}`)
  // The verdict belongs to another doc, or to an earlier version of this one.
  if (row.score === null || row.score_record !== row.record) throw new DamagedRowError('score', row.verdict ?? 0)
  return checkedScore(context, { id: row.score, body: row.score_body, sum: row.score_sum })
}

function toItem({ context, generations }: Reading, row: Row): SampleItem {
  const failure = row.failure === null ? undefined : readFailure(context, row.failure)
  return {
    choice: row.choice,
    sample: row.sample,
    ...(row.request === null ? {} : { request: readRequest({ context, generations }, row) }),
    ...(row.seq === null
      ? {}
      : { response: { body: checkedBody(context, row), meta: JSON.parse(row.meta) as ResponseMeta } }),
    ...(failure === undefined ? {} : { failure }),
  }
}

function readRequest({ context, generations }: Reading, row: Row): NonNullable<SampleItem['request']> {
  const { key, input_key, config_key, code_key, request_sample } = row
  const isSound =
    key !== null &&
    config_key !== null &&
    code_key !== null &&
    responseKey({ input: input_key, config: config_key, code: code_key, sample: request_sample }) === key
  if (!isSound) throw new DamagedRowError('request', row.request ?? 0)
  const input = JSON.parse(checkedText('instance', row.instance, row.input_key, row.input)) as Input
  const generation = generations.get(row.config) ?? readGenerationKwargs(context, row.config)
  generations.set(row.config, generation)
  return { key, inputKey: row.input_key, input, generation }
}
