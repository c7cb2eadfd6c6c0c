import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import type { Terminal } from '../../../../src/cli/display/terminal.js'
import { checkHtmlFile } from '../../../../src/cli/flags/html-report.js'
import { checkWebhook, tellWebhook } from '../../../../src/cli/flags/webhook.js'
import type { Results } from '../../../../src/present/json/results-json.js'

const results = {
  run: {
    id: 'sha256:1',
    name: 'calm-heron-19c2',
    createdAt: 0,
    asked: { tasks: [], model: { backend: 'dummy', args: {} } },
    provenance: { version: '1', node: '24', config: {} },
  },
  counts: { docs: 0, items: 0, answered: 0, pending: 0, failed: {}, inputFinished: true },
  failures: [],
} as unknown as Results

const signal = new AbortController().signal

/** A server that answers with each status in turn. @returns its address, and what it got */
async function serve(...statuses: readonly number[]) {
  const bodies: Readonly<Record<string, unknown>>[] = []
  const server = createServer((request, response) => {
    void text(request).then(body => {
      response.statusCode = statuses[bodies.length] ?? 200
      bodies.push(JSON.parse(body) as Readonly<Record<string, unknown>>)
      response.end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { address: `http://127.0.0.1:${port}/secret-path`, bodies, close: () => server.close() }
}

function recordingTerminal() {
  const told: string[] = []
  const terminal = {
    tell: (line: string) => told.push(line),
    mask: (secrets: readonly string[]) => told.push(...secrets),
  }
  return { told, terminal: terminal as unknown as Terminal }
}

test('posts the results with a text for chat programs, and retries after a failure', async () => {
  const server = await serve(500)
  const { told, terminal } = recordingTerminal()
  await tellWebhook(server.address, { results, code: 2 }, { terminal, signal })
  server.close()
  expect(server.bodies).toHaveLength(2)
  expect(server.bodies[1]).toMatchObject({
    event: 'run.ended',
    text: 'calm-heron-19c2 incomplete',
    exit_code: 2,
    run: 'calm-heron-19c2',
    results: { format: 1, run: { name: 'calm-heron-19c2' } },
  })
  expect(told).toEqual([])
})

test('reports an address that rejects the results without its path, and does not fail', async () => {
  const server = await serve(302)
  const { told, terminal } = recordingTerminal()
  await tellWebhook(server.address, { results, code: 0 }, { terminal, signal: AbortSignal.abort() })
  server.close()
  expect(told).toEqual([expect.stringContaining(`the webhook was not told: ${new URL(server.address).origin}: `)])
  expect(told.join()).not.toContain('secret-path')
})

test('rejects an invalid address before work starts, and masks it', () => {
  const { told, terminal } = recordingTerminal()
  expect(() => checkWebhook('hooks.example.com/x', terminal)).toThrow('--webhook: expected an address')
  expect(told).toEqual(['hooks.example.com/x'])
})

test('--open requires --html', async () => {
  await expect(checkHtmlFile({ open: true })).rejects.toThrow('--open: also give --html FILE')
})
