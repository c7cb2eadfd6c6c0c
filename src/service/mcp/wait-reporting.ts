import type { Job, JobEvent } from '../../../cache/store.js'
import { isFinal } from '../http/job-info.js'
import type { Service } from '../service.js'
import type { ToolProgress } from './tool.js'

/** Events that are read at once. */
const pageSize = 200

/** Waits until a job is final, at most `ms`, and reports its progress. @returns the job after the wait */
export async function waitReporting(
  service: Service,
  id: string,
  {
    ms,
    signal,
    report,
  }: {
    readonly ms: number
    readonly signal: AbortSignal
    readonly report?: (progress: ToolProgress) => Promise<void>
  },
): Promise<Job | undefined> {
  const { jobs } = service.store
  const until = performance.now() + ms
  let lastId = 0
  let highest = -1
  for (;;) {
    const job = await jobs.find(id)
    if (report !== undefined) {
      const page = await jobs.events(id, lastId, pageSize)
      lastId = page.at(-1)?.id ?? lastId
      const progress = page.map(event => makeProgress(id, event)).findLast(entry => entry !== undefined)
      // The protocol wants a number that grows.
      if (progress !== undefined && progress.progress > highest) {
        highest = progress.progress
        await report(progress)
      }
      if (page.length === pageSize) continue
    }
    const remainingMs = until - performance.now()
    if (job === undefined || isFinal(job) || remainingMs <= 0 || signal.aborted) return job
    // Timers cannot wait longer than 24 days.
    await service.changes.next(Math.min(remainingMs, 60_000), signal)
  }
}

/** Makes a progress report from an event. It counts answers and scores, out of requests and docs. Undefined for an event without counts. */
function makeProgress(id: string, { type, data }: JobEvent): ToolProgress | undefined {
  const count = (name: string): number => (typeof data[name] === 'number' ? data[name] : 0)
  if (type === 'queued') return { progress: 0, message: `run ${id}: queued` }
  if (type !== 'progress' && type !== 'run') return undefined
  const [requests, answered, failed] = [count('requests'), count('answered'), count('failed')]
  return {
    progress: answered + failed + count('scored'),
    total: requests + count('docs'),
    message: `run ${id}: ${answered} of ${requests} requests answered${failed === 0 ? '' : `, ${failed} failed`}`,
  }
}
