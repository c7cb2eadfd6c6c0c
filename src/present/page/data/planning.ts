/** The data of the pages that plan comparisons and measure stability. */
import type { PowerPlan } from '../../../reading/planning/plan-power.js'
import type { RunPower } from '../../../reading/planning/run-power.js'
import type { StabilityValues } from '../../../reading/stability/measure-run-stability.js'

export type { JudgeCalibration, TaskCalibration } from '../../../reading/calibration/calibrate-judge.js'
export type { PowerPlan, PowerPoint } from '../../../reading/planning/plan-power.js'
export type { RunPower, TaskPower } from '../../../reading/planning/run-power.js'

/** The runs and the assumptions of a plan. Absent ones have the defaults of `pipeline power`. */
export interface PowerQuery {
  /** The run whose scores give the spread. Without it, the plan is made from assumptions alone. */
  readonly run?: string
  /** A second run, so that the differences give the spread. */
  readonly against?: string
  readonly effect?: number
  /** The standard deviation of a doc's score with either model. */
  readonly std?: number
  readonly correlation?: number
  readonly docs?: number
  readonly clusterSize?: number
  readonly icc?: number
  readonly alpha?: number
  readonly power?: number
}

/** A plan from assumptions alone, or a plan for each metric of one run or two. */
export type PowerView = { readonly plan: PowerPlan } | { readonly runs: RunPower }

/** The docs that a diagnosis finds: their number, and the first of them. */
export interface DiagnosedDocs {
  readonly docs: number
  readonly first: readonly { readonly id: string; readonly answer?: string }[]
}

/** The stability of one metric of a task, with the docs to look at. Diagnoses without docs are left out. */
export interface TaskStabilityView extends StabilityValues {
  readonly task: string
  /** `metric` or `metric,filter`. */
  readonly metric: string
  readonly ambiguous?: DiagnosedDocs
  readonly confidentlyWrong?: DiagnosedDocs
  readonly modelSpecific?: DiagnosedDocs
  readonly wrongEverywhere?: DiagnosedDocs
}

/** The stability of a run that has several samples of each doc. */
export interface StabilityView {
  readonly run: string
  /** The further runs that docs are diagnosed with. */
  readonly with: readonly string[]
  readonly tasks: readonly TaskStabilityView[]
  /** Docs that are left out, because an answer or a score of one of their samples is missing. */
  readonly leftOut: number
  /** A reason why a sample has no score, if there is one. */
  readonly reason?: string
}
