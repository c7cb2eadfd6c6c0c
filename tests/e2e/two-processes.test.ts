import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, startCli, type Started } from '../support/cli.js'
import { dumpOf, expectSound } from '../support/crash.js'
import { spawnFakeOpenai, type FakeOpenaiProcess } from '../support/fake-openai-process.js'
import { until } from '../support/shared-work.js'
import { committedAnswers, lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

interface Place {
  readonly server: FakeOpenaiProcess
  readonly folder: string
  readonly store: string
  /** The flags of a run, in this store or another. */
  readonly flags: (store?: string) => readonly string[]
}

/** @param answers the number of answers of the server before it waits for the test */
async function place(docs: number, latency: number, answers = Infinity): Promise<Place> {
  const server = await spawnFakeOpenai(['--latency', String(latency), '--answers', String(answers)])
  onTestFinished(() => server.stop())
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), docs)
  const store = join(folder, 'store')
  const flags = (where = store): readonly string[] => [
    ...['--tasks', task, '--store', where, '--model', 'openai', '--concurrency', '8'],
    ...['--model-args', `model=m,base_url=${server.url}`],
  ]
  return { server, folder, store, flags }
}

/** More than one of them has slots. */
async function untilBothAsk({ server }: Place, both: readonly Started[]): Promise<void> {
  for (const one of both) await until(one, async () => (await server.stats()).inFlight > 8)
}

/** The tables of sealed runs, with the times at which they were written. */
const listTables = (store: string): ReadonlyMap<string, number> =>
  new Map(
    readdirSync(join(store, 'runs'), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.parquet'))
      .map(name => [name, statSync(join(store, 'runs', name)).mtimeMs]),
  )

/** The dump of the same command in another store, by a single process. */
async function dumpOfOne({ folder, flags }: Place): Promise<string> {
  const calm = join(folder, 'calm')
  expect(await runCli(['eval', ...flags(calm)])).toMatchObject({ code: 0 })
  return dumpOf(calm)
}

test('two processes that start at the same time on one store share the work, and send nothing twice', async () => {
  const here = await place(300, 20, 0)
  const both = [startCli(['eval', ...here.flags()]), startCli(['eval', ...here.flags()])]
  await untilBothAsk(here, both)
  await here.server.allow(Infinity)
  for (const { ended } of both) expect(await ended).toMatchObject({ code: 0 })
  const { requests, distinct } = await here.server.stats()
  expect({ requests, distinct }).toEqual({ requests: 300, distinct: 300 })
  const tables = listTables(here.store)
  expect(tables.size).toBeGreaterThan(2)
  expect(await runCli(['eval', ...here.flags()])).toMatchObject({ code: 0 })
  // The last of both has sealed the run as it is now.
  expect(listTables(here.store)).toEqual(tables)
  expect(await dumpOf(here.store)).toBe(await dumpOfOne(here))
  await expectSound(here.store)
})

test('the surviving process takes over the leases of a killed one', async () => {
  const here = await place(300, 20, 0)
  const [first, second] = [startCli(['infer', ...here.flags()]), startCli(['infer', ...here.flags()])]
  await untilBothAsk(here, [first, second])
  await here.server.allow(60)
  await until(first, () => lookInto(here.store).responses > 40)
  first.child.kill('SIGKILL')
  await first.ended
  await here.server.allow(Infinity)
  expect(await second.ended).toMatchObject({ code: 0 })
  expect(lookInto(here.store).responses).toBe(300)
  const { requests, distinct } = await here.server.stats()
  expect(distinct).toBe(300)
  expect(requests - distinct).toBeLessThanOrEqual(8)
})

test('a waiting process takes over from one that is killed while it reads docs', async () => {
  const here = await place(3000, 0)
  const [first, second] = [startCli(['infer', ...here.flags()]), startCli(['infer', ...here.flags()])]
  await until(first, () => lookInto(here.store).items > 0)
  first.child.kill('SIGKILL')
  await first.ended
  expect(await second.ended).toMatchObject({ code: 0 })
  expect(lookInto(here.store)).toMatchObject({ items: 3000, responses: 3000 })
})

test('a judge in its own process scores all that another infers meanwhile', async () => {
  const here = await place(300, 20, 100)
  const inferring = startCli(['infer', ...here.flags()])
  await until(inferring, () => lookInto(here.store).responses > 20)
  const judging = startCli(['judge', 'last', '--store', here.store])
  await until(judging, () => lookInto(here.store).verdicts > 0)
  expect(lookInto(here.store).responses).toBeLessThanOrEqual(100)
  await here.server.allow(Infinity)
  expect(await inferring.ended).toMatchObject({ code: 0 })
  expect(await judging.ended).toMatchObject({ code: 0 })
  expect(lookInto(here.store)).toMatchObject({ verdicts: 300, finishedJudgements: 1 })
  expect(await dumpOf(here.store)).toBe(await dumpOfOne(here))
})

test('--input-only in one process feeds the model in another', async () => {
  const here = await place(2000, 1)
  const reading = startCli(['infer', '--input-only', ...here.flags()])
  await until(reading, () => lookInto(here.store).items > 0)
  const inferring = startCli(['infer', ...here.flags()])
  expect(await reading.ended).toMatchObject({ code: 0 })
  expect(await inferring.ended).toMatchObject({ code: 0 })
  expect(lookInto(here.store)).toMatchObject({ items: 2000, responses: 2000 })
  expect(await here.server.stats()).toMatchObject({ requests: 2000, distinct: 2000 })
})

test('--input-only sends nothing, and the same command without it sends the rest', async () => {
  const here = await place(30, 0)
  const line = ['infer', '--input-only', '--quiet', ...here.flags()]
  expect(await runCli(line)).toMatchObject({ code: 0, stderr: '' })
  expect(await runCli(line)).toMatchObject({ code: 0, stderr: '' })
  expect(lookInto(here.store)).toMatchObject({ items: 30, responses: 0 })
  expect(await here.server.stats()).toMatchObject({ requests: 0 })
  expect(await runCli(['eval', ...here.flags()])).toMatchObject({ code: 0 })
  expect(lookInto(here.store)).toMatchObject({ responses: 30, verdicts: 30 })
})

test('two processes on different runs of one store send shared requests once', async () => {
  const here = await place(200, 20)
  const limited = startCli(['eval', ...here.flags(), '--limit', '120'])
  const whole = startCli(['eval', ...here.flags()])
  expect(await limited.ended).toMatchObject({ code: 0 })
  expect(await whole.ended).toMatchObject({ code: 0 })
  expect(await here.server.stats()).toMatchObject({ requests: 200, distinct: 200 })
  expect(committedAnswers(here.store).size).toBe(200)
})
