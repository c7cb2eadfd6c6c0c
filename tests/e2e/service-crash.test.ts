import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { canonicalDump } from '../../cache/canonical-dump.js'
import { startCli } from '../support/cli.js'
import { expectSound } from '../support/crash.js'
import { spawnFakeOpenai, type FakeOpenaiProcess } from '../support/fake-openai-process.js'
import { childrenOf, isRunning, killIfRunning } from '../support/processes.js'
import { between, seededRandom } from '../support/seeded.js'
import {
  followJob,
  startService,
  submitUntilAccepted,
  type SeenEvent,
  type ServiceProcess,
} from '../support/service-process.js'
import { temporaryFolder, temporaryStore } from '../support/store.js'
import { committedAnswers, lookInto } from '../support/store-look.js'
import { writeTextTask } from '../support/text-task.js'

const kills = 50
const jobs = 6
const docs = 60
const concurrency = 2
const workers = 2

/** The requests of the jobs differ, so each answer belongs to one job. */
const bodyOf = (job: number, server: FakeOpenaiProcess): object => ({
  model: 'openai',
  model_args: { model: `m${job}`, base_url: server.url, num_concurrent: concurrency },
  tasks: ['echoes'],
})

/** A server with its own workers, and separate workers. Each killed process is restarted at once. */
class Machines {
  readonly #args: readonly string[]
  readonly #workers: ChildProcess[]
  #server: ServiceProcess
  readonly killed = { server: 0, worker: 0 }

  static async start(args: readonly string[]): Promise<Machines> {
    return new Machines(args, await startService([...args, '--max-jobs', '2']))
  }

  private constructor(args: readonly string[], server: ServiceProcess) {
    this.#args = args
    this.#server = server
    this.#workers = Array.from({ length: workers }, () => this.#startWorker())
    onTestFinished(() => {
      for (const child of [this.#server.child, ...this.#workers]) child.kill('SIGKILL')
    })
  }

  get origin(): string {
    return this.#server.origin
  }

  get kills(): number {
    return this.killed.server + this.killed.worker
  }

  /** Kills one of the separate workers, or one of the server's. */
  killWorker(random: () => number): void {
    const own = childrenOf(this.#server.child.pid!)
    const chosen = between(random, 0, own.length + workers - 1)
    const pid = own[chosen - workers]
    if (pid !== undefined) {
      if (killIfRunning(pid)) this.killed.worker += 1
      return
    }
    const worker = this.#workers[chosen]!
    if (isRunning(worker.pid!)) this.killed.worker += 1
    worker.kill('SIGKILL')
    this.#workers[chosen] = this.#startWorker()
  }

  async killServer(): Promise<void> {
    const { child, ended, port } = this.#server
    child.kill('SIGKILL')
    expect(await ended).toMatchObject({ signal: 'SIGKILL' })
    this.killed.server += 1
    this.#server = await startService([...this.#args, '--max-jobs', '2'], port)
  }

  async stop(): Promise<void> {
    for (const worker of this.#workers) worker.kill('SIGTERM')
    this.#server.child.kill('SIGTERM')
    expect(await this.#server.ended).toMatchObject({ code: 0 })
  }

  #startWorker(): ChildProcess {
    return startCli(['worker', ...this.#args]).child
  }
}

/** The results of all runs of a store, by the model that was asked. */
async function resultsIn(dir: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const store = await temporaryStore(dir)
  const found = new Map<string, readonly string[]>()
  for (const run of await store.runs.list()) {
    const judgement = (await store.judgements.list(run)).at(-1)
    expect(judgement?.finishedAt).toBeDefined()
    const lines: string[] = []
    for await (const line of canonicalDump(store, run, judgement)) lines.push(line)
    found.set(JSON.stringify(run.asked.model), lines)
  }
  await store.close()
  return found
}

test(`after ${kills} kills of server and workers, no job is lost or repeated, and clients get each event once`, async () => {
  const random = seededRandom(15)
  const fake = await spawnFakeOpenai(['--answers', '0'])
  onTestFinished(() => fake.stop())
  const folder = await temporaryFolder()
  await writeTextTask(join(folder, 'tasks'), docs)
  const args = (store: string): readonly string[] => [
    ...['--store', store, '--include-path', join(folder, 'tasks'), '--allow-url', fake.url],
  ]
  const store = join(folder, 'killed')
  const machines = await Machines.start(args(store))
  const stop = new AbortController()
  onTestFinished(() => stop.abort())

  const seen = new Map<string, SeenEvent[]>()
  const ids: string[] = []
  const courses: Promise<void>[] = []
  const begin = async (job: number): Promise<void> => {
    const id = await submitUntilAccepted(machines.origin, { key: `job ${job}`, body: bodyOf(job, fake) }, stop.signal)
    ids.push(id)
    const events: SeenEvent[] = []
    seen.set(id, events)
    await followJob(machines.origin, id, { onEvent: event => events.push(event), signal: stop.signal })
  }

  /** What was committed at some time, and how long the log of requests was afterwards. */
  const marks: { readonly committed: ReadonlySet<string>; readonly from: number }[] = []
  const signs: readonly (() => number | Promise<number>)[] = [
    () => lookInto(store).responses,
    async () => (await fake.stats()).requests,
    () => [...seen.values()].reduce((sum, events) => sum + events.length, 0),
  ]
  while (machines.kills < kills) {
    if (courses.length < jobs) courses.push(begin(courses.length))
    const committed = new Set(committedAnswers(store).values())
    marks.push({ committed, from: (await fake.log()).length })
    expect(committed.size, 'answered before the last kill').toBeLessThan(jobs * docs)
    const sign = signs[between(random, 0, signs.length - 1)]!
    const [before, step] = [await sign(), between(random, 1, 3)]
    for (let looks = 0; (await sign()) < before + step; looks += 1) {
      if (looks % 50 === 0) await fake.allow(step + concurrency)
      await pause(5)
    }
    await pause(between(random, 0, 20))
    const victims = ['worker', 'worker', 'server', 'both', 'all'][between(random, 0, 4)]
    if (victims !== 'server') machines.killWorker(random)
    if (victims === 'all') machines.killWorker(random)
    if (victims !== 'worker') await machines.killServer()
  }
  await fake.allow(Infinity)
  await Promise.all(courses)

  // No job is lost or repeated, and its client got all of its events once, in order, with one end.
  const listed = (await (await fetch(`${machines.origin}/jobs`)).json()) as {
    jobs: { job_id: string; status: string }[]
  }
  expect(listed.jobs.map(({ status }) => status)).toEqual(Array.from({ length: jobs }, () => 'completed'))
  expect(listed.jobs.map(job => job.job_id).sort()).toEqual([...ids].sort())
  await machines.stop()
  const stored = await temporaryStore(store)
  for (const [id, events] of seen) {
    expect(events.map(event => event.id)).toEqual(events.map((_, index) => index + 1))
    expect(events.filter(({ type }) => type === 'completed')).toHaveLength(1)
    const kept = await stored.jobs.events(id, 0, 10_000)
    expect(events).toEqual(kept.map(({ id: number, type, at, data }) => ({ id: number, type, data: { at, ...data } })))
  }
  await stored.close()

  // Durable answers are never asked for again; a killed worker loses at most what it had in flight.
  const log = await fake.log()
  for (const { committed, from } of marks) expect(log.slice(from).filter(text => committed.has(text))).toEqual([])
  const { requests, distinct } = await fake.stats()
  expect(distinct).toBe(jobs * docs)
  expect(requests - distinct).toBeLessThanOrEqual(machines.kills * concurrency)
  console.log(`kills: ${JSON.stringify(machines.killed)}, requests asked again: ${requests - distinct}`)

  const calm = join(folder, 'calm')
  const undisturbed = await startService([...args(calm), '--max-jobs', '2'])
  onTestFinished(() => void undisturbed.child.kill('SIGKILL'))
  const all = Array.from({ length: jobs }, async (_, job) => {
    const given = { key: String(job), body: bodyOf(job, fake) }
    const id = await submitUntilAccepted(undisturbed.origin, given, stop.signal)
    await followJob(undisturbed.origin, id, { onEvent: () => undefined, signal: stop.signal })
  })
  await Promise.all(all)
  undisturbed.child.kill('SIGTERM')
  expect(await undisturbed.ended).toMatchObject({ code: 0 })
  expect(await resultsIn(store)).toEqual(await resultsIn(calm))
  await expectSound(store)
})
