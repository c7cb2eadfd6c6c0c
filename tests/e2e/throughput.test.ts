import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, startCli } from '../support/cli.js'
import { spawnFakeOpenai, type FakeOpenaiProcess } from '../support/fake-openai-process.js'
import { lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { startStreaming } from '../support/streaming-server.js'

interface Throughput {
  readonly requests: Readonly<Record<'asked' | 'from_store' | 'attempts' | 'retries' | 'throttled', number>>
  readonly tokens: Readonly<Record<'input' | 'output' | 'reasoning' | 'cached', number>>
  readonly busy_ms: number
  readonly first_at: string
  readonly last_at: string
  readonly requests_per_second: number
  readonly concurrency: { readonly mean: number; readonly peak: number }
  readonly latency_ms: { readonly n: number; readonly p50: number }
  readonly time_to_first_token_ms: { readonly n: number; readonly p50: number } | null
  readonly time_per_output_token_ms: { readonly p50: number } | null
  readonly timeline: { readonly pauses: readonly { readonly lasted_ms: number }[] }
}

const docs = 60
const latencyMs = 250

async function serve(...faults: readonly string[]): Promise<FakeOpenaiProcess> {
  const server = await spawnFakeOpenai(['--latency', String(latencyMs), ...faults])
  onTestFinished(() => server.stop())
  return server
}

const lineOf = (server: FakeOpenaiProcess, store: string, limit = docs): readonly string[] => [
  ...['eval', '--tasks', 'shapes_vqa', '--limit', String(limit), '--store', store, '--model', 'openai'],
  ...['--model-args', `model=m,base_url=${server.url}`, '--concurrency', '5'],
]

async function throughputOf(store: string, run = 'last'): Promise<Throughput> {
  const { stdout } = await runCli(['report', run, '--throughput', '--json', '--store', store])
  return JSON.parse(stdout) as Throughput
}

test('a killed and resumed run has the figures of the whole run, without the time in between', async () => {
  const server = await serve('--answers', '30')
  const folder = await temporaryFolder()
  const store = join(folder, 'store')
  const line = lineOf(server, store)

  const { child, ended } = startCli(line)
  while (lookInto(store).responses < 20) await sleep(5)
  child.kill('SIGKILL')
  await ended
  await server.allow(Infinity)
  const downSince = Date.now()
  // A step that takes a while and sends nothing.
  for (let look = 0; look < 3; look++) await runCli(['runs', 'list', '--store', store])
  const downFor = Date.now() - downSince
  const output = join(folder, 'out')
  const resumed = await runCli([...line, '--output-path', output, '--log-samples'])
  expect(resumed.code).toBe(0)

  const figures = await throughputOf(store)
  const { requests, busy_ms: busyMs, latency_ms: latency, concurrency } = figures
  expect(requests).toMatchObject({ asked: docs, from_store: 0, attempts: docs, retries: 0, throttled: 0 })
  expect(figures.tokens).toMatchObject({ input: 7 * docs, output: 3 * docs })
  expect(latency.n).toBe(docs)
  expect(latency.p50).toBeGreaterThanOrEqual(latencyMs - 1)
  const span = Date.parse(figures.last_at) - Date.parse(figures.first_at)
  expect(span - busyMs).toBeGreaterThanOrEqual(downFor - 1)
  expect(busyMs).toBeGreaterThanOrEqual((docs / 5) * (latencyMs - 1))
  expect(figures.requests_per_second).toBeCloseTo((docs * 1000) / busyMs, 6)
  expect(concurrency.peak).toBe(5)
  expect(concurrency.mean).toBeGreaterThan(1)
  expect(resumed.stdout).toContain(`  ${docs} answers at ${figures.requests_per_second.toFixed(1)}/s · `)

  const again = await runCli(line)
  expect(again.stdout).toContain(' · 0 asked · ')
  expect(await throughputOf(store)).toEqual(figures)

  const name = /results in \S*\/(\S+)/.exec(resumed.stdout)![1]!
  const results = JSON.parse(await readFile(join(output, name, 'results.json'), 'utf8')) as { throughput: Throughput }
  expect(results.throughput).toEqual(figures)
  expect(await readFile(join(output, name, 'throughput.svg'), 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s)
  const samples = await readFile(join(output, name, 'samples_shapes_vqa.jsonl'), 'utf8')
  const [request] = (JSON.parse(samples.split('\n')[0]!) as { requests: Record<string, unknown>[] }).requests
  expect(request).toMatchObject({ usage: { inputTokens: 7, outputTokens: 3 }, attempts: 1 })
  expect(Object.keys(request!['timing'] as object)).toEqual(
    expect.arrayContaining(['queue_ms', 'duration_ms', 'end_to_end_ms', 'sent_bytes', 'received_bytes']),
  )

  const bundle = join(folder, 'run.pipeline')
  expect(await runCli(['export', 'last', '-o', bundle, '--store', store])).toMatchObject({ code: 0 })
  const elsewhere = join(folder, 'elsewhere')
  expect(await runCli(['import', bundle, '--store', elsewhere])).toMatchObject({ code: 0 })
  expect(await throughputOf(elsewhere)).toEqual(figures)
})

test('records for a streamed answer the time of the first and of each further token', async () => {
  const server = await startStreaming({ firstAfterMs: 120, eachMs: 20, tokens: 6 })
  const store = await temporaryFolder()
  const args = `model=m,base_url=${server.url},stream=true`
  const line = [
    'eval',
    '--tasks',
    'shapes_vqa',
    '--limit',
    '8',
    '--store',
    store,
    '--model',
    'openai',
    '--model-args',
    args,
  ]
  expect(await runCli(line)).toMatchObject({ code: 0 })
  const figures = await throughputOf(store)
  expect(figures.tokens).toMatchObject({ input: 9 * 8, output: 6 * 8, reasoning: 0, cached: 4 * 8 })
  expect(figures.time_to_first_token_ms?.n).toBe(8)
  expect(figures.time_to_first_token_ms?.p50).toBeGreaterThanOrEqual(119)
  // It is lower than the server's pace only if this machine was late to read the first token.
  expect(figures.time_per_output_token_ms?.p50).toBeGreaterThan(0)
  expect(figures.latency_ms.p50).toBeGreaterThanOrEqual(219)
})

test('counts rejected attempts, and excludes answers of another run from a run’s speed', async () => {
  const server = await serve('--fail', '429:0.1:1')
  const store = await temporaryFolder()
  const few = 20
  const line = lineOf(server, store, few)
  expect(await runCli(line)).toMatchObject({ code: 0 })
  const { requests, distinct } = await server.stats()
  const refused = requests - distinct
  expect(refused).toBeGreaterThan(0)
  const first = await throughputOf(store)
  expect(first.requests).toMatchObject({ asked: few, attempts: requests, retries: refused, throttled: refused })
  const shown = await runCli(['report', 'last', '--throughput', '--store', store])
  expect(shown.stdout).toMatch(
    new RegExp(`attempts +${requests} sent · ${refused} of them again · ${refused} throttled`),
  )
  expect(shown.stdout).toMatch(/requests in flight\n.*┤/)

  const repeat = await runCli([...line, '--new-run'])
  expect(repeat).toMatchObject({ code: 0 })
  expect(repeat.stdout).not.toContain('answers at')
  const second = await throughputOf(store)
  expect(second.requests).toMatchObject({ asked: 0, from_store: few })
  expect(second.busy_ms).toBe(0)
  expect((await throughputOf(store, 'last~1')).requests).toEqual(first.requests)
})
