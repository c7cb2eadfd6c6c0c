import type { PortableJudgement, VerdictRow } from '../../bundle/portable.js'
import type { AnswerDigest, CodeKey, JudgeConfigKey, RecordKey, ResponseKey, ScoreKey } from '../../digest.js'
import { listAttemptFacts, scoredDigest, takeAttemptFacts } from '../../facts/attempt-facts.js'
import { codeKey, judgeConfigKey } from '../../keys.js'
import type {
  Aggregate,
  AnsweredDoc,
  AttemptFacts,
  Judgement,
  JudgeRecord,
  ResponseBody,
  ResponseMeta,
  Run,
  TaskJudging,
} from '../../records.js'
import type { OutcomeCounts } from '../../store/judgement-store.js'
import { checkItem, type CheckableItem } from '../answers.js'
import { readRules } from './rules-text.js'
import { taskName } from '../runs.js'
import { checkedScoreText, computeScoreKey, lookedUp } from './scores.js'
import { DamagedRowError, toText, type RowSums } from '../sums.js'

/** A row of the table of judgements. */
export interface JudgementRow {
  readonly id: number
  readonly run: number
  readonly number: number
  readonly tasks: string
  readonly created: number
  readonly finished: number | null
  readonly aggregates: string | null
  readonly sum: number
}

/** A row that counts the docs whose score failed. */
export interface FailedOutcome {
  readonly outcome: 'judge_failed' | 'error'
  readonly n: number
}

/** Makes the counts of a judgement from those of all docs and of failed ones. */
export function makeOutcomeCounts(docs: number, failed: readonly FailedOutcome[]): OutcomeCounts {
  const scored = failed.reduce((rest, { n }) => rest - n, docs)
  return { ...(scored > 0 && { scored }), ...Object.fromEntries(failed.map(({ outcome, n }) => [outcome, n])) }
}

/** @param tasks the parsed rules of the row's text, if the caller has them */
export function toJudgement({ sum }: RowSums, row: JudgementRow, tasks?: readonly TaskJudging[]): Judgement {
  if (sum(row.tasks, row.aggregates) !== row.sum) throw new DamagedRowError('judgement', row.id)
  return {
    ref: row.id,
    run: row.run,
    number: row.number,
    tasks: (tasks ?? readRules(row.tasks)).map(judging => ({
      judging,
      ...judgingKeys(judging),
    })),
    createdAt: row.created,
    ...(row.finished === null ? {} : { finishedAt: row.finished }),
    ...(row.aggregates === null ? {} : { aggregates: JSON.parse(row.aggregates) as Aggregate[] }),
  }
}

/** Computes the keys of one task's rules. */
export const judgingKeys = ({ config, scorer }: TaskJudging): { config: JudgeConfigKey; scorer: CodeKey } => ({
  config: judgeConfigKey(config).key,
  scorer: codeKey(scorer).key,
})

/** Serializes the aggregates of a judgement. */
export const aggregatesText = (aggregates: readonly Aggregate[]): string => `[${aggregates.map(toText).join(',')}]`

/** A judgement as a bundle carries it, without its verdicts. The stamp changes whenever its rows do. */
export const describeJudgement = (
  { number, tasks, createdAt, finishedAt, aggregates }: Judgement,
  verdicts: { readonly n: number; readonly last: number | null } | undefined,
): Omit<PortableJudgement, 'verdicts'> & { readonly stamp: string } => ({
  ...{ number, tasks: tasks.map(({ judging }) => judging), createdAt },
  ...(finishedAt !== undefined && { finishedAt }),
  ...(aggregates !== undefined && { aggregates }),
  stamp: `verdicts:${verdicts?.n ?? 0}@${verdicts?.last ?? 0} finished:${finishedAt ?? 0}`,
})

/** A verdict of a judgement with the rows that it refers to, as both stores read it for an export. */
export interface StoredVerdict {
  readonly task: number
  readonly doc: number
  readonly doc_id: string
  /** Null if the doc is lost. */
  readonly record: number | null
  readonly score: number | null
  readonly score_key: string | null
  /** Digests of 64 hexadecimal digits each. */
  readonly answers: string | null
  readonly body: string | null
  readonly sum: number | null
  readonly record_key: string
  readonly revision: string | null
}

/** @throws DamagedRowError if the score is damaged or the doc is lost */
export function toVerdictRow(sums: RowSums, run: Run, row: StoredVerdict): VerdictRow {
  const { score, body, sum, answers, score_key, record_key, revision } = row
  if (row.record === null) throw new DamagedRowError('score', score ?? 0)
  if (score !== null && body !== null && sum !== null) checkedScoreText(sums, { id: score, body, sum })
  return {
    ...{ task: taskName(run, row.task), doc_index: row.doc, doc_id: row.doc_id },
    ...{ score_key, body, record_key, revision },
    answers: score === null || answers === null ? null : writeDigests(answers),
  }
}

/** Converts concatenated digests to a JSON array. */
const writeDigests = (digits: string): string => `[${digits.replace(/.{64}/g, '"sha256:$&",').slice(0, -1)}]`

/** The columns that tell whether a doc can be scored and was. Its texts are read only if needed. */
export interface JudgeableRow extends CheckableItem {
  readonly record: number
  /** Null if the record is lost. */
  readonly record_key: RecordKey | null
  readonly judged: number | null
  readonly seq: number | null
  readonly digest: AnswerDigest
  /** Null if scores do not depend on attempts. */
  readonly meta: string | null
}

/** A completely answered doc without a score in the judgement. */
export interface ReadyDoc {
  readonly first: JudgeableRow
  readonly rows: readonly JudgeableRow[]
  readonly recordKey: RecordKey
  readonly key: ScoreKey
}

/** Finds the docs that a judgement can score. @throws DamagedRowError if an item is damaged or a record is lost */
export function findReadyDocs(
  sums: RowSums,
  judgement: Judgement,
  docs: readonly (readonly JudgeableRow[])[],
): readonly ReadyDoc[] {
  const seenItems = new Set<number>()
  return docs.flatMap(rows => {
    const [first] = rows
    // A doc that was added since the last call has its answer in both lists.
    if (first === undefined || seenItems.has(first.item)) return []
    seenItems.add(first.item)
    // The doc has a score already, or an answer is missing.
    if (rows.some(row => row.judged !== null || row.seq === null)) return []
    for (const row of rows) checkItem(sums, judgement.run, row)
    const { task, record, record_key: recordKey } = first
    if (recordKey === null) throw new DamagedRowError('record', record)
    const answers = rows.map(row => scoredDigest({ digest: row.digest, attempt: readAttempt(judgement, row) }))
    return [{ first, rows, recordKey, key: computeScoreKey(judgement, { task, recordKey, answers }) }]
  })
}

/** Makes a doc for the judge from its texts, and notes its keys for when its score is stored. */
export function makeAnsweredDoc(
  judgement: Judgement,
  { first, rows, recordKey, key }: ReadyDoc,
  texts: {
    readonly record: string
    readonly readAnswer: (row: JudgeableRow) => { readonly key: ResponseKey; readonly body: ResponseBody }
  },
): AnsweredDoc {
  const doc: AnsweredDoc = {
    ...{ task: first.task, index: first.doc, id: first.doc_id, recordKey },
    record: JSON.parse(texts.record) as JudgeRecord,
    answers: rows.map(row => {
      const attempt = readAttempt(judgement, row)
      const { choice, sample, digest } = row
      return { choice, sample, digest, ...texts.readAnswer(row), ...(attempt && { attempt }) }
    }),
  }
  lookedUp.set(doc, { judgement: judgement.ref, record: first.record, key })
  return doc
}

/** The facts of the attempt that a doc's scores depend on. */
function readAttempt(judgement: Judgement, { task, meta }: JudgeableRow): AttemptFacts | undefined {
  const facts = listAttemptFacts(judgement, task)
  return facts.length === 0 || meta === null ? undefined : takeAttemptFacts(JSON.parse(meta) as ResponseMeta, facts)
}
