import http from 'node:http'
import fs from 'node:fs'
const body = o => JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, finish_reason: 'content_filter', ...o }], usage: { prompt_tokens: 5, completion_tokens: 0 } })
const S = {
  null: () => body({ message: null }),
  empty: () => body({ message: { role: 'assistant' } }),
  none: () => body({ content_filter_results: { hate: { filtered: true, severity: 'high' } } }),
  stream: () => 'data: ' + JSON.stringify({ choices: [{ index: 0, finish_reason: 'content_filter', content_filter_results: {} }] }) + '\n\ndata: [DONE]\n\n',
}
http.createServer((q, r) => { let d = ''; q.on('data', x => (d += x)); q.on('end', () => { const b = JSON.parse(d), s = b.messages.at(-1).content; fs.appendFileSync(process.argv[3], s + '\n'); r.writeHead(200, { 'content-type': b.stream ? 'text/event-stream' : 'application/json' }); r.end(S[s]()) }) }).listen(0, '127.0.0.1', function () {
  fs.writeFileSync(process.argv[2], String(this.address().port))
})
