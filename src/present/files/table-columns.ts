import type { Leaderboard } from '../../reading/leaderboard/read-leaderboard.js'
import type { ScoredRun } from '../../reading/comparing/scored-run.js'
import { modelLabel } from '../text/results/run-header.js'
import { reportedName, type ReportedScores } from './reported-run.js'

/** A column of a table of results. */
export interface TableColumn {
  readonly title: string
  /** The model of its runs, or the runs of its model. */
  readonly about: string
  readonly runs: readonly ScoredRun[]
}

/** Makes a column for each run. */
export const columnsByRun = (runs: readonly ReportedScores[]): readonly TableColumn[] =>
  runs.map(reported => ({ title: reportedName(reported), about: modelLabel(reported.run), runs: [reported] }))

/** Makes a column for each model. */
export const columnsByModel = ({ models }: Pick<Leaderboard, 'models'>): readonly TableColumn[] =>
  models.map(({ label, runs }) => ({
    title: label,
    about: runs.map(({ run, judgement }) => `${run.name}@${judgement.number}`).join(', '),
    runs,
  }))
