/** Agents evaluate with the built program: the SDK's client over standard input and output, and over streamable HTTP. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ProgressNotificationSchema, type Progress } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bin, runCli } from '../support/cli.js'
import { called, type Called, type CallOptions } from '../support/mcp-call.js'
import { startService } from '../support/service.js'
import { writeTextTask } from '../support/text-task.js'

const echo = { model: 'dummy', tasks: ['echoes'], model_args: { mode: 'echo' }, mode: 'sync' }
/** Answers arrive one after the other, so that there is time to look at a running evaluation. */
const slow = { ...echo, model_args: { mode: 'fixed', text: 'slow', latency_ms: 400, num_concurrent: 1 } }

let folder: string
let agent: Client
let pid: number | null

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcp-test-'))
  await writeTextTask(join(folder, 'tasks'), 6)
  ;({ client: agent, pid } = await overStdio())
})

afterAll(async () => {
  await agent.close()
  await rm(folder, { recursive: true, force: true })
})

const flags = (): readonly string[] => ['--store', join(folder, 'store'), '--include-path', join(folder, 'tasks')]

async function overStdio(): Promise<{ readonly client: Client; readonly pid: number | null }> {
  const args = [bin, 'mcp', ...flags()]
  const transport = new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' })
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport)
  // The client checks answers by the schemas of the tools that it has listed.
  await client.listTools()
  return { client, pid: transport.pid }
}

const call = (name: string, args: object, options?: CallOptions): Promise<Called> => called(agent, name, args, options)

it('an evaluation can be awaited, reported, paged and compared', async () => {
  const told: Progress[] = []
  // The client drops progress that comes in one piece with the answer, so it is read where every notification passes.
  agent.setNotificationHandler(ProgressNotificationSchema, ({ params }) => void told.push(params))
  const { data: a, text } = await call('evaluate', echo, { onprogress: () => undefined })
  expect(a).toMatchObject({
    status: 'completed',
    error: null,
    results: { counts: { docs: 6, answered: 6 }, tasks: { echoes: { exact_match: { n: 6, coverage: 1 } } } },
  })
  expect(JSON.parse(text)).toEqual(a)
  const numbers = told.map(({ progress }) => progress)
  expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
  expect(told.at(-1)?.message).toContain('6 of 6 requests answered')

  const page = async (more: object): Promise<Called['data']> =>
    (await call('get_run_result', { run_id: a['run_id'], include_samples: true, ...more })).data
  const wrong = await page({ only: 'wrong' })
  expect(indexes(wrong)).toEqual([0, 3])
  expect(wrong).toMatchObject({
    next_cursor: null,
    samples: [{ task: 'echoes', target: 'another', requests: [{ response: { text: 'question 0' } }] }, {}],
  })
  const first = await page({ sample_limit: 4 })
  expect(indexes(first)).toEqual([0, 1, 2, 3])
  expect(indexes(await page({ cursor: first['next_cursor'] }))).toEqual([4, 5])
  expect(indexes(await page({ only: 'wrong', sample_offset: 1 }))).toEqual([3])

  const { data: b } = await call('evaluate', { ...echo, model_args: { mode: 'fixed', text: 'another' } })
  expect((await call('compare_runs', { a: a['run_id'], b: b['run'] })).data).toMatchObject({
    a: a['run'],
    b: b['run'],
    metrics: [{ task: 'echoes', metric: 'exact_match', n: 6, improved: ['0', '3'] }],
  })
  expect((await call('why_miss', { a: a['run_id'], b: b['run_id'] })).data).toMatchObject({ shared: 6, differing: 6 })
  expect(await call('why_miss', { a: 'nothing', b: 'last' })).toMatchObject({
    isError: true,
    text: 'no run "nothing".',
  })
})

it('a response stays below its limit, and the next page continues where it ended', async () => {
  const { data: done } = await call('evaluate', {
    ...echo,
    model_args: { mode: 'fixed', text: 'long '.repeat(40_000) },
  })
  const seen: unknown[] = []
  let cursor: unknown
  do {
    const args = { run_id: done['run_id'], include_samples: true, ...(cursor !== undefined && { cursor }) }
    const { data, text } = await call('get_run_result', args)
    expect(text.length).toBeLessThanOrEqual(100_000)
    expect(text).toMatch(/response\.(body\.)?text: \d+ of 200000 characters/)
    seen.push(...indexes(data))
    cursor = data['next_cursor']
  } while (cursor !== null)
  expect(seen).toEqual([0, 1, 2, 3, 4, 5])
})

it('reports mistakes with what to do', async () => {
  const refused = async (args: object): Promise<string> => {
    const { isError, text } = await call('evaluate', { ...echo, ...args })
    expect(isError).toBe(true)
    return text
  }
  expect(await refused({ limt: 3 })).toBe('limt: no such key. Did you mean "limit"?')
  expect(await refused({ tasks: ['/etc/passwd'] })).toContain('--allow-dir')
  expect(await refused({ mode: 'now' })).toMatch(/^mode: /)
  expect(await call('get_run_status', { run_id: '00000000-0000-4000-8000-000000000000' })).toMatchObject({
    isError: true,
  })
  expect(await runCli(['mcp', ...flags(), '--port', '0'])).toMatchObject({
    code: 1,
    stderr: 'error: --port needs --http\n',
  })
})

it('an evaluation continues after its process was killed, and can be cancelled', async () => {
  const { data } = await call('evaluate', { ...slow, mode: 'async' })
  const id = data['run_id']
  const answered = async (): Promise<number> => {
    const { progress } = (await call('get_run_status', { run_id: id })).data as {
      progress: { answered: number } | null
    }
    return progress?.answered ?? 0
  }
  while ((await answered()) < 2) await sleep(20)
  process.kill(pid ?? 0, 'SIGKILL')
  await agent.close()
  ;({ client: agent, pid } = await overStdio())
  let status: unknown
  while (status !== 'completed') {
    status = (await call('get_run_status', { run_id: id })).data['status']
    expect(['queued', 'running', 'completed']).toContain(status)
    await sleep(20)
  }
  expect(await answered()).toBe(6)

  const { data: other } = await call('evaluate', {
    ...slow,
    model_args: { ...slow.model_args, text: 'x' },
    mode: 'async',
  })
  expect((await call('cancel_run', { run_id: other['run_id'] })).data).toMatchObject({ success: true })
  while (status !== 'cancelled') {
    status = (await call('get_run_status', { run_id: other['run_id'] })).data['status']
    await sleep(20)
  }
  expect((await call('cancel_run', { run_id: other['run_id'] })).data).toMatchObject({ success: false })
})

it('pipeline serve offers the tools at /mcp, to those with a token', async () => {
  const { stdout } = await runCli(['serve', 'token', 'new', '--name', 'agent', ...flags().slice(0, 2)])
  await using service = await startService([...flags(), '--require-token'])
  const connected = async (authorization?: string): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' })
    const headers = authorization === undefined ? {} : { authorization }
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', service.url), { requestInit: { headers } }))
    return client
  }
  await expect(connected()).rejects.toThrow('this service needs a token')
  const client = await connected(`Bearer ${stdout.trim()}`)
  const told: Progress[] = []
  const answer = await called(
    client,
    'evaluate',
    { ...echo, limit: 2 },
    { onprogress: progress => told.push(progress) },
  )
  expect(answer.data).toMatchObject({ status: 'completed', results: { counts: { docs: 2 } } })
  expect(told.length).toBeGreaterThan(0)
  await client.close()
})

const indexes = (data: Called['data']): readonly unknown[] =>
  (data['samples'] as { readonly doc_index: number }[]).map(sample => sample.doc_index)
