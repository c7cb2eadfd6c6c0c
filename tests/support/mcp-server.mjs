/**
 * A server of the Model Context Protocol: `node tests/support/mcp-server.mjs [--log FILE] [--pids FILE] [--http [--events]]`. Speaks through its
 * standard input and output, or by HTTP at an address that it prints. Each call is a line of the log.
 */
import { appendFileSync, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { z } from 'zod'

const { values } = parseArgs({
  options: {
    log: { type: 'string' },
    http: { type: 'boolean' },
    crash: { type: 'string' },
    pids: { type: 'string' },
    events: { type: 'boolean' },
    closed: { type: 'boolean' },
  },
})

if (values.pids !== undefined) appendFileSync(values.pids, `${process.pid}\n`)

/** A red dot. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFAAH/q842iQAAAABJRU5ErkJggg=='

const text = said => ({ content: [{ type: 'text', text: said }] })

function note(name, args) {
  if (values.log !== undefined) appendFileSync(values.log, `${name} ${JSON.stringify(args)}\n`)
}

function offer() {
  const server = new McpServer({ name: 'test', version: '1.0.0' })
  const tool = (name, description, inputSchema, work) =>
    server.registerTool(name, { description, inputSchema }, async args => {
      note(name, args)
      return work(args)
    })
  tool('add', 'Adds two numbers.', { a: z.number(), b: z.number() }, ({ a, b }) => text(String(a + b)))
  tool('look', 'Shows a picture.', {}, () => ({
    content: [
      { type: 'text', text: 'A dot.' },
      { type: 'image', data: png, mimeType: 'image/png' },
    ],
  }))
  tool('fail', 'Fails.', {}, () => ({ ...text('no luck'), isError: true }))
  tool('read.env', 'Tells a variable.', { name: z.string() }, ({ name }) => text(process.env[name] ?? 'none'))
  tool('wait', 'Takes its time.', { ms: z.number() }, async ({ ms }) => {
    await sleep(ms)
    return text('done')
  })
  // With --crash FILE it dies as long as the file is not there, and once more.
  tool('crash', 'Ends the server.', { file: z.string() }, ({ file }) => {
    if (existsSync(file)) return text('alive')
    appendFileSync(values.crash === undefined ? file : '/dev/null', '')
    process.exit(1)
  })
  return server
}

/** By events, as the first version of the protocol has it. */
function answerByEvents(request, response) {
  if (request.method === 'GET') {
    const transport = new SSEServerTransport('/mcp', response)
    streams.set(transport.sessionId, transport)
    return offer().connect(transport)
  }
  const stream = streams.get(new URL(request.url, 'http://h').searchParams.get('sessionId'))
  return stream === undefined ? response.writeHead(405).end() : stream.handlePostMessage(request, response)
}

const streams = new Map()

if (values.http === true) {
  const server = createServer((request, response) => {
    if (values.events === true) return void answerByEvents(request, response)
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    response.on('close', () => void transport.close())
    note('http', { authorization: request.headers.authorization ?? 'none' })
    if (values.closed === true) return void response.writeHead(401).end('who are you?')
    void offer()
      .connect(transport)
      .then(() => transport.handleRequest(request, response))
  })
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/mcp`))
} else await offer().connect(new StdioServerTransport())
