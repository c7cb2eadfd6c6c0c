// A judge that calls every answer right. It writes its port into the file that it is given.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
const message = { role: 'assistant', content: 'VERDICT: CORRECT' }
const reply = { choices: [{ index: 0, finish_reason: 'stop', message }], usage: { prompt_tokens: 9, completion_tokens: 4 } }
const server = createServer((request, response) => {
  request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(reply)))
})
server.listen(0, '127.0.0.1', () => writeFileSync(process.argv[2], String(server.address().port)))
