import type { CodeKey, JudgeConfigKey } from '../digest.js'
import { codeKey, judgeConfigKey } from '../keys.js'
import type { Aggregate, Judgement, TaskJudging } from '../records.js'
import { readRules } from './rules-text.js'
import { DamagedRowError, toText, type RowSums } from './sums.js'

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

/** @param tasks the rules that the row's text holds, if they are at hand */
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
