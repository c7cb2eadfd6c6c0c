import { PipelineError } from '../../base/errors/errors.js'
import { jobStages } from '../../cache/store/job-store.js'
import type {
  ClaimLimits,
  Job,
  JobLease,
  JobQuery,
  JobStatus,
  JobStore,
  NewJob,
  StoredToken,
  TokenStore,
} from '../../cache/store.js'
import type { MemoryHandle } from './memory-handle.js'
import { change, copied, end, happen, requeue, type StoredJob } from './memory-job.js'

const inOrder = (a: StoredJob, b: StoredJob): number => b.job.priority - a.job.priority || a.number - b.number

export function memoryJobs({ data, owner, read, write }: MemoryHandle): JobStore {
  const all = (): readonly StoredJob[] => [...data.jobs.values()]
  const inState = (status: JobStatus): readonly StoredJob[] => all().filter(({ job }) => job.status === status)
  const queued = (): readonly StoredJob[] => [...inState('queued')].sort(inOrder)
  const isHeld = (entry: StoredJob): boolean => entry.owner !== undefined && data.isAlive(entry.owner)
  const whileHeld = (lease: JobLease, work: (entry: StoredJob) => void): boolean => {
    const entry = data.jobs.get(lease.job.id)
    if (entry?.job.status !== 'running' || entry.token !== lease.token) return false
    work(entry)
    return true
  }

  const submit = (job: NewJob): { readonly job: Job; readonly isNew: boolean } => {
    const known =
      job.idempotencyKey === undefined
        ? undefined
        : all().find(entry => entry.job.idempotencyKey === job.idempotencyKey)
    if (known !== undefined) return { job: known.job, isNew: false }
    if (data.jobs.has(job.id))
      throw new PipelineError('store', `there is a job ${job.id} already: each job needs a new id`)
    const added: Job = {
      ...{ priority: 0, labels: {}, ...copied(job), status: 'queued', createdAt: Date.now(), starts: 0 },
      ...{ isCancelling: false, ...(job.webhook === undefined ? {} : { webhookAttempts: 0 }) },
    }
    const entry: StoredJob = {
      ...{ number: ++data.numbers.job, job: added, events: [], owner: undefined, token: 0, isWebhookDue: false },
    }
    data.jobs.set(job.id, entry)
    happen(entry, { type: 'queued', data: {} })
    return { job: entry.job, isNew: true }
  }

  const claim = ({
    perGroup = Infinity,
    maxStarts = 10,
    stages = jobStages,
    skipped = [],
    mayTake,
  }: ClaimLimits): JobLease | undefined => {
    const running = inState('running')
    const isFull = (group: string): boolean =>
      running.filter(entry => isHeld(entry) && entry.job.group === group).length >= perGroup
    const open = [...queued(), ...running.filter(entry => !isHeld(entry))].sort(inOrder)
    const isOpen = ({ group, nextStage = 'input', id }: Job): boolean =>
      !isFull(group) && stages.includes(nextStage) && !skipped.includes(id)
    for (const entry of open.filter(({ job }) => isOpen(job))) {
      const { starts, startedAt, isCancelling } = entry.job
      if (isCancelling) end(entry, { status: 'cancelled' })
      else if (starts >= maxStarts) {
        const error = `Its workers ended ${starts} times without progress. It is not tried again; submit it again once the cause is removed.`
        end(entry, { status: 'failed', error })
      } else if (mayTake?.(entry.job) === false) return undefined
      else {
        change(entry, { status: 'running', starts: starts + 1, startedAt: startedAt ?? Date.now() })
        entry.owner = owner
        entry.token = ++data.numbers.token
        happen(entry, { type: startedAt === undefined ? 'started' : 'resumed', data: {} })
        return { job: entry.job, token: entry.token }
      }
    }
    return undefined
  }

  const list = ({ status, labels = {}, after, limit }: JobQuery): readonly Job[] => {
    const last = after === undefined ? undefined : data.jobs.get(after)
    if (after !== undefined && last === undefined)
      throw new PipelineError(
        'store',
        `there is no job ${after} to list on from: it was removed, so begin with the first page`,
      )
    return all()
      .filter(({ number, job }) => number < (last?.number ?? Infinity) && (status ?? job.status) === job.status)
      .filter(({ job }) => Object.entries(labels).every(([name, value]) => job.labels[name] === value))
      .sort((a, b) => b.number - a.number)
      .slice(0, limit)
      .map(({ job }) => job)
  }

  const declines = (id: string): readonly string[] => {
    const entry = data.jobs.get(id)
    const whys = (entry?.events ?? []).flatMap(({ data: { why } }) => (typeof why === 'string' ? [why] : []))
    return entry?.job.status === 'queued' ? [...new Set(whys)] : []
  }

  const byEnd = (a: StoredJob, b: StoredJob): number =>
    (a.job.finishedAt ?? 0) - (b.job.finishedAt ?? 0) || a.number - b.number

  return {
    submit: job => write(() => submit(job)),
    find: id => read(() => data.jobs.get(id)?.job),
    list: query => read(() => list(query)),
    counts: () =>
      read(() => {
        const counts = { queued: 0, running: 0, completed: 0, failed: 0, cancelled: 0 }
        for (const { job } of all()) counts[job.status] += 1
        return counts
      }),
    position: ({ id }) =>
      read(() =>
        Math.max(
          0,
          queued().findIndex(({ job }) => job.id === id),
        ),
      ),
    waiting: () =>
      read(() =>
        jobStages.flatMap(stage => {
          const jobs = inState('queued').filter(({ job }) => (job.nextStage ?? 'input') === stage)
          const since = Math.min(...jobs.map(({ job }) => job.createdAt))
          return jobs.length === 0 ? [] : [{ stage, jobs: jobs.length, since }]
        }),
      ),
    queue: limit =>
      read(() =>
        queued()
          .slice(0, limit)
          .map(({ job }) => job.id),
      ),
    async claim(limits = {}) {
      const lease = await read(() => claim(limits))
      // A claim that finds nothing changes nothing.
      if (lease !== undefined) await write(() => undefined)
      return lease
    },
    append: (lease, events, { run, progress = false } = {}) =>
      write(() =>
        whileHeld(lease, entry => {
          change(entry, { ...(run === undefined ? {} : { run }), ...(progress ? { starts: 0 } : {}) })
          happen(entry, ...events)
        }),
      ),
    finish: (lease, outcome) => write(() => whileHeld(lease, entry => end(entry, outcome))),
    release: (lease, options = {}) =>
      write(() =>
        whileHeld(lease, entry => {
          requeue(entry, Math.max(0, entry.job.starts - 1), options)
        }),
      ),
    decline: (id, why) =>
      write(() => {
        const entry = data.jobs.get(id)
        if (entry?.job.status === 'queued' && !declines(id).includes(why))
          happen(entry, { type: 'declined', data: { why } })
      }),
    declines: id => read(() => declines(id)),
    cancel: id =>
      write(() => {
        const entry = data.jobs.get(id)
        if (entry?.job.status === 'queued' || (entry?.job.status === 'running' && !isHeld(entry)))
          end(entry, { status: 'cancelled' })
        else if (entry?.job.status === 'running') change(entry, { isCancelling: true })
        return entry?.job
      }),
    events: (id, after, limit) =>
      read(() => (data.jobs.get(id)?.events ?? []).filter(event => event.id > after).slice(0, limit)),
    webhooksDue: limit =>
      read(() =>
        all()
          .filter(({ isWebhookDue }) => isWebhookDue)
          .sort(byEnd)
          .slice(0, limit)
          .map(({ job }) => job),
      ),
    webhookTried: (id, isDone) =>
      write(() => {
        const entry = data.jobs.get(id)
        if (entry === undefined) return
        change(entry, { webhookAttempts: (entry.job.webhookAttempts ?? 0) + 1 })
        if (isDone) entry.isWebhookDue = false
      }),
    prune: keep =>
      write(() => {
        const ended = all().filter(({ job, isWebhookDue }) => job.finishedAt !== undefined && !isWebhookDue)
        const removed = [...ended].sort(byEnd).slice(0, Math.max(0, ended.length - keep))
        for (const { job } of removed) data.jobs.delete(job.id)
        return removed.length
      }),
  }
}

export const memoryTokens = ({ data, read, write }: MemoryHandle): TokenStore => ({
  add: token =>
    write(() => {
      if (data.tokens.has(token.id))
        throw new PipelineError('store', `there is a token ${token.id} already: each token needs a new id`)
      data.tokens.set(token.id, copied<StoredToken>(token))
    }),
  find: id => read(() => data.tokens.get(id)),
  list: () => read(() => [...data.tokens.values()]),
  remove: id => write(() => data.tokens.delete(id)),
})
