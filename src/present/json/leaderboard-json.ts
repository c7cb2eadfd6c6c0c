import type { Leaderboard } from '../../reading/leaderboard/read-leaderboard.js'
import { metricLabel } from '../../reading/metric-label.js'

/** A leaderboard for programs. Cells are in the order of the models; a model without the metric has `null`. */
export interface LeaderboardJson {
  readonly format: 1
  readonly models: readonly LeaderboardModelJson[]
  /** The number of further models, which are left out because 40 others have newer runs. */
  readonly left_out: number
  readonly rows: readonly LeaderboardRowJson[]
}

/** A model with its settings, which is a column. */
export interface LeaderboardModelJson {
  readonly label: string
  readonly runs: readonly string[]
  /** The label without the settings. */
  readonly name: string
  /** The prompt and generation settings that the user set, such as `num_fewshot`. */
  readonly settings: Readonly<Record<string, string>>
  /** The tags of its runs. */
  readonly tags: readonly string[]
}

/** A metric of a task or group. */
export interface LeaderboardRowJson {
  readonly task: string
  readonly metric: string
  readonly is_group: boolean
  readonly higher_is_better: boolean
  readonly cells: readonly (LeaderboardCellJson | null)[]
}

/** The result of one model. */
export interface LeaderboardCellJson {
  /** The run, as `NAME@JUDGEMENT`. */
  readonly run: string
  readonly value: number | null
  readonly interval: readonly [number, number] | null
  readonly n: number
  readonly total: number
  /** `best`: better than each other model by the paired comparison. `tied`: the best, or not shown to be worse than it. */
  readonly mark?: 'best' | 'tied'
}

/** Converts a leaderboard to JSON. */
export const leaderboardJson = ({ models, leftOut, rows }: Leaderboard): LeaderboardJson => ({
  format: 1,
  models: models.map(({ runs, ...model }) => ({ ...model, runs: runs.map(nameRun) })),
  left_out: leftOut,
  rows: rows.map(({ first, results, sources, best, ties }) => ({
    task: first.task,
    metric: metricLabel(first),
    is_group: first.of !== undefined,
    higher_is_better: first.higherIsBetter,
    cells: results.map((result, index) => {
      const source = sources[index]
      if (result === undefined || source === undefined) return null
      const { value, interval, n, total } = result
      const mark = index === best ? 'best' : ties.includes(index) ? 'tied' : undefined
      return { run: nameRun(source), value, interval, n, total, ...(mark !== undefined && { mark }) }
    }),
  })),
})

const nameRun = ({ run, judgement }: Leaderboard['models'][number]['runs'][number]): string =>
  `${run.name}@${judgement.number}`
