import type { AnswerDigest, CodeKey, JudgeConfigKey, RecordKey, ScoreKey } from '../../digest.js'
import { scoreKey } from '../../keys.js'
import type { AnsweredDoc, Judgement, ScoreBody } from '../../records.js'
import type { PlacedScore } from '../../store.js'
import { readQuestionMedia } from '../../facts/compared-doc.js'
import { DamagedRowError, type RowSums } from '../sums.js'

/** The inputs of a score: the answers and the judge record of one doc. */
export interface ScoredPlace {
  readonly task: number
  readonly recordKey: RecordKey
  readonly answers: readonly AnswerDigest[]
}

/** Returns the keys of the rules that a judgement has for a task. */
export function scoredRules(judgement: Judgement, task: number): { config: JudgeConfigKey; scorer: CodeKey } {
  const rules = judgement.tasks[task]
  if (rules === undefined) throw new Error(`internal error: no rules for task ${task}`)
  return { config: rules.config, scorer: rules.scorer }
}

export const computeScoreKey = (judgement: Judgement, { task, recordKey, answers }: ScoredPlace): ScoreKey =>
  scoreKey({ answers, record: recordKey, ...scoredRules(judgement, task) })

/** The keys of a doc that the judge is scoring. */
export interface LookedUpDoc {
  readonly judgement: number
  readonly record: number
  readonly key: ScoreKey
}

/** Caches a doc's keys from when it was given to the judge until its score is stored. */
export const lookedUp = new WeakMap<AnsweredDoc, LookedUpDoc>()

/** The row of a score. */
export interface ScoreRow {
  readonly id: number
  readonly body: string
  readonly sum: number
}

/** A score of a judgement, beside the score of the same doc in an earlier judgement. */
export interface PlacedRow extends ScoreRow {
  readonly task: number
  readonly doc: number
  readonly old_id: number | null
  /** The request of the doc's last answer. In a conversation it holds all earlier ones. */
  readonly draw: number | null
  /** The doc's first prompt if it shows media. */
  readonly input: string | null
  /** The doc's judge record if its examples may show media. */
  readonly record: string | null
  /** Null if the earlier score is the same. */
  readonly old_body: string | null
  readonly old_sum: number
}

/** Reads a placed score. The earlier score is the same object if both are equal. */
export function placedScore(sums: RowSums, row: PlacedRow): PlacedScore {
  const { task, doc: index, old_id: id, old_body, old_sum } = row
  const body = checkedScore(sums, row)
  const media = row.input === null ? [] : readQuestionMedia(row.input, row.record)
  const placed = {
    ...{ task, index, body },
    ...(row.draw !== null && { draw: row.draw }),
    ...(media.length > 0 && { media }),
  }
  if (id === null) return placed
  if (old_body === null) return { ...placed, before: body }
  return { ...placed, before: checkedScore(sums, { id, body: old_body, sum: old_sum }) }
}

export const checkedScore = (sums: RowSums, row: ScoreRow): ScoreBody =>
  JSON.parse(checkedScoreText(sums, row)) as ScoreBody

export function checkedScoreText({ sum }: RowSums, row: ScoreRow): string {
  if (sum(row.body) !== row.sum) throw new DamagedRowError('score', row.id)
  return row.body
}
