/**
 * A chat server on this machine, in a process of its own: answers everything after as many milliseconds as its first
 * argument says. Prints its port; `GET /stats` tells requests and bytes received since it was asked before.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const latencyMs = Number(process.argv[2] ?? 0)
const answer = JSON.stringify({
  id: 'bench',
  object: 'chat.completion',
  created: 0,
  model: 'bench',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'yes' } }],
  usage: { prompt_tokens: 7, completion_tokens: 1, total_tokens: 8 },
})
let requests = 0
let bytes = 0

const server = createServer((request, response) => {
  if (request.url === '/stats') {
    response.end(JSON.stringify({ requests, bytes }))
    requests = bytes = 0
    return
  }
  request.on('data', (chunk: Buffer) => (bytes += chunk.length))
  request.on('end', () => {
    requests += 1
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
      response.end(answer)
    }, latencyMs)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
