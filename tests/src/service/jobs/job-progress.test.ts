import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Job, JobLease } from '../../../../cache/store.js'
import { FollowedJob, JobProgress } from '../../../../src/service/jobs/job-progress.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const lease: JobLease = {
  job: {
    id: 'a',
    request: {},
    group: 'g',
    priority: 0,
    labels: {},
    status: 'running',
    createdAt: 0,
    starts: 1,
    isCancelling: false,
  },
  token: 1,
}

function follow({ dataVersion, isCancelling }: { dataVersion: () => Promise<number>; isCancelling: boolean }) {
  const [drain, stop, shutdown] = [new AbortController(), new AbortController(), new AbortController()]
  const jobs = { find: () => Promise.resolve({ ...lease.job, isCancelling } satisfies Job) }
  const store = { dataVersion, jobs } as unknown as ConstructorParameters<typeof FollowedJob>[0]
  const progress = new JobProgress(() => performance.now())
  return { drain, job: new FollowedJob(store, lease, { progress, drain, stop, shutdown: shutdown.signal }) }
}

test('queries a store that does not reply once, however long it takes', async () => {
  let answer: (version: number) => void = () => undefined
  const dataVersion = vi.fn(() => new Promise<number>(resolve => (answer = resolve)))
  const { job } = follow({ dataVersion, isCancelling: false })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(dataVersion).toHaveBeenCalledTimes(1)

  const ended = job.end()
  dataVersion.mockResolvedValue(2)
  answer(1)
  await ended
  // The last query comes after the end and catches a late cancellation.
  expect(dataVersion).toHaveBeenCalledTimes(2)
})

test('drains a job that is cancelled after the store has failed', async () => {
  const dataVersion = vi.fn(() => Promise.resolve(1)).mockRejectedValueOnce(new Error('the connection was lost'))
  const { job, drain } = follow({ dataVersion, isCancelling: true })
  await vi.advanceTimersByTimeAsync(1_000)
  expect(drain.signal.aborted).toBe(true)
  expect(job.isCancelled).toBe(true)
  await job.end()
})
