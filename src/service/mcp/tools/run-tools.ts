/** Tools that look at a run and cancel it. */
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import { describeAwaitedWorker } from '../../../reading/workers/awaited-worker.js'
import { stopCodes } from '../../../reading/runs/session-end.js'
import { stoppedJson, stoppedRun } from '../../../reading/runs/stopped-run.js'
import { isFinal } from '../../http/job-info.js'
import { cancelJob } from '../../jobs/job-service.js'
import type { Service } from '../../service.js'
import { foundRun, readStatus, type FoundRun, type FoundStatus } from '../found-run.js'
import { readRunName, findQueuePosition, runId, statusField, formatJobTimes } from '../run-fields.js'
import { defineTool } from '../tool.js'

const time = z.string().nullable()

/** The MCP tool that returns the progress of a run. */
export const getRunStatus = defineTool({
  name: 'get_run_status',
  title: 'Status of a run',
  description: 'Tells how far a run is: its status, times, place in the queue, and counts of docs and requests.',
  input: z.strictObject({ run_id: runId }),
  output: z.object({
    run_id: z.string(),
    status: statusField,
    run: z.string().nullable().describe('the name of the run; null until it has started'),
    created_at: time,
    started_at: time,
    completed_at: time,
    position_in_queue: z.int().nullable(),
    waiting_for: z.string().nullable().describe('the worker that the run waits for after the stages before'),
    declined_because: z
      .array(z.string())
      .describe('why workers left the queued run to others, each reason once; another worker may still take it'),
    cancelling: z.boolean().describe('true while requests in flight of a cancelled run are finished'),
    progress: z
      .object({ docs: z.int(), requests: z.int(), answered: z.int(), failed: z.int(), pending: z.int() })
      .nullable()
      .describe('docs and requests that were read so far; null until the run has started'),
    error: z.string().nullable(),
    stopped: z
      .object({ code: z.enum(stopCodes), message: z.string(), at: z.string() })
      .nullable()
      .describe('why the last session of an incomplete run ended, and when; null if nothing was recorded'),
    message: z.string().describe('what to do next'),
  }),
  async run({ run_id: id }, { service }) {
    const evaluation = await foundRun(service, id)
    const { job } = evaluation
    const status = await readStatus(service, evaluation)
    return {
      run_id: job?.id ?? id,
      status,
      run: readRunName(evaluation),
      ...formatJobTimes(job),
      position_in_queue: await findQueuePosition(service, job),
      waiting_for: (job && describeAwaitedWorker(job)) ?? null,
      declined_because: job === undefined ? [] : [...(await service.store.jobs.declines(job.id))],
      cancelling: job?.isCancelling === true && !isFinal(job),
      progress: await readProgress(service, evaluation),
      error: job?.error ?? null,
      stopped: await readStopped(service, evaluation),
      message: nextStep[status],
    }
  },
})

const nextStep: Readonly<Record<FoundStatus, string>> = {
  queued: 'Wait, then call get_run_status again. cancel_run removes it from the queue.',
  running: 'Wait, then call get_run_status again. get_run_result shows what is answered so far.',
  completed: 'Call get_run_result for the scores.',
  failed: 'error says why. Submit the evaluation again to continue; answers that were received are kept.',
  cancelled: 'Submit the evaluation again to continue; answers that were received are kept.',
  incomplete:
    'Nothing works on this run. Submit its evaluation again to continue; answers that were received are kept.',
}

async function readStopped({ store }: Service, { opened }: FoundRun) {
  if (opened === undefined) return null
  const { run } = opened
  const [counts, judgements] = [await store.runs.counts(run), await store.judgements.list(run)]
  return stoppedJson(await stoppedRun(store, run, { counts, judgements }))
}

async function readProgress({ store }: Service, { opened }: FoundRun) {
  if (opened === undefined) return null
  const { docs, items, answered, failed, pending } = await store.runs.counts(opened.run)
  const failures = Object.values(failed).reduce((sum, count) => sum + count, 0)
  return { docs, requests: items, answered, failed: failures, pending }
}

/** The MCP tool that cancels a run's job. */
export const cancelRun = defineTool({
  name: 'cancel_run',
  title: 'Cancel a run',
  description:
    'Cancels a queued or running evaluation. Requests in flight are finished; all answers are kept, so that the evaluation can be submitted again and continues.',
  scope: 'submit',
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  input: z.strictObject({ run_id: runId }),
  output: z.object({
    success: z.boolean().describe('false if the run had ended already'),
    run_id: z.string(),
    message: z.string(),
  }),
  async run({ run_id: id }, { service, caller }) {
    const { job } = await foundRun(service, id)
    if (job === undefined)
      throw new PipelineError(
        'usage',
        `run ${id} was not submitted to this service; only whoever started it can interrupt it`,
      )
    if (caller.scope !== 'admin' && job.submitter !== caller.token)
      throw new PipelineError('usage', 'only the token that submitted a run, or one with scope "admin", can cancel it')
    if (isFinal(job)) return { success: false, run_id: job.id, message: `The run has ended already: ${job.status}.` }
    const now = await cancelJob(service, job.id)
    return {
      success: true,
      run_id: job.id,
      message:
        now?.status === 'cancelled'
          ? 'The run is cancelled.'
          : 'The run is being cancelled: requests in flight are finished. get_run_status tells when it has ended.',
    }
  },
})
