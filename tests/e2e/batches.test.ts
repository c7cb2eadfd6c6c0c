import type { ChildProcess } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { runCli, startCli } from '../support/cli.js'
import { dumpOf, expectSound } from '../support/crash.js'
import { startFakeAnthropicBatches } from '../support/fake-anthropic-batches.js'
import type { BatchCall, FakeBatchServer, Interference } from '../support/fake-batch-server.js'
import { startFakeOpenaiBatches } from '../support/fake-openai-batches.js'
import { lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'

const docs = 300
const secret = 'sk-very-secret-7f3a9b'
const env = { OPENAI_API_KEY: secret, ANTHROPIC_API_KEY: secret }

interface Provider {
  readonly name: string
  readonly start: () => Promise<FakeBatchServer>
  readonly args: (url: string) => string
}

/** Whether a batch was polled this many times. */
function lookedAt(times: number): (id: string) => boolean {
  const looks = new Map<string, number>()
  return id => {
    looks.set(id, (looks.get(id) ?? 0) + 1)
    return (looks.get(id) ?? 0) >= times
  }
}

const openai: Provider = {
  name: 'openai',
  start: async () => {
    const server = await startFakeOpenaiBatches()
    const isThrough = lookedAt(3)
    server.progress = ({ id }) => (isThrough(id) ? 'completed' : 'in_progress')
    return server
  },
  args: url => `model=m,base_url=${url}/v1`,
}

const anthropic: Provider = {
  name: 'anthropic',
  start: async () => {
    const server = await startFakeAnthropicBatches()
    const isThrough = lookedAt(4)
    server.hasEnded = ({ id }) => isThrough(id)
    return server
  },
  args: url => `model=m,base_url=${url}`,
}

async function scene(provider: Provider, limit: number) {
  const server = await provider.start()
  onTestFinished(() => server.close())
  const folder = await temporaryFolder()
  const store = join(folder, 'store')
  const ask = ['--tasks', 'shapes_vqa', '--limit', String(limit), '--model', provider.name]
  const line = (where: string, ...flags: readonly string[]): readonly string[] => [
    'eval',
    ...ask,
    '--model-args',
    provider.args(server.url),
    '--store',
    where,
    '--quiet',
    ...flags,
  ]
  return { server, folder, store, line, batched: line(store, '--batch', '--batch-requests', '280', '--poll', '0.1') }
}

/** A point in the life of a batch at which the program is killed. */
interface Place {
  readonly name: string
  readonly call: RegExp
  readonly when: keyof Interference
}

const places: Readonly<Record<string, readonly Place[]>> = {
  openai: [
    { name: 'when the batch is whole', call: /^POST .*\/files$/, when: 'arriving' },
    { name: 'when the requests are uploaded', call: /^POST .*\/files$/, when: 'leaving' },
    { name: 'when the provider has the batch', call: /^POST .*\/batches$/, when: 'leaving' },
    { name: 'when it is looked at', call: /^GET .*\/batches\/batch_\d$/, when: 'arriving' },
    { name: 'when results are asked for', call: /^GET .*\/content$/, when: 'arriving' },
    { name: 'amid the results', call: /^GET .*\/batch_1-output\/content$/, when: 'amid' },
  ],
  anthropic: [
    { name: 'when the provider has the batch', call: /^POST .*\/batches$/, when: 'leaving' },
    { name: 'when it is looked at', call: /^GET .*\/batches\/\w+$/, when: 'arriving' },
    { name: 'amid the results', call: /^GET .*\/msgbatch_1\/results$/, when: 'amid' },
  ],
}

/** Kills the program at that point, once. */
function kill(place: Place, { child, store }: { readonly child: ChildProcess; readonly store: string }): Interference {
  const before = lookInto(store).responses
  const strike = async (): Promise<void> => {
    // By then, a first page of results is stored.
    while (place.when === 'amid' && lookInto(store).responses <= before) await sleep(2)
    child.kill('SIGKILL')
    await new Promise(() => undefined)
  }
  return { [place.when]: (call: BatchCall) => (place.call.test(call.name) ? strike() : undefined) }
}

async function filesOf(folder: string): Promise<readonly { readonly name: string; readonly bytes: Buffer }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile())
  return Promise.all(
    files.map(async ({ name, parentPath }) => ({ name, bytes: await readFile(join(parentPath, name)) })),
  )
}

test.each([openai, anthropic])(
  'a batch run on $name that is killed at any point bills each request once and has the same results',
  async provider => {
    const { server, folder, store, line, batched } = await scene(provider, docs)
    const told: string[] = []
    for (const place of places[provider.name] ?? []) {
      const { child, ended } = startCli(batched, { env })
      server.interference = kill(place, { child, store })
      const life = await ended
      told.push(life.stderr)
      expect(life, place.name).toMatchObject({ signal: 'SIGKILL' })
    }
    server.interference = {}
    expect(await runCli(batched, { env })).toMatchObject({ code: 0 })
    expect([...server.billed.values()]).toEqual(Array.from({ length: server.billed.size }, () => 1))
    const before = server.calls.length
    expect(await runCli(batched, { env })).toMatchObject({ code: 0 })
    expect(server.calls).toHaveLength(before)

    const direct = join(folder, 'direct')
    expect(await runCli(line(direct), { env })).toMatchObject({ code: 0 })
    expect([...server.billed.values()]).toEqual(Array.from({ length: server.billed.size }, () => 2))
    expect(await dumpOf(store)).toBe(await dumpOf(direct))
    await expectSound(store)
    expect(told.join('')).not.toContain(secret)
    for (const file of await filesOf(store)) expect(file.bytes.includes(secret), file.name).toBe(false)
  },
)

test('a batch can be left at the provider, is mentioned, and is collected by resume', async () => {
  const { server, store, line } = await scene(openai, 6)
  const { code, stderr } = await runCli(line(store, '--batch', '--no-wait'), { env })
  expect(code).toBe(2)
  expect(stderr).toContain('run incomplete: 6 of 6 requests not answered yet')
  expect(stderr).toContain('6 requests in 1 batch at the provider (batch_1): resume collects them')
  expect((await runCli(['runs', 'show', 'last', '--store', store])).stdout).toMatch(
    /batch batch_1 +6 requests, with the provider/,
  )
  const listed = await runCli(['cache', 'batches', '--json', '--store', store])
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id: 'batch_1', state: 'submitted', requests: 6, open: 6 }])
  expect(await runCli(['resume', 'last', '--store', store, '--no-wait', '--quiet'], { env })).toMatchObject({ code: 2 })
  const asked = server.calls.filter(({ name }) => name.startsWith('POST')).length
  expect(await runCli(['resume', 'last', '--store', store, '--poll', '0.1', '--quiet'], { env })).toMatchObject({
    code: 0,
  })
  expect(server.calls.filter(({ name }) => name.startsWith('POST'))).toHaveLength(asked)
  expect([...server.billed.values()]).toEqual([1, 1, 1, 1, 1, 1])
  // The fake provider names itself as the model of each answer.
  const report = await runCli(['report', 'last', '--store', store, '--json'])
  expect(JSON.parse(report.stdout)).toMatchObject({ provenance: { served: [{ model: 'fake', answers: 6 }] } })
})

test('after a batch is forgotten, its requests are sent again', async () => {
  const { server, store, line } = await scene(openai, 2)
  await runCli(line(store, '--batch', '--no-wait'), { env })
  expect(await runCli(['cache', 'batches', '--forget', 'batch_2', '--store', store])).toMatchObject({
    code: 1,
    stderr: 'error: no batch "batch_2". Did you mean "batch_1"?   (pipeline cache batches)\n',
  })
  expect(await runCli(['cache', 'batches', '--forget', 'batch_1', '--store', store])).toMatchObject({
    code: 0,
    stdout: [
      'forgot batch batch_1: 2 requests of it may be sent again',
      `the provider still works on it, and bills what it answers. To cancel it there:  curl -X POST ${server.url}/v1/batches/batch_1/cancel -H "Authorization: Bearer $OPENAI_API_KEY"`,
      '',
    ].join('\n'),
  })
  expect(await runCli(line(store), { env })).toMatchObject({ code: 0 })
  expect([...server.billed.values()]).toEqual([2, 2])
})

test('Ctrl-C ends the wait at once, and the batch continues', async () => {
  const { server, store, batched } = await scene(openai, 6)
  const { child, ended } = startCli(batched, { env })
  server.interference = {
    leaving: ({ name }) => (/GET .*\/batch_1$/.test(name) ? void child.kill('SIGINT') : undefined),
  }
  const { code, stderr } = await ended
  expect(code).toBe(130)
  expect(stderr).toMatch(
    /0 of 6 answered, all kept\. 6 requests in 1 batch at the provider\. +resume: {2}pipeline resume/,
  )
  server.interference = {}
  expect(await runCli(['resume', 'last', '--store', store, '--poll', '0.1', '--quiet'], { env })).toMatchObject({
    code: 0,
  })
  expect([...server.billed.values()]).toEqual([1, 1, 1, 1, 1, 1])
})

test('downloads results truncated between two lines again, and no request is billed twice', async () => {
  const { server, batched } = await scene(openai, docs)
  let downloads = 0
  server.interference = {
    replacing: ({ name }, body) =>
      name.endsWith('-output/content') && downloads++ < 2 ? String(body).split('\n').slice(0, 219).join('\n') : body,
  }
  expect(await runCli(batched, { env })).toMatchObject({ code: 0 })
  expect(downloads).toBeGreaterThan(2)
  expect(server.billed.size).toBe(docs)
  expect([...server.billed.values()].every(times => times === 1)).toBe(true)
})

test('--max-cost with batches is used up, and the reason of the stop is printed', async () => {
  const { server, folder, store, line } = await scene(openai, 60)
  const prices = join(folder, 'prices.yaml')
  await writeFile(prices, 'openai: {m: {input: 10, output: 10}}\n')
  const limited = line(store, '--batch', '--poll', '0.1', '--prices', prices, '--max-cost', '0.003')
  const { code, stderr } = await runCli(
    limited.filter(flag => flag !== '--quiet'),
    { env },
  )
  expect(code, stderr).toBe(2)
  const [, spent] = /--max-cost 0.003: \$([\d.]+) spent, the next may be too much/.exec(stderr) ?? []
  expect(Number(spent), stderr).toBeGreaterThan(0.0028)
  expect(Number(spent)).toBeLessThanOrEqual(0.003)
  expect(server.billed.size).toBeGreaterThan(1)
})

test('a model without a batch API rejects --batch and names models that have one', async () => {
  const line = ['eval', '--model', 'dummy', '--tasks', 'shapes_vqa', '--batch', '--store', await temporaryFolder()]
  expect(await runCli(line)).toMatchObject({
    code: 1,
    stderr:
      'error: --batch: model dummy has no batch API (these have one: openai, groq, openai_responses, anthropic)\n',
  })
})

test("prints the provider's reason for a rejected batch, and the same command submits it again", async () => {
  const { server, store, line } = await scene(openai, 3)
  const batched = line(store, '--batch', '--poll', '0.1')
  let isBroken = true
  const fake = server as Awaited<ReturnType<typeof startFakeOpenaiBatches>>
  fake.progress = batch => {
    if (!isBroken) return 'completed'
    batch.errors = {
      object: 'list',
      data: [{ code: 'model_not_found', message: 'no model m', param: 'body.model', line: 1 }],
    }
    return 'failed'
  }
  const { code, stderr } = await runCli(batched, { env })
  expect(code).toBe(1)
  expect(stderr).toContain('the provider refused batch batch_1 of 3 requests: line 1: no model m')
  expect(server.calls.map(({ name }) => name)).toContain('DELETE /v1/files/file-1')
  isBroken = false
  expect(await runCli(batched, { env })).toMatchObject({ code: 0 })
  expect(fake.batches).toHaveLength(2)
})
