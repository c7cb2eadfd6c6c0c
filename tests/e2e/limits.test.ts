import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, type Ended } from '../support/cli.js'
import { dumpOf, live } from '../support/crash.js'
import { spawnFakeOpenai } from '../support/fake-openai-process.js'
import { lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const docs = 50
const concurrency = 4

/** A task of fifty questions, and a server that counts; each answer is seven tokens in and three out. */
async function limited(...faults: readonly string[]) {
  const server = await spawnFakeOpenai(['--latency', '20', ...faults])
  onTestFinished(() => server.stop())
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), docs)
  const line = (store: string): readonly string[] => [
    ...['eval', '--tasks', task, '--store', join(folder, store), '--model', 'openai', '--json'],
    ...['--concurrency', String(concurrency), '--model-args', `model=m,base_url=${server.url}`],
  ]
  return {
    folder,
    server,
    line,
    store: (name = 'store') => join(folder, name),
    run: (...more: readonly string[]) => runCli([...line('store'), ...more]),
    requests: async () => (await server.stats()).requests,
  }
}

interface Results {
  readonly counts: { readonly answered: number; readonly pending: number; readonly failed: Record<string, number> }
  readonly session: { readonly asked: number; readonly stopped?: { readonly why: string; readonly limit?: string } }
}

const results = ({ stdout }: Ended): Results => JSON.parse(stdout) as Results

test('--max-requests sends that many, names the limit, and the command without it sends the rest', async () => {
  const { run, requests, line, store } = await limited()
  const first = await run('--max-requests', '10')
  expect(await requests()).toBe(10)
  expect(first.code).toBe(2)
  expect(results(first)).toMatchObject({
    counts: { answered: 10, pending: 0, failed: { budget: 40 } },
    session: { stopped: { why: 'budget', limit: 'requests' } },
  })
  expect(first.stderr).toMatch(/40 +budget +--max-requests 10: 10 were sent/)
  expect(first.stderr).toMatch(/resume: {2}pipeline resume [a-z]+-[a-z]+-\w{4} --store \S+\n/)
  const last = await run()
  expect(last.code).toBe(0)
  expect(await requests()).toBe(docs)
  expect(results(last)).toMatchObject({ counts: { answered: docs, failed: {} }, session: { asked: 40 } })
  expect(await runCli(line('calm'))).toMatchObject({ code: 0 })
  expect(await dumpOf(store())).toBe(await dumpOf(store('calm')))
})

test('does not exceed limits of tokens and dollars, and rejects --max-cost without a price', async () => {
  const { run, requests, folder } = await limited()
  expect(await run('--max-tokens-total', '100')).toMatchObject({ code: 2 })
  expect(await requests()).toBe(10)
  const unpriced = await run('--max-cost', '1')
  expect(unpriced.code).toBe(1)
  expect(unpriced.stderr).toMatch(/--max-cost: nobody has said what the model m of openai costs. Give --prices/)
  expect(await requests()).toBe(10)
  const prices = join(folder, 'prices.yaml')
  await writeFile(prices, 'openai:\n  m: {input: 1, output: 1}\n')
  const paid = await run('--max-cost', '0.0002', '--prices', prices)
  expect(paid.code).toBe(2)
  expect(paid.stderr).toMatch(/20 +budget +--max-cost 0.0002: \$0.0002 spent/)
  expect(await requests()).toBe(30)
})

test('--max-time finishes requests in flight and leaves the rest to the next start', async () => {
  const { run, requests } = await limited('--latency', '200')
  const timed = await run('--max-time', '1s', '--concurrency', '1')
  const sent = await requests()
  expect(sent).toBeLessThan(docs)
  expect(timed).toMatchObject({ code: 2 })
  expect(results(timed).counts.answered).toBe(sent)
  expect(results(timed)).toMatchObject({ session: { stopped: { why: 'budget', limit: 'milliseconds' } } })
  expect(await run('--max-time', '10m', '--concurrency', '50')).toMatchObject({ code: 0 })
  expect(await requests()).toBe(docs)
})

test('a run killed within its budget loses no answer', async () => {
  const { run, requests, line, store, server } = await limited('--answers', '12')
  const amid = () => async () => (await requests()) >= 12
  const life = await live([...line('store'), '--max-requests', '30'], { name: 'amid', watch: amid, delayMs: 0 })
  expect(life.wasKilled).toBe(true)
  await server.untilLeft()
  await server.allow(Infinity)
  const kept = lookInto(store()).responses
  const sent = await requests()
  expect(sent - kept).toBeLessThanOrEqual(concurrency)
  const next = await run('--max-requests', '5')
  expect(next.code).toBe(2)
  expect(await requests()).toBe(sent + 5)
  expect(results(next).counts).toMatchObject({ answered: kept + 5, pending: 0 })
  expect(await run()).toMatchObject({ code: 0 })
  expect(await requests()).toBe(sent + docs - kept)
})

test('--plan sends nothing, leaves nothing behind, and predicts what the run then does', async () => {
  const { run, requests, store } = await limited()
  const plan = await run('--plan')
  expect(plan).toMatchObject({ code: 0 })
  expect(JSON.parse(plan.stdout)).toMatchObject({ run: { is_new: true }, total: { docs, in_store: 0, to_ask: docs } })
  expect(await requests()).toBe(0)
  expect(existsSync(store())).toBe(false)
  await run('--max-requests', '20')
  const before = lookInto(store())
  const rest = JSON.parse((await run('--plan')).stdout) as object
  expect(rest).toMatchObject({
    run: { is_new: false },
    total: { in_store: 20, to_ask: 30, output_tokens: { likely: 90 }, input_tokens: { likely: 210 } },
  })
  expect(lookInto(store())).toEqual(before)
  expect(await requests()).toBe(20)
  expect(results(await run())).toMatchObject({ session: { asked: 30 } })
})

test('a wrong key stops the run at once, and the right one continues it', async () => {
  const { run, requests } = await limited('--fail', '401:1:1')
  const refused = await run()
  expect(refused.code).toBe(2)
  expect(refused.stderr).toMatch(
    /Stopped: the server refused the first three requests \(401 .*\)\. .* and run the same command again\./,
  )
  expect(results(refused)).toMatchObject({ session: { stopped: { why: 'access' } } })
  const sent = await requests()
  expect(sent).toBeLessThanOrEqual(3 + concurrency)
  // The server now answers those, and rejects the others once.
  expect(results(await run()).counts).toMatchObject({ answered: sent, failed: { invalid_request: docs - sent } })
  expect(await run()).toMatchObject({ code: 0 })
})

test('--max-failures stops the run at that number of permanent failures', async () => {
  const { run, requests } = await limited('--fail', '400')
  const failed = await run('--fail-fast', '5')
  expect(failed.code).toBe(2)
  expect(failed.stderr).toMatch(/Stopped by --fail-fast 5: the last was invalid_request: 400/)
  expect(results(failed).counts.pending).toBeGreaterThan(30)
  expect(await requests()).toBeLessThanOrEqual(5 + concurrency)
})
