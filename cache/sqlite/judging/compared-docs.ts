import { findLastMedium } from '../../facts/compared-doc.js'
import type { InputKey, RecordKey } from '../../digest.js'
import type { Judgement, JudgeRecord, Run } from '../../records.js'
import type { ComparedDoc } from '../../store.js'
import { checkedRequestKey, readScore, type RequestRow, type VerdictRow } from '../../rows/samples.js'
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
  const makeDoc = (rows: readonly ComparedRow[]): ComparedDoc => {
    const [first] = rows
    if (first === undefined) throw new Error('internal error: a doc without items')
    const medium = readLastMedium(first)
    return {
      ...{ task: first.task, index: first.doc, id: first.doc_id },
      record: JSON.parse(checkedText('record', first.record, first.record_key, first.record_text)) as JudgeRecord,
      requests: rows.flatMap(row => {
        if (row.request === null) return []
        const key = checkedRequestKey(row)
        const { input_key: inputKey, config, is_likelihood: isLikelihood } = row
        return [{ key, inputKey, generation: findGeneration(config), isLikelihood: isLikelihood === 1 }]
      }),
      ...(medium !== undefined && { medium }),
      ...(first.verdict !== null && { score: readScore(context, rows, first) }),
    }
  }
  return readDocs<ComparedRow, ComparedDoc>(context, run, { sql: pageSql, judgement, after: undefined, makeDoc })
}

const readLastMedium = ({ instance, input, input_key: key }: ComparedRow): string | undefined =>
  input === null ? undefined : findLastMedium(checkedText('instance', instance, key, input))
