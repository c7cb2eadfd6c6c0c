#!/usr/bin/env node
// A stand-in for vllm, sglang, llama-server, ollama and lmdeploy: takes their command lines, is slow to become healthy, and
// fails as $FAKE_ENGINE (JSON) says. What it is started with and asked goes as lines of JSON into the file `journal`.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'

const {
  journal,
  loadMs = 150,
  dieAtStart,
  dieAfter = Infinity,
  ignoreTerm = false,
  grandchild,
  say = [],
  answerMs = 0,
} = JSON.parse(process.env.FAKE_ENGINE ?? '{}')
const args = process.argv.slice(2)
const note = entry =>
  journal !== undefined && appendFileSync(journal, `${JSON.stringify({ pid: process.pid, ...entry })}\n`)

note({ type: 'started', args, variables: Object.keys(process.env) })
for (const line of say) console.log(line.replace(/\$(\w+)/g, (_, name) => process.env[name] ?? ''))
if (dieAtStart !== undefined) {
  console.error(dieAtStart)
  process.exit(3)
}
if (ignoreTerm) process.on('SIGTERM', () => console.log('not now'))
if (grandchild !== undefined) {
  // A worker that survives its parent's end, and if it is `apart`, also the end of the process group.
  const worker = spawn(process.execPath, ['-e', 'process.on("SIGTERM",()=>{});setInterval(()=>{},1000)'], {
    detached: grandchild === 'apart',
    stdio: 'ignore',
  })
  note({ type: 'grandchild', grandchild: worker.pid })
}

const port = Number(valueOf('--port') ?? valueOf('--server-port') ?? process.env.OLLAMA_HOST?.split(':').at(-1))
const readyAt = Date.now() + loadMs
let answered = 0
createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => setTimeout(answer, answerMs, request, response, Buffer.concat(chunks).toString()))
}).listen(port, '127.0.0.1', () => console.log(`listening on ${port}`))

function answer({ url, method }, response, body) {
  if (Date.now() < readyAt) return reply(response, 503, { error: { message: 'Loading model', code: 503 } })
  if (method === 'GET') return reply(response, 200, { status: 'ok' })
  note({ type: 'asked', url, body: JSON.parse(body) })
  if (answered >= dieAfter) {
    console.error('CUDA error: out of memory')
    process.exit(9)
  }
  answered += 1
  const text = createHash('sha256').update(body).digest('hex').slice(0, 16)
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  if (url === '/api/chat') return reply(response, 200, ollamaAnswer(text))
  const message = { role: 'assistant', content: text }
  reply(response, 200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage })
}

function ollamaAnswer(content) {
  const message = { role: 'assistant', content }
  return { model: 'm', message, done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 2 }
}

function reply(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function valueOf(flag) {
  const index = args.indexOf(flag)
  return index < 0 ? undefined : args[index + 1]
}
