import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { PipelineError } from '../../../../base/errors/errors.js'
import { sha256 } from '../../../../cache/digest.js'
import { realClock } from '../../../../src/clock.js'
import type { ToolServer } from '../../../../stages/model/tools/tool-server.js'
import { openToolbox, type Toolbox, type ToolboxOptions } from '../../../../stages/model/tools/toolbox.js'
import { root } from '../../../support/cli.js'
import { temporaryFolder } from '../../../support/store.js'
import { virtualClock } from '../../../support/virtual-clock.js'

const script = join(root, 'tests/support/mcp-server.mjs')
const never = new AbortController().signal

const program = (name: string, ...args: string[]): ToolServer => ({
  type: 'stdio',
  name,
  command: process.execPath,
  args: [script, ...args],
})

const opened: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of opened) await close()
})

async function toolsOf(servers: readonly ToolServer[], rest: Partial<ToolboxOptions> = {}): Promise<Toolbox> {
  const media = {
    addBytes: (bytes: Uint8Array) => Promise.resolve({ digest: sha256<'media'>(bytes), bytes: 0, isNew: true }),
  }
  const toolbox = await openToolbox(servers, {
    media,
    accepts: ['text', 'image'],
    timeoutMs: 20_000,
    version: '0',
    clock: realClock,
    note: () => undefined,
    ...rest,
  })
  opened.push(() => toolbox.close())
  return toolbox
}

const call = (toolbox: Toolbox, name: string, args: object | string = {}) =>
  toolbox.call({ id: 'c', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }, { signal: never })

let shared: Toolbox
beforeAll(async () => {
  shared = await toolsOf([program('test')])
})

/** Starts the HTTP server as a separate process, which prints its address. */
async function httpServer(...args: string[]): Promise<string> {
  return (await httpProcess(...args)).url
}

async function httpProcess(...args: string[]): Promise<{ readonly url: string; readonly kill: () => Promise<void> }> {
  const child = spawn(process.execPath, [script, '--http', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = await new Promise<string>(resolve => createInterface({ input: child.stdout }).once('line', resolve))
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { url, kill }
}

const callsIn = async (log: string): Promise<readonly string[]> =>
  (await readFile(log, 'utf8')).split('\n').filter(line => !line.startsWith('http') && line !== '')

test('declares tools in order by names that every provider accepts, and calls them by their own names', async () => {
  const toolbox = shared
  expect(toolbox.declared.map(({ name }) => name)).toEqual(['add', 'crash', 'fail', 'look', 'read_env', 'wait'])
  expect(toolbox.declared[0]).toEqual({
    name: 'add',
    description: 'Adds two numbers.',
    parameters: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
    },
  })
  expect(await call(toolbox, 'add', { a: 1, b: 2 })).toEqual({ text: '3' })
  expect(await call(toolbox, 'read_env', { name: 'VITEST' })).toEqual({ text: 'none' })
})

test('stores pictures, or describes them if the model accepts none', async () => {
  const { text, content } = await call(shared, 'look')
  expect({ text, content }).toEqual({
    text: 'A dot.',
    content: [{ type: 'image', media: expect.stringMatching(/^sha256:/) as string }],
  })
  const blind = await toolsOf([program('test')], { accepts: ['text'] })
  expect(await call(blind, 'look')).toEqual({ text: "A dot.\n(image, which can't be shown)" })
})

test.each<[string, string, object | string, RegExp]>([
  ['a tool that is not there', 'ad', {}, /^error: there is no tool "ad"\. Did you mean "add"\? There are: add, crash/],
  ['arguments that are no JSON', 'add', '{a: 1}', /^error: the arguments are not JSON .*given \{a: 1\}$/],
  ['arguments that are no object', 'add', '[1]', /^error: the arguments must be a JSON object, given \[1\]$/],
  ['arguments that the tool refuses', 'add', { a: 'one' }, /Invalid arguments|expected number/i],
  ['a failure of the tool', 'fail', '', /no luck$/],
])('tells the model about %s', async (_, name, args, text) => {
  const result = await call(shared, name, args)
  expect(result).toMatchObject({ isError: true, text: expect.stringMatching(text) as string })
})

test('secrets of a tool server are in no result and no message', async () => {
  const server = { ...program('test'), env: { KEY: 'very-secret' }, secrets: ['very-secret'] }
  expect(await call(await toolsOf([server]), 'read_env', { name: 'KEY' })).toEqual({ text: '***' })
  const wrong = { ...server, args: ['-e', 'console.error(process.env.KEY)', 'very-secret'] }
  await expect(toolsOf([wrong])).rejects.not.toThrow('very-secret')
})

test('tells the model that a call timed out', async () => {
  const toolbox = await toolsOf([program('test')], { timeoutMs: 200 })
  expect(await call(toolbox, 'wait', { ms: 60_000 })).toEqual({ text: 'error: no result within 0.2 s', isError: true })
})

test('restarts a server that dies once; its second death fails the call', async () => {
  const folder = await temporaryFolder()
  expect(await call(shared, 'crash', { file: join(folder, 'a') })).toEqual({ text: 'alive' })
  const stubborn = await toolsOf([program('stubborn', '--crash', 'always')])
  await expect(call(stubborn, 'crash', { file: join(folder, 'b') })).rejects.toMatchObject({
    class: 'server',
    isRetryable: false,
    message: expect.stringMatching(/tool server stubborn .* ended twice/) as string,
  })
  expect(await call(stubborn, 'add', { a: 1, b: 2 })).toEqual({ text: '3' })
})

test('a call that crashes its server every time fails alone, without other calls in flight', async () => {
  const folder = await temporaryFolder()
  const stubborn = await toolsOf([program('stubborn', '--crash', 'always')])
  const others = [1, 2, 3].map(b => call(stubborn, 'wait', { ms: 20 * b }))
  const deadly = call(stubborn, 'crash', { file: join(folder, 'a') })
  await expect(deadly).rejects.toThrow('ended twice')
  expect(await Promise.all([...others, call(stubborn, 'add', { a: 1, b: 2 })])).toEqual([
    { text: 'done' },
    { text: 'done' },
    { text: 'done' },
    { text: '3' },
  ])
})

test("reaches servers by HTTP with their headers, and adds the server's name to duplicate tool names", async () => {
  const log = join(await temporaryFolder(), 'log')
  const url = await httpServer('--log', log)
  const toolbox = await toolsOf([
    program('near'),
    { type: 'http', name: 'far', url, headers: { authorization: 'Bearer t' } },
  ])
  expect(toolbox.declared.map(({ name }) => name).filter(name => name.endsWith('add'))).toEqual([
    'far__add',
    'near__add',
  ])
  expect(await call(toolbox, 'far__add', { a: 20, b: 3 })).toEqual({ text: '23' })
  const lines = (await readFile(log, 'utf8')).trim().split('\n')
  expect(lines).toContain('add {"a":20,"b":3}')
  expect(lines).toContain('http {"authorization":"Bearer t"}')
  expect(lines).not.toContain('http {"authorization":"none"}')
})

test('reaches a server of the first protocol version by events', async () => {
  const toolbox = await toolsOf([{ type: 'http', name: 'old', url: await httpServer('--events') }])
  expect(await call(toolbox, 'add', { a: 1, b: 2 })).toEqual({ text: '3' })
})

test('reports a server that rejects every login', async () => {
  const url = await httpServer('--closed')
  await expect(toolsOf([{ type: 'http', name: 'far', url }])).rejects.toThrow(/does not say what it offers: .*401/)
})

test('a stopped program aborts the tool calls in flight', async () => {
  const stop = new AbortController()
  const waiting = shared.call({ id: 'c', name: 'wait', arguments: '{"ms":60000}' }, { signal: stop.signal })
  stop.abort()
  await expect(waiting).rejects.toThrow('aborted')
})

test.each<[string, ToolServer, RegExp]>([
  ['is no program', { type: 'stdio', name: 's', command: '/no/such/program', args: [] }, /tool server s .*ENOENT/],
  [
    'ends at once',
    { type: 'stdio', name: 's', command: process.execPath, args: ['-e', 'console.error("no key"); process.exit(3)'] },
    /It said: no key/,
  ],
  [
    'is not there',
    { type: 'http', name: 's', url: 'http://127.0.0.1:9/mcp?key=x' },
    /s \(http:\/\/127\.0\.0\.1:9\/mcp\)/,
  ],
])('rejects a server that %s before any request', async (_, server, message) => {
  await expect(toolsOf([server])).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(message) as string,
  })
})

describe('a server with unusual replies', () => {
  const odd = async () => {
    const log = join(await temporaryFolder(), 'log')
    const pids = join(await temporaryFolder(), 'pids')
    const notes: string[] = []
    const toolbox = await toolsOf([program('odd', '--odd', '--log', log, '--pids', pids)], {
      note: text => void notes.push(text),
    })
    return { log, pids, notes, toolbox }
  }

  test.each([
    ['busy', 'error: MCP error -32000: database is locked'],
    ['closed', 'error: MCP error -32000: Connection closed'],
    ['expired', 'error: MCP error -32001: session of the database expired'],
  ])('sends its error %s to the model, gets one call and stays', async (name, text) => {
    const { log, pids, toolbox } = await odd()
    const other = call(toolbox, 'wait', { ms: 50 })
    expect(await call(toolbox, name)).toEqual({ text, isError: true })
    expect(await other).toEqual({ text: 'done' })
    expect((await callsIn(log)).toSorted()).toEqual([`${name} {}`, 'wait {"ms":50}'].toSorted())
    expect((await readFile(pids, 'utf8')).trim().split('\n')).toHaveLength(1)
  })

  test('has content of an unknown type named beside the known content', async () => {
    const { toolbox } = await odd()
    expect(await call(toolbox, 'newer')).toEqual({ text: 'A map.\n(content of type "map", which can\'t be shown)' })
    expect(await call(toolbox, 'older')).toEqual({ text: '{"sum":3}' })
  })

  test('lets the model know what a result lacks of its declared schema', async () => {
    const { toolbox } = await odd()
    expect(await call(toolbox, 'shaped')).toMatchObject({
      isError: true,
      text: expect.stringMatching(/structured content does not match the tool's output schema: .*number/) as string,
    })
  })

  test('may send more than 10 MB', async () => {
    const { toolbox } = await odd()
    const { text } = await call(toolbox, 'large', { bytes: 12_000_000 })
    expect(text).toHaveLength(12_000_000)
  })

  test('offers no tool that replies only as a task, with a note', async () => {
    const { toolbox, notes } = await odd()
    expect(toolbox.declared.map(({ name }) => name)).not.toContain('later')
    expect(notes).toEqual([expect.stringMatching(/^tool server odd .* answer only as tasks of the protocol: later$/)])
  })
})

test('marks a result that says that it is an error, once', async () => {
  expect(await call(shared, 'fail')).toEqual({ text: 'error: no luck', isError: true })
})

describe('an HTTP tool server', () => {
  test.each([['--sessions'], []])('that is temporarily unreachable gets its calls later (%s)', async (...flags) => {
    const clock = virtualClock()
    const notes: string[] = []
    const log = join(await temporaryFolder(), 'log')
    const first = await httpProcess(...flags)
    const toolbox = await toolsOf([{ type: 'http', name: 'far', url: first.url }], {
      clock,
      timeoutMs: 60_000,
      note: text => void notes.push(text),
    })
    expect(await call(toolbox, 'add', { a: 1, b: 1 })).toEqual({ text: '2' })
    await first.kill()
    const calls = [1, 2, 3].map(b => call(toolbox, 'add', { a: 1, b }))
    await expect.poll(() => notes).toHaveLength(1)
    await clock.advance(2_000)
    await httpProcess('--port', new URL(first.url).port, '--log', log, ...flags)
    await clock.advance(10_000)
    expect(await Promise.all(calls)).toEqual([{ text: '2' }, { text: '3' }, { text: '4' }])
    expect(await callsIn(log)).toHaveLength(3)
    expect(notes).toEqual([
      expect.stringMatching(/tool server far .* does not answer \(.*\): its calls wait for it/),
      expect.stringMatching(/tool server far .* answers again, after \d+ s/),
    ])
  })

  test('that was restarted without its session gets a new session at once', async () => {
    const first = await httpProcess('--sessions')
    const toolbox = await toolsOf([{ type: 'http', name: 'far', url: first.url }])
    await first.kill()
    await httpProcess('--sessions', '--port', new URL(first.url).port)
    expect(await call(toolbox, 'add', { a: 1, b: 1 })).toEqual({ text: '2' })
  })

  test('that ends during a call gets the call again, and no other', async () => {
    const log = join(await temporaryFolder(), 'log')
    const first = await httpProcess('--log', log)
    const toolbox = await toolsOf([{ type: 'http', name: 'far', url: first.url }])
    const waiting = call(toolbox, 'wait', { ms: 30 })
    const done = call(toolbox, 'add', { a: 1, b: 1 })
    expect(await done).toEqual({ text: '2' })
    await expect.poll(() => callsIn(log)).toContain('wait {"ms":30}')
    const slow = call(toolbox, 'wait', { ms: 60_000 })
    await waiting
    await expect.poll(() => callsIn(log)).toContain('wait {"ms":60000}')
    await first.kill()
    const second = join(await temporaryFolder(), 'log')
    await httpProcess('--port', new URL(first.url).port, '--log', second, '--quick')
    expect(await slow).toEqual({ text: 'done' })
    expect(await callsIn(second)).toEqual(['wait {"ms":60000}'])
  })

  test('that stays unreachable ends the command, with the duration', async () => {
    const clock = virtualClock()
    const first = await httpProcess()
    const toolbox = await toolsOf([{ type: 'http', name: 'far', url: first.url }], { clock })
    await first.kill()
    const lost = call(toolbox, 'add', { a: 1, b: 1 }).catch((error: unknown) => error)
    const error = await clock.runUntil(lost)
    expect(error).toBeInstanceOf(PipelineError)
    expect((error as Error).message).toMatch(/tool server far .* has not answered for 30\d s/)
  })
})

test('does not repeat a call that must not be repeated, if its server ends before the result', async () => {
  const [log, folder] = [join(await temporaryFolder(), 'log'), await temporaryFolder()]
  const toolbox = await toolsOf([program('test', '--log', log)])
  const begun: string[] = []
  const rules = { signal: never, once: () => Promise.resolve(void begun.push('begun')) }
  const args = JSON.stringify({ file: join(folder, 'a') })
  await expect(toolbox.call({ id: 'c', name: 'crash', arguments: args }, rules)).rejects.toMatchObject({
    class: 'server',
    isRetryable: false,
    message: expect.stringMatching(/ended before the result of crash, which the task declares not to be/) as string,
  })
  expect(begun).toEqual(['begun'])
  expect(await callsIn(log)).toHaveLength(1)
})
