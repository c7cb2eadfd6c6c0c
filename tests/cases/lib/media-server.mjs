// A server in the forms of OpenAI and Anthropic that answers "yes" to each request.
// Usage: media-server.mjs FOLDER. It writes its address to FOLDER/address, and for each request one line to FOLDER/requests.jsonl: the texts, and
// for each medium its type and the file in FOLDER that holds its bytes.
import { createHash } from 'node:crypto'
import { appendFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'

const folder = process.argv[2]

function keep(type, data) {
  const bytes = Buffer.from(data.slice(data.indexOf(',') + 1), 'base64')
  const file = `${folder}/${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}`
  writeFileSync(file, bytes)
  return { type, bytes: bytes.length, file }
}

function readPart(part) {
  const address = part.image_url?.url ?? part.video_url?.url ?? part.file?.file_data
  if (address !== undefined) return keep(part.type, address)
  if (part.input_audio !== undefined) return keep('audio', part.input_audio.data)
  if (part.source?.data !== undefined) return keep(part.type, part.source.data)
  return { text: part.text }
}

const server = createServer((request, response) => {
  const chunks = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    response.setHeader('content-type', 'application/json')
    if (request.method !== 'POST') return response.end('{"object":"list","data":[{"id":"m","object":"model"}]}')
    const { messages } = JSON.parse(Buffer.concat(chunks).toString())
    const parts = messages.flatMap(({ content }) => (typeof content === 'string' ? [{ text: content }] : content))
    appendFileSync(`${folder}/requests.jsonl`, `${JSON.stringify(parts.map(readPart))}\n`)
    const text = 'yes'
    const answer = request.url.endsWith('/messages')
      ? { content: [{ type: 'text', text }], stop_reason: 'end_turn', usage: { input_tokens: 5, output_tokens: 1 } }
      : {
          choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 },
        }
    response.end(JSON.stringify({ id: 'x', model: 'm', role: 'assistant', ...answer }))
  })
})
server.listen(0, '127.0.0.1', () => {
  writeFileSync(`${folder}/address.part`, `http://127.0.0.1:${server.address().port}`)
  renameSync(`${folder}/address.part`, `${folder}/address`)
})
