import { readQuestionMedia } from '../../facts/compared-doc.js'
import type { InputKey, RecordKey } from '../../digest.js'
import type { Judgement, JudgeRecord, Run, ScoreBody } from '../../records.js'
import type { ComparedDoc, ComparedRequest } from '../../store.js'
import { checkedDocScore, checkedRequestKey, type RequestRow, type VerdictRow } from '../../rows/judging/samples.js'
import { checkedText } from '../../rows/sums.js'
import type { Context } from '../connection/context.js'
import { rememberGenerations } from '../work/leases.js'
import { docsQuery, readDocs, type DocRow } from './samples.js'

/** Prompts are read only where they show media: in a canonical preimage, no text can hold these marks. */
const pageSql = docsQuery(
  `CASE WHEN instr(n.preimage, '"media":"') > 0 THEN n.preimage END AS input, instr(n.preimage, '"type":"loglikelihood') > 0 AS is_likelihood`,
)

interface ComparedRow extends DocRow, RequestRow, VerdictRow {
  readonly request: number | null
  readonly record_key: RecordKey
  readonly record_text: string | null
  readonly instance: number
  readonly input_key: InputKey
  readonly input: string | null
  readonly is_likelihood: 0 | 1 | null
}

/** Reads of a run's docs what comparisons need, one page at a time. */
export function comparedDocs(
  context: Context,
  run: Run,
  judgement: Judgement | undefined,
): AsyncGenerator<ComparedDoc> {
  const findGeneration = rememberGenerations(context)
  const parseScore = rememberScores()
  const makeRequest = (row: ComparedRow): ComparedRequest => ({
    key: checkedRequestKey(row),
    inputKey: row.input_key,
    generation: findGeneration(row.config),
    isLikelihood: row.is_likelihood === 1,
  })
  const makeDoc = (rows: readonly ComparedRow[]): ComparedDoc => {
    const [first] = rows
    if (first === undefined) throw new Error('internal error: a doc without items')
    return new ComparedRows(first, {
      requests: rows.filter(({ request }) => request !== null).map(makeRequest),
      media: readMedia(first),
      score: first.verdict === null ? undefined : parseScore(checkedDocScore(context, rows, first)),
    })
  }
  return readDocs<ComparedRow, ComparedDoc>(context, run, { sql: pageSql, judgement, after: undefined, makeDoc })
}

/** A doc whose record is parsed when it is read, because most comparisons read few. */
class ComparedRows implements ComparedDoc {
  readonly task: number
  readonly index: number
  readonly id: string
  readonly recordKey?: RecordKey
  readonly requests: readonly ComparedRequest[]
  readonly media?: readonly string[]
  readonly score?: ScoreBody
  readonly #row: ComparedRow
  #record: JudgeRecord | undefined

  constructor(
    row: ComparedRow,
    {
      requests,
      media,
      score,
    }: Pick<ComparedDoc, 'requests'> & { readonly media: readonly string[]; readonly score: ScoreBody | undefined },
  ) {
    this.task = row.task
    this.index = row.doc
    this.id = row.doc_id
    this.requests = requests
    if (row.record_text !== null) this.recordKey = row.record_key
    if (media.length > 0) this.media = media
    if (score !== undefined) this.score = score
    this.#row = row
  }

  get record(): JudgeRecord {
    const { record, record_key: key, record_text: text } = this.#row
    return (this.#record ??= JSON.parse(checkedText('record', record, key, text)) as JudgeRecord)
  }
}

/** Makes a function that parses the texts of scores, which many docs share. */
function rememberScores(): (text: string) => ScoreBody {
  const known = new Map<string, ScoreBody>()
  return text => {
    const found = known.get(text)
    if (found !== undefined) return found
    const score = JSON.parse(text) as ScoreBody
    if (known.size < 1000) known.set(text, score)
    return score
  }
}

const readMedia = ({ instance, input, input_key: key, record_text: record }: ComparedRow): readonly string[] =>
  input === null ? [] : readQuestionMedia(checkedText('instance', instance, key, input), record)
