/** Holds the operations on jobs for clients, whether they come over HTTP or MCP. */
import { randomUUID } from 'node:crypto'
import { PipelineError } from '../../../base/errors/errors.js'
import { isObject } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import type { Job } from '../../../cache/store.js'
import type { Service } from '../service.js'
import { addressProblem } from '../policy/allowed-address.js'
import { checkJob } from '../policy/check-job.js'
import { parseJobRequest } from './job-request.js'

/** Says how a job is submitted. */
export interface Submission {
  readonly body: unknown
  readonly idempotencyKey?: string
  readonly submitter?: string
}

/** The queue is full: the client tries again later. */
export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'
}

/**
 * Checks a request and puts it into the queue.
 *
 * @throws PipelineError that names every mistake, and everything that a job may not name
 * @throws QueueFullError
 */
export async function submitJob(
  service: Service,
  given: Submission,
): Promise<{ readonly job: Job; readonly isNew: boolean }> {
  const { store, settings } = service
  const { evaluation, priority, labels, webhook } = parseJobRequest(given.body)
  const checked = await checkJob(evaluation, service.policy, { cwd: process.cwd(), env: service.env })
  const unreachable = webhook === undefined ? undefined : addressProblem('webhook', webhook, service.policy)
  const problems = [...(checked.isAllowed ? [] : checked.problems), ...(unreachable === undefined ? [] : [unreachable])]
  if (!checked.isAllowed || problems.length > 0) throw new PipelineError('usage', problems)
  const { queued } = await store.jobs.counts()
  if (queued >= settings.maxQueue)
    throw new QueueFullError(`${queued} jobs are waiting, which is the limit of this server (--max-queue)`)
  const { idempotencyKey, submitter } = given
  const submitted = await store.jobs.submit({
    id: randomUUID(),
    // It was parsed from JSON.
    request: checked.request as JsonObject,
    group: groupOf(checked.request),
    priority,
    labels,
    ...(webhook !== undefined && { webhook }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(submitter !== undefined && { submitter }),
  })
  if (submitted.isNew) {
    service.changes.changed()
    service.onJob()
  }
  return submitted
}

/** Jobs of one model share a limit. */
function groupOf({ model, model_args: args }: Readonly<Record<string, unknown>>): string {
  const named = isObject(args) ? args['model'] : undefined
  return [model, named].filter(part => typeof part === 'string').join(':')
}

/** Cancels a job. @returns the job as it is then; undefined where there is none */
export async function cancelJob(service: Service, id: string): Promise<Job | undefined> {
  const job = await service.store.jobs.cancel(id)
  service.changes.changed()
  return job
}

/** Waits until a job is final, at most `ms`. */
export async function waitForJob(
  service: Service,
  id: string,
  { ms, signal }: { readonly ms: number; readonly signal?: AbortSignal },
): Promise<Job | undefined> {
  const until = performance.now() + ms
  for (;;) {
    const job = await service.store.jobs.find(id)
    const left = until - performance.now()
    if (job === undefined || (job.status !== 'queued' && job.status !== 'running')) return job
    if (left <= 0 || signal?.aborted === true) return job
    await service.changes.next(left, signal)
  }
}
