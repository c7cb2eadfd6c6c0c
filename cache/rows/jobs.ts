/** Checks rows of the service: jobs, their events and access tokens. */
import { present } from '../../base/values/present.js'
import { jobStages } from '../store/job-store.js'
import type {
  Job,
  JobEvent,
  JobOutcome,
  JobStage,
  JobStatus,
  NewJob,
  StoredToken,
  TokenScope,
  WaitingJobs,
} from '../store.js'
import { DamagedRowError, toText, type RowSums } from './sums.js'

/** The columns of a job that change while it waits, runs and ends. */
export interface JobProgress {
  readonly status: JobStatus
  readonly started: number | null
  readonly finished: number | null
  readonly starts: number
  readonly cancelling: number
  /** The stage that comes next. Null in a job that begins with the first one. */
  readonly stage: JobStage | null
  readonly run: string | null
  readonly result: string | null
  readonly error: string | null
  /** The number of attempts to deliver the webhook. */
  readonly attempts: number
  readonly webhook_due: number
}

/** The columns that the checksum of a job covers. */
export interface JobContent extends JobProgress {
  readonly uuid: string
  readonly idempotency_key: string | null
  readonly job_group: string
  readonly priority: number
  readonly labels: string
  readonly request: string
  readonly submitter: string | null
  readonly webhook: string | null
  readonly created: number
}

/** A row of `job`. The checksum leaves out owner and token, because a wrong value there only loses a lease. */
export interface JobRow extends JobContent {
  readonly id: number
  readonly owner: number | null
  readonly token: number
  readonly sum: number
}

export const sumOfJob = ({ sum }: RowSums, row: JobContent): number =>
  sum(
    ...['job', row.uuid, row.idempotency_key, row.job_group, row.priority, row.labels, row.request, row.submitter],
    ...[row.webhook, row.created, row.status, row.started, row.finished, row.starts, row.cancelling, row.run],
    ...[row.result, row.error, row.attempts, row.webhook_due],
    // Rows of versions without this column have the checksum of the columns before.
    ...(row.stage === null ? [] : [row.stage]),
  )

export const isJobSound = (sums: RowSums, row: JobRow): boolean => sumOfJob(sums, row) === row.sum

/** Returns the row if its checksum is right. @throws DamagedRowError otherwise */
export function checkedJob(sums: RowSums, row: JobRow): JobRow {
  if (!isJobSound(sums, row)) throw new DamagedRowError('job', row.id)
  return row
}

export const readJobRow = (row: JobRow): Job => ({
  id: row.uuid,
  request: JSON.parse(row.request) as Job['request'],
  group: row.job_group,
  priority: row.priority,
  labels: JSON.parse(row.labels) as Job['labels'],
  status: row.status,
  createdAt: row.created,
  starts: row.starts,
  isCancelling: row.cancelling === 1,
  ...present({
    idempotencyKey: row.idempotency_key ?? undefined,
    submitter: row.submitter ?? undefined,
    webhook: row.webhook ?? undefined,
    startedAt: row.started ?? undefined,
    finishedAt: row.finished ?? undefined,
    nextStage: row.stage ?? undefined,
    run: row.run ?? undefined,
    result: row.result === null ? undefined : (JSON.parse(row.result) as Job['request']),
    error: row.error ?? undefined,
    webhookAttempts: row.webhook === null ? undefined : row.attempts,
  }),
})

/** Puts groups of queued jobs into the order of stages. */
export const sortWaiting = (groups: readonly WaitingJobs[]): readonly WaitingJobs[] =>
  jobStages.flatMap(stage => groups.filter(group => group.stage === stage))

/** Returns the columns of a job that is added now. @param created milliseconds since 1970 */
export const newJobContent = (job: NewJob, created: number): JobContent => ({
  ...{ uuid: job.id, idempotency_key: job.idempotencyKey ?? null, job_group: job.group },
  ...{ priority: job.priority ?? 0, labels: toText(job.labels ?? {}), request: toText(job.request) },
  ...{ submitter: job.submitter ?? null, webhook: job.webhook ?? null, created },
  ...{ status: 'queued', started: null, finished: null, starts: 0, cancelling: 0, stage: null },
  ...{ run: null, result: null, error: null, attempts: 0, webhook_due: 0 },
})

/** Returns the columns that change when a job ends. @param finished milliseconds since 1970 */
export const endedJob = (row: JobRow, outcome: JobOutcome, finished: number): Partial<JobProgress & JobRow> => ({
  ...{ status: outcome.status, finished, owner: null },
  result: outcome.result === undefined ? null : toText(outcome.result),
  error: outcome.status === 'failed' ? outcome.error : null,
  webhook_due: row.webhook === null ? 0 : 1,
})

/** The outcome of a job whose workers failed too often. */
export const endlessOutcome = (starts: number): JobOutcome => ({
  status: 'failed',
  error: `Its workers ended ${starts} times without progress. It is not tried again; submit it again once the cause is removed.`,
})

/** A list of the labels as they occur in canonical JSON after a comma. */
export const labelTexts = (labels: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(labels).map(([name, value]) => `,${toText({ [name]: value }).slice(1, -1)}`)

/** A row of the table of job events. */
export interface JobEventRow {
  readonly id: number
  readonly job: number
  readonly number: number
  readonly at: number
  readonly type: string
  readonly data: string
  readonly sum: number
}

export const sumOfEvent = ({ sum }: RowSums, row: Omit<JobEventRow, 'id' | 'sum'>): number =>
  sum('job-event', row.job, row.number, row.at, row.type, row.data)

/** @throws DamagedRowError if the checksum is wrong */
export function readEventRow(sums: RowSums, row: JobEventRow): JobEvent {
  if (sumOfEvent(sums, row) !== row.sum) throw new DamagedRowError('job_event', row.id)
  const { number: id, at, type } = row
  return { id, at, type, data: JSON.parse(row.data) as JobEvent['data'] }
}

/** Returns the reasons in events of a job for which workers left it to others, each once. */
export const readReasons = (events: readonly JobEvent[]): readonly string[] => [
  ...new Set(events.flatMap(({ data }) => (typeof data['why'] === 'string' ? [data['why']] : []))),
]

/** A row of the table of access tokens. */
export interface TokenRow {
  readonly number: number
  readonly id: string
  readonly name: string
  readonly scope: TokenScope
  readonly hash: string
  readonly created: number
  readonly expires: number | null
  readonly sum: number
}

export const sumOfToken = ({ sum }: RowSums, row: Omit<TokenRow, 'number' | 'sum'>): number =>
  sum('token', row.id, row.name, row.scope, row.hash, row.created, row.expires)

/** @throws DamagedRowError if the checksum is wrong, so that a changed scope or hash gives no access */
export function readTokenRow(sums: RowSums, row: TokenRow): StoredToken {
  if (sumOfToken(sums, row) !== row.sum) throw new DamagedRowError('token', row.number)
  const { id, name, scope, hash, created: createdAt, expires } = row
  return { id, name, scope, hash, createdAt, ...(expires === null ? {} : { expiresAt: expires }) }
}
