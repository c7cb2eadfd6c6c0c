/**
 * A server of the Model Context Protocol: `node tests/support/mcp-server.mjs [--log FILE] [--pids FILE] [--http [--events]]`. Speaks through its
 * standard input and output, or by HTTP at an address that it prints. Each call is a line of the log. With `--odd` it also offers tools that answer in
 * ways that the SDK's server does not have by itself.
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
    odd: { type: 'boolean' },
    quick: { type: 'boolean' },
    sessions: { type: 'boolean' },
    port: { type: 'string' },
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
    await sleep(values.quick === true ? 0 : ms)
    return text('done')
  })
  // With --crash FILE it dies as long as the file is not there, and once more.
  tool('crash', 'Ends the server.', { file: z.string() }, ({ file }) => {
    if (existsSync(file)) return text('alive')
    appendFileSync(values.crash === undefined ? file : '/dev/null', '')
    process.exit(1)
  })
  if (values.odd === true) offerOdd(server, tool)
  return server
}

/** Offers tools that answer unusually. They throw before the SDK's server can turn a failure into a result. */
function offerOdd(server, tool) {
  const never = () => text('never')
  const throwing = (code, message) => () => {
    throw Object.assign(new Error(message), { code })
  }
  const odd = {
    busy: throwing(-32000, 'database is locked'),
    expired: throwing(-32001, 'session of the database expired'),
    closed: throwing(-32000, 'Connection closed'),
    newer: () => ({
      content: [
        { type: 'text', text: 'A map.' },
        { type: 'map', tiles: [1] },
      ],
    }),
    older: () => ({ toolResult: { sum: 3 } }),
    shaped: () => ({ content: [{ type: 'text', text: 'three' }], structuredContent: { sum: 'three' } }),
    large: ({ bytes }) => text('x'.repeat(bytes)),
  }
  for (const name of Object.keys(odd)) tool(name, `Is ${name}.`, name === 'large' ? { bytes: z.number() } : {}, never)
  tool('later', 'Is a task.', {}, never)
  // Side by side only where both are in flight at once.
  const meeting = async () => {
    here += 1
    while (here < 2) await sleep(5)
    return text('met')
  }
  let here = 0
  server.registerTool(
    'meet',
    { description: 'Waits for another.', inputSchema: {}, annotations: { readOnlyHint: true } },
    meeting,
  )
  const handlers = server.server._requestHandlers
  const [call, list] = [handlers.get('tools/call'), handlers.get('tools/list')]
  handlers.set('tools/call', async (request, extra) => {
    const { name, arguments: args = {} } = request.params
    if (odd[name] === undefined) return call(request, extra)
    note(name, args)
    return odd[name](args)
  })
  handlers.set('tools/list', async (request, extra) => {
    const { tools } = await list(request, extra)
    const more = {
      later: { execution: { taskSupport: 'required' } },
      shaped: { outputSchema: { type: 'object', properties: { sum: { type: 'number' } } } },
    }
    return { tools: tools.map(one => ({ ...one, ...more[one.name] })) }
  })
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
const sessions = new Map()

/** With sessions, which a server that was started again does not know. */
async function answerInSession(request, response) {
  const id = request.headers['mcp-session-id']
  const known = sessions.get(id)
  if (known !== undefined) return known.handleRequest(request, response)
  if (id !== undefined) return response.writeHead(404).end('no such session')
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => `${process.pid}-${sessions.size}`,
    onsessioninitialized: made => void sessions.set(made, transport),
  })
  await offer().connect(transport)
  return transport.handleRequest(request, response)
}

if (values.http === true) {
  const server = createServer((request, response) => {
    if (values.events === true) return void answerByEvents(request, response)
    if (values.sessions === true) return void answerInSession(request, response)
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
    response.on('close', () => void transport.close())
    note('http', { authorization: request.headers.authorization ?? 'none' })
    if (values.closed === true) return void response.writeHead(401).end('who are you?')
    void offer()
      .connect(transport)
      .then(() => transport.handleRequest(request, response))
  })
  server.listen(Number(values.port ?? 0), '127.0.0.1', () =>
    console.log(`http://127.0.0.1:${server.address().port}/mcp`),
  )
} else await offer().connect(new StdioServerTransport())
