import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { atMost, megabytes, note, perSecond, times, type Figure, type Measurement } from './measurement.js'
import { polledWhile, residentMemory, startBareServer, startServer, type ServedProcess } from './service-process.js'
import { trivialTask } from './trivial-task.js'

const submitted = 1_000
const pollsPerSecond = 200
const runningJobs = 4
const slowestMs = 50
const milliseconds = (value: number): string => `${value.toFixed(1)} ms`

/** Measures how fast jobs are submitted, and how long a poll of their status takes while others run. */
export const service: Measurement = {
  name: 'service',
  async measure(folder) {
    const task = await trivialTask(folder, 200)
    const server = await startServer([
      ...['--store', join(folder, 'store'), '--include-path', task.folder],
      ...['--max-jobs', String(runningJobs), '--max-rate', '100000'],
    ])
    try {
      const startedAt = performance.now()
      const ids = await submitAll(server, submitted, job => dummyJob(task.name, job, 20))
      const rate = (1000 * submitted) / (performance.now() - startedAt)
      const urls = Array.from({ length: 50 }, (_, index) => `${server.origin}/jobs/${ids[20 * index] ?? ''}`)
      const polled = await polledWhile(pollsPerSecond, urls, () => pause(20_000))
      const { completed } = await jobCounts(server)
      const bare = await startBareServer()
      const floor = await polledWhile(pollsPerSecond, [bare.origin], () => pause(5_000))
      await bare.stop()
      return [
        note(`${submitted.toLocaleString('en')} jobs submitted, 16 at a time`, perSecond(rate)),
        atMost(`${pollsPerSecond} polls/s while ${runningJobs} jobs run, p99`, polled.p99, slowestMs, milliseconds),
        note('  median', milliseconds(polled.median)),
        note('  jobs that ended meanwhile', String(completed)),
        note('  a bare server, median and p99', `${milliseconds(floor.median)}, ${milliseconds(floor.p99)}`),
        note('  p99, as a multiple of the bare server', times(polled.p99 / floor.p99)),
      ]
    } finally {
      await server.stop()
    }
  },
}

/** Measures whether memory grows with the number of jobs: after a tenth of them, and after all. */
export const serviceMemory: Measurement = {
  name: 'service-memory',
  isLarge: true,
  async measure(folder) {
    const all = Number(process.env['PIPELINE_BENCH_JOBS'] ?? 10_000)
    const task = await trivialTask(folder, 2)
    const server = await startServer([
      ...['--store', join(folder, 'store'), '--include-path', task.folder],
      ...['--max-jobs', '2', '--max-queue', String(2 * all), '--max-rate', '100000'],
    ])
    try {
      const startedAt = performance.now()
      await submitAll(server, all / 10, job => dummyJob(task.name, job, 0))
      const early = await memoryWhen(server, all / 10)
      const earlyMs = performance.now() - startedAt
      await submitAll(server, all - all / 10, job => dummyJob(task.name, all / 10 + job, 0))
      const late = await memoryWhen(server, all)
      const lateMs = performance.now() - startedAt - earlyMs
      const grown = (what: string, before: number, after: number): readonly Figure[] => [
        atMost(`memory of ${what}, ${all} jobs against ${all / 10}`, after / before, 1.2, times),
        note('  before and after', `${megabytes(before)}, ${megabytes(after)}`),
      ]
      return [
        ...grown('the server', early.own, late.own),
        ...grown('the largest worker', early.workers, late.workers),
        note('  jobs of 2 docs, the first tenth', perSecond((100 * all) / earlyMs)),
        note('  jobs of 2 docs, the others', perSecond((900 * all) / lateMs)),
      ]
    } finally {
      await server.stop()
    }
  },
}

/** Each job is a run of its own, and asks its own requests. */
const dummyJob = (task: string, job: number, latencyMs: number): object => ({
  model: 'dummy',
  model_args: { mode: 'fixed', text: String(job), latency_ms: latencyMs },
  tasks: [task],
})

async function submitAll(
  { origin }: ServedProcess,
  count: number,
  body: (job: number) => object,
): Promise<readonly string[]> {
  const ids: string[] = []
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) {
      const job = next++
      const answer = await fetch(`${origin}/evaluate`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body(job)),
      })
      const said = (await answer.json()) as { readonly job_id?: string }
      if (said.job_id === undefined) throw new Error(`job ${job} was refused: ${JSON.stringify(said)}`)
      ids[job] = said.job_id
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  return ids
}

async function jobCounts({ origin }: ServedProcess): Promise<{ readonly completed: number; readonly failed: number }> {
  const said = (await (await fetch(`${origin}/queue`)).json()) as { completed_jobs: number; failed_jobs: number }
  return { completed: said.completed_jobs, failed: said.failed_jobs }
}

/**
 * The most memory in ten looks around the end of so many jobs: one look may come just after a collection.
 *
 * @throws Error if a job failed
 */
async function memoryWhen(server: ServedProcess, jobs: number): Promise<ReturnType<typeof residentMemory>> {
  const looks: ReturnType<typeof residentMemory>[] = []
  for (;;) {
    const { completed, failed } = await jobCounts(server)
    if (failed > 0) throw new Error(`${failed} jobs failed`)
    looks.push(residentMemory(server.child.pid ?? 0))
    if (completed >= jobs) break
    await pause(200)
  }
  const last = looks.slice(-10)
  return { own: Math.max(...last.map(({ own }) => own)), workers: Math.max(...last.map(({ workers }) => workers)) }
}
