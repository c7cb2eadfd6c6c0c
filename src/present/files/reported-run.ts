import type { Judgement, Run } from '../../../cache/records.js'
import type { FailedItem, Store } from '../../../cache/store.js'
import { readRunAbout } from '../../reading/runs/run-about.js'
import type { ScoredRun } from '../../reading/comparing/scored-run.js'
import type { Assessment } from '../../reading/gates/assess-run.js'

/** A stored run that is written in a file format. */
export interface ReportedRun {
  readonly store: Store
  readonly run: Run
  readonly judgement?: Judgement
  readonly failures: readonly FailedItem[]
  /** The run beside a baseline, and its gates. */
  readonly assessment?: Assessment | undefined
  /** The name of the run in tables, if it has a shorter one there. */
  readonly label?: string
}

/** A run with the results of a finished judgement. */
export type ReportedScores = ReportedRun & ScoredRun

/** Tells whether a run has results to put in a table. */
export const isScored = (reported: ReportedRun): reported is ReportedScores =>
  reported.judgement?.aggregates !== undefined

/**
 * Returns the name of a run in tables: its label, its `--name`, or `calm-heron-19c2@1`. The last form names the judgement, because two columns may
 * show two judgements of one run.
 */
export function reportedName({ run, judgement, label }: ReportedRun): string {
  const { title } = readRunAbout(run)
  if (label !== undefined) return label
  const number = judgement?.number
  if (title !== undefined) return number === undefined || number === 1 ? title : `${title}@${number}`
  return number === undefined ? run.name : `${run.name}@${number}`
}
