import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import type { ToolServer } from '../../../../stages/model/tools/tool-server.js'
import { openToolbox, type Toolbox, type ToolboxOptions } from '../../../../stages/model/tools/toolbox.js'
import { root } from '../../../support/cli.js'
import { temporaryFolder } from '../../../support/store.js'

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
    ...rest,
  })
  opened.push(() => toolbox.close())
  return toolbox
}

const call = (toolbox: Toolbox, name: string, args: object | string = {}) =>
  toolbox.call({ id: 'c', name, arguments: typeof args === 'string' ? args : JSON.stringify(args) }, never)

let shared: Toolbox
beforeAll(async () => {
  shared = await toolsOf([program('test')])
})

/** The HTTP server as a process of its own, whose address it says. */
async function httpServer(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [script, '--http', ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return new Promise(resolve => createInterface({ input: child.stdout }).once('line', resolve))
}

test('tools are declared by names that every provider takes, in the order of names, and called by their own', async () => {
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

test('pictures go into the store, or are told of where the model takes none', async () => {
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
  ['a failure of the tool', 'fail', '', /^no luck$/],
])('the model is told of %s', async (_, name, args, text) => {
  const result = await call(shared, name, args)
  expect(result).toMatchObject({ isError: true, text: expect.stringMatching(text) as string })
})

test('what is secret of a server is in no result, and in no message', async () => {
  const server = { ...program('test'), env: { KEY: 'very-secret' }, secrets: ['very-secret'] }
  expect(await call(await toolsOf([server]), 'read_env', { name: 'KEY' })).toEqual({ text: '***' })
  const wrong = { ...server, args: ['-e', 'console.error(process.env.KEY)', 'very-secret'] }
  await expect(toolsOf([wrong])).rejects.not.toThrow('very-secret')
})

test('a call that takes too long is told to the model', async () => {
  const toolbox = await toolsOf([program('test')], { timeoutMs: 200 })
  expect(await call(toolbox, 'wait', { ms: 60_000 })).toEqual({ text: 'error: no result within 0.2 s', isError: true })
})

test('a server that dies is started once more; one that dies again fails what called it', async () => {
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

test('a call that ends its server every time fails alone, and none that was under way beside it', async () => {
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

test('servers are reached by HTTP with their headers, and tools of one name have the name of their server before it', async () => {
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

test('a server of the protocol’s first version is reached by events', async () => {
  const toolbox = await toolsOf([{ type: 'http', name: 'old', url: await httpServer('--events') }])
  expect(await call(toolbox, 'add', { a: 1, b: 2 })).toEqual({ text: '3' })
})

test('a server that lets nobody in is said to', async () => {
  const url = await httpServer('--closed')
  await expect(toolsOf([{ type: 'http', name: 'far', url }])).rejects.toThrow(/does not say what it offers: .*401/)
})

test('what is asked is broken off where the program is stopped', async () => {
  const stop = new AbortController()
  const waiting = shared.call({ id: 'c', name: 'wait', arguments: '{"ms":60000}' }, stop.signal)
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
])('a server that %s is refused before anything is asked', async (_, server, message) => {
  await expect(toolsOf([server])).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(message) as string,
  })
})
