/** Shares the stages of a job between workers that do some of them. */
import { jobStages, type Job, type JobStage } from '../../../cache/store/job-store.js'
import type { Stages } from '../../config/settings.js'

/** The end of one worker's work on a job. `handed-on`: the job waits for a worker of the next stage. */
export type JobEnd = 'ended' | 'requeued' | 'handed-on' | 'lost'

/** The end of one worker's work on a job. `left`: other workers must do the job, for the reason `why`. */
export type EndedJob = { readonly how: JobEnd } | { readonly how: 'left'; readonly why: string }

/** The part of a job that one worker does. */
export interface JobPart {
  readonly stages: Required<Stages>
  /** The stage for which the job waits afterwards. Absent if this part ends the job. */
  readonly nextStage?: JobStage
}

/**
 * Plans the part of a job that a worker does: from the job's next stage on, as long as the worker does the stage.
 *
 * @param workerStages the stages that the worker does
 */
export function planJobPart({ request, nextStage }: Job, workerStages: readonly JobStage[] = jobStages): JobPart {
  const stages = jobStages.filter(stage => stage !== 'judge' || request['predict_only'] !== true)
  const remainingStages = stages.slice(stages.indexOf(nextStage ?? 'input'))
  const end = remainingStages.findIndex(stage => !workerStages.includes(stage))
  const done = end === -1 ? remainingStages : remainingStages.slice(0, end)
  const rest = remainingStages[done.length]
  return {
    stages: { input: done.includes('input'), model: done.includes('model'), judge: done.includes('judge') },
    ...(rest !== undefined && { nextStage: rest }),
  }
}
