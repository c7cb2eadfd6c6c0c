/** Holds the operations on jobs for clients, whether they come over HTTP or MCP. */
import { randomUUID } from 'node:crypto'
import { PipelineError } from '../../../base/errors/errors.js'
import { isObject } from '../../../base/values/canonical-json.js'
import type { RunKey } from '../../../cache/digest.js'
import type { JsonObject } from '../../../cache/records.js'
import type { Job } from '../../../cache/store.js'
import type { Service } from '../service.js'
import { addressProblem } from '../policy/allowed-address.js'
import { checkJob } from '../policy/check-job.js'
import { formatClientValue } from '../policy/job-policy.js'
import { unknownModels } from '../policy/model-arguments.js'
import { textProblems } from '../policy/plain-texts.js'
import { parseJobRequest, type JobRequest } from './job-request.js'
import { unknownTasks } from './known-tasks.js'

/** Says how a job is submitted. */
export interface Submission {
  readonly body: unknown
  readonly idempotencyKey?: string
  readonly submitter?: string
  /** The run that the job continues. Clients cannot submit it, because it must fit the rest of the request. */
  readonly resume?: RunKey
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
  submission: Submission,
): Promise<{ readonly job: Job; readonly isNew: boolean }> {
  const { store, settings } = service
  const { evaluation, priority, labels, webhook } = await readRequest(service, submission.body)
  const checked = await checkJob(evaluation, service.policy, { cwd: process.cwd(), env: service.env })
  const unreachable = webhook === undefined ? undefined : addressProblem('webhook', webhook, service.policy)
  const problems = [
    ...(checked.isAllowed ? [] : checked.problems),
    ...(await unknownTasks(service.catalogue, evaluation)),
    ...(unreachable === undefined ? [] : [unreachable]),
  ]
  if (!checked.isAllowed || problems.length > 0) throw new PipelineError('usage', problems)
  const { queued } = await store.jobs.counts()
  if (queued >= settings.maxQueue)
    throw new QueueFullError(`${queued} jobs are waiting, which is the limit of this server (--max-queue)`)
  const { idempotencyKey, submitter, resume } = submission
  const submitted = await store.jobs.submit({
    id: randomUUID(),
    // It was parsed from JSON.
    request: { ...(checked.request as JsonObject), ...(resume !== undefined && { resume }) },
    group: formatGroup(checked.request),
    priority,
    labels,
    ...(webhook !== undefined && { webhook }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
    ...(submitter !== undefined && { submitter }),
  })
  if (submitted.isNew) {
    service.changes.changed()
    service.onJob()
  } else refuseOther(submitted.job, { request: checked.request, priority, labels, webhook })
  return submitted
}

/**
 * Reads a request, whose mistyped keys do not hide an unknown model or task.
 *
 * @throws PipelineError (usage) that names every mistake
 */
export async function readRequest({ catalogue }: Pick<Service, 'catalogue'>, body: unknown): Promise<JobRequest> {
  try {
    return parseJobRequest(body)
  } catch (error) {
    if (!(error instanceof PipelineError) || !isObject(body) || textProblems(body).length > 0) throw error
    throw new PipelineError('usage', [
      ...error.said,
      ...(await unknownModels(body)),
      ...(await unknownTasks(catalogue, body)),
    ])
  }
}

type SubmittedJob = Readonly<Record<'request' | 'labels', Readonly<Record<string, unknown>>>> & {
  readonly priority: number
  readonly webhook: string | undefined
}

/** @throws PipelineError (usage) if the first job with an idempotency key was another one. Its caller would wait for the wrong result. */
function refuseOther(job: Job, { request, ...others }: SubmittedJob): void {
  const { priority, labels, webhook } = job
  const difference = firstDifference({ ...job.request, priority, labels, webhook }, { ...request, ...others })
  if (difference === undefined) return
  throw new PipelineError(
    'usage',
    `idempotency-key: job ${job.id} has this key and another request: ${difference}. Use a new key for another request`,
  )
}

/** Says where two requests differ first: `limit is 20 there and 30 here`. */
function firstDifference(there: unknown, here: unknown, path = ''): string | undefined {
  if (isObject(there) && isObject(here)) {
    for (const name of [...new Set([...Object.keys(there), ...Object.keys(here)])].sort()) {
      const difference = firstDifference(there[name], here[name], path === '' ? name : `${path}.${name}`)
      if (difference !== undefined) return difference
    }
    return undefined
  }
  if (JSON.stringify(there) === JSON.stringify(here)) return undefined
  const [first, second] = [there, here].map(value => (value === undefined ? 'absent' : formatClientValue(value)))
  return `${path} is ${first} there and ${second} here`
}

/** Jobs of one model share a limit. */
export function formatGroup({ model, model_args: args }: Readonly<Record<string, unknown>>): string {
  const modelName = isObject(args) ? args['model'] : undefined
  return [model, modelName].filter(part => typeof part === 'string').join(':')
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
    const remainingMs = until - performance.now()
    if (job === undefined || (job.status !== 'queued' && job.status !== 'running')) return job
    if (remainingMs <= 0 || signal?.aborted === true) return job
    await service.changes.next(remainingMs, signal)
  }
}
