import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeStoredSettings } from '../../../../src/config/option.js'
import { readToolServers, toolOptions, withServerPath } from '../../../../src/config/values/tool-servers.js'
import { temporaryFolder } from '../../../support/store.js'

const read = (...mcp: string[]) => readToolServers({ mcp }, {})

test('reads a command line as a program with arguments, or an address', () => {
  expect(read(`node 'my server.mjs' --name "a \\"b\\"" c\\ d`, ' https://h/mcp?x=1 ')).toEqual([
    { type: 'stdio', name: 'server1', command: 'node', args: ['my server.mjs', '--name', 'a "b"', 'c d'], secrets: [] },
    { type: 'http', name: 'server2', url: 'https://h/mcp?x=1' },
  ])
  expect(() => read('')).toThrow('mcp: expected a command line or an address')
  expect(() => read('node "a')).toThrow('a quotation mark is not closed')
})

test('reads programs relative to the file, and secrets of servers from the environment', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'tools.json')
  const mcpServers = {
    search: { command: 'python3', args: ['s.py', '${MODE}'], env: { KEY: '${KEY}' }, cwd: 'sub' },
    maps: { type: 'http', url: 'https://maps.example/mcp', headers: { authorization: 'Bearer ${KEY}' } },
  }
  await writeFile(file, JSON.stringify({ mcpServers }))
  expect(readToolServers({ tools: file }, { KEY: 'secret-1', MODE: 'm' })).toEqual([
    {
      type: 'stdio',
      name: 'search',
      command: 'python3',
      args: ['s.py', 'm'],
      env: { KEY: 'secret-1' },
      cwd: join(folder, 'sub'),
      secrets: ['secret-1'],
    },
    {
      type: 'http',
      name: 'maps',
      url: 'https://maps.example/mcp',
      headers: { authorization: 'Bearer secret-1' },
      secrets: ['secret-1', 'Bearer secret-1'],
    },
  ])
  expect(() => readToolServers({ tools: file }, { KEY: 'k' })).toThrow('mcpServers.search: the environment has no MODE')
})

test('reads a YAML file and reports its mistakes', async () => {
  const folder = await temporaryFolder()
  const write = async (text: string) => {
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 't.yaml'), text)
    return { tools: join(folder, 't.yaml') }
  }
  expect(readToolServers(await write('mcpServers: {a: {command: x}}'), {})).toMatchObject([{ command: 'x', args: [] }])
  const wrong = await write('mcpServers: {a: {comand: x}}')
  expect(() => readToolServers(wrong, {})).toThrow('mcpServers.a: expected {command, args, env, cwd} or {url, headers}')
  expect(() => readToolServers({ tools: join(folder, 'none') }, {})).toThrow(/^tools none: no such file/)
})

test('lmms-eval’s mcp_server_path is a program given by its file', () => {
  expect(withServerPath({ mcp: ['a'] }, '/x y/s.py')).toEqual({ mcp: ['a', 'python3 "/x y/s.py"'] })
  expect(readToolServers(withServerPath({}, '/x y/s.py'), {})).toMatchObject([
    { command: 'python3', args: ['/x y/s.py'] },
  ])
  expect(withServerPath({}, undefined)).toEqual({})
})

test('stores no secrets with a run', () => {
  const kept = makeStoredSettings(
    toolOptions,
    { mcp: ['node s', 'https://h/mcp?api_key=s&x=1'], tools: 't.json' },
    '/work',
  )
  expect(kept).toMatchObject({ mcp: ['node s', 'https://h/mcp?x=1'], tools: '/work/t.json' })
  const lines = ['s --api-key sk-1 --x', `s --token="a b"`, `s --api-key '\${KEY}'`]
  expect(makeStoredSettings(toolOptions, { mcp: lines }, '/')['mcp']).toEqual([
    's --api-key *** --x',
    's --token=***',
    lines[2],
  ])
  expect(() => read('s --api-key ***')).toThrow('a secret is not stored')
})

test('knows secrets in a command line, to mask them', () => {
  const [one, two] = readToolServers({ mcp: [`s --token="a b" x`, `s '\${KEY}'`] }, { KEY: 'secret-1' })
  expect(one).toMatchObject({ args: ['--token=a b', 'x'], secrets: ['a b'] })
  expect(two).toMatchObject({ args: ['secret-1'], secrets: ['secret-1'] })
})
