// An engine with the API of chat completions. It counts its requests, and starts again at each count.
import http from 'node:http'
let count = 0
const server = http.createServer((request, response) => {
  if (request.url === '/count') {
    response.end(`${count} requests\n`)
    count = 0
    return
  }
  response.setHeader('content-type', 'application/json')
  if (!request.url.endsWith('/chat/completions')) {
    response.end('{"object":"list","data":[{"id":"m"}]}')
    return
  }
  request.resume().on('end', () => {
    count += 1
    const choices = [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }]
    response.end(JSON.stringify({ id: 'x', object: 'chat.completion', model: 'm', choices, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }))
  })
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
