/** Makes samples of the rows of their items, which a store reads with one query a page. */
import type { AnswerDigest, CodeKey, ConfigKey, InputKey, RecordKey, ResponseKey } from '../../digest.js'
import { responseKey } from '../../keys.js'
import type { Failure, Input, JudgeRecord, ResponseBody, ResponseMeta, ScoreBody } from '../../records.js'
import type { Sample, SampleItem, StoredAnswer } from '../../store.js'
import { checkedBodyText, type CheckableItem } from '../answers.js'
import type { FindGeneration } from '../leases.js'
import { checkedScoreText } from './scores.js'
import { checkedText, DamagedRowError, type RowSums } from '../sums.js'

/** One item of a sample with all that belongs to it. */
export interface SampleRow extends CheckableItem, RequestRow, VerdictRow {
  readonly request: number | null
  readonly record: number
  readonly record_key: RecordKey
  /** Null if the record is missing. The same holds for the other columns that an item refers to. */
  readonly record_text: string | null
  readonly config: number
  readonly instance: number
  readonly input: string | null
  readonly digest: AnswerDigest
  readonly body: string
  readonly meta: string
  readonly sum: number
  readonly failure: number | null
}

/** Finds the rows that a page's rows refer to by number. */
export interface SampleSources extends RowSums {
  readonly findGeneration: FindGeneration
  readonly findFailure: (id: number) => Failure | undefined
}

/** Makes a sample from the rows of one doc. @throws DamagedRowError if one of them is damaged */
export function toSample(sources: SampleSources, rows: readonly SampleRow[]): Sample {
  const [first] = rows
  if (first === undefined) throw new Error('internal error: a doc without items')
  return {
    task: first.task,
    index: first.doc,
    id: first.doc_id,
    record: JSON.parse(checkedText('record', first.record, first.record_key, first.record_text)) as JudgeRecord,
    items: rows.map(row => toItem(sources, row)),
    ...(first.verdict === null ? {} : { score: readScore(sources, rows, first) }),
  }
}

/** The columns of a doc's verdict, with its score. */
export interface VerdictRow {
  readonly request: number | null
  readonly record: number
  readonly seq: number | null
  readonly verdict: number | null
  readonly score: number | null
  readonly score_record: number | null
  readonly score_body: string
  readonly score_sum: number
}

/** Reads the score of a doc that has a verdict. @throws DamagedRowError if it is damaged or another doc's, or an answer is missing */
const readScore = (sums: RowSums, rows: readonly VerdictRow[], row: VerdictRow): ScoreBody =>
  JSON.parse(checkedDocScore(sums, rows, row)) as ScoreBody

/** Returns the text of the score of a doc that has a verdict. @throws DamagedRowError as {@link readScore} */
export function checkedDocScore(sums: RowSums, rows: readonly VerdictRow[], row: VerdictRow): string {
  const unanswered = rows.find(({ seq }) => seq === null)
  if (unanswered !== undefined) throw new DamagedRowError('response', `to request ${unanswered.request ?? 0}`)
  // The verdict belongs to another doc, or to an earlier version of this one.
  if (row.score === null || row.score_record !== row.record) throw new DamagedRowError('score', row.verdict ?? 0)
  return checkedScoreText(sums, { id: row.score, body: row.score_body, sum: row.score_sum })
}

function toItem(sources: SampleSources, row: SampleRow): SampleItem {
  const failure = row.failure === null ? undefined : sources.findFailure(row.failure)
  return {
    choice: row.choice,
    sample: row.sample,
    ...(row.request === null ? {} : { request: readRequest(sources, row) }),
    ...(row.seq === null ? {} : { response: readResponse(sources, row) }),
    ...(failure === undefined ? {} : { failure }),
  }
}

/** Reads the answer of a row. Checksums are verified now. Texts are parsed on demand, because comparisons of scores read neither. */
function readResponse(sums: RowSums, row: SampleRow): StoredAnswer {
  const text = checkedBodyText(sums, row)
  const { meta: metaText } = row
  let body: ResponseBody | undefined
  let meta: ResponseMeta | undefined
  return {
    get body() {
      return (body ??= JSON.parse(text) as ResponseBody)
    },
    get meta() {
      return (meta ??= JSON.parse(metaText) as ResponseMeta)
    },
  }
}

function readRequest({ findGeneration }: SampleSources, row: SampleRow): NonNullable<SampleItem['request']> {
  const key = checkedRequestKey(row)
  const input = JSON.parse(checkedText('instance', row.instance, row.input_key, row.input)) as Input
  return { key, inputKey: row.input_key, input, generation: findGeneration(row.config) }
}

/** The columns of an item's request. */
export interface RequestRow {
  readonly request: number | null
  readonly key: ResponseKey | null
  readonly input_key: InputKey
  readonly config_key: ConfigKey | null
  readonly code_key: CodeKey | null
  readonly request_sample: number
}

/** Returns a request's key. @throws DamagedRowError if the key does not match the request's parts */
export function checkedRequestKey(row: RequestRow): ResponseKey {
  const { key, input_key, config_key, code_key, request_sample } = row
  const isSound =
    key !== null &&
    config_key !== null &&
    code_key !== null &&
    responseKey({ input: input_key, config: config_key, code: code_key, sample: request_sample }) === key
  if (!isSound) throw new DamagedRowError('request', row.request ?? 0)
  return key
}
