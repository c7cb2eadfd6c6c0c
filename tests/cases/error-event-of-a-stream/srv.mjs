import http from 'node:http'
import fs from 'node:fs'
const S = {
  vllm: 'data: ' + JSON.stringify({ object: 'error', message: 'maximum context length is 10 tokens', type: 'BadRequestError', param: null, code: 400 }) + '\n\ndata: [DONE]\n\n',
  fastchat: 'data: ' + JSON.stringify({ text: 'maximum context length is 10 tokens', error_code: 40303 }) + '\n\ndata: [DONE]\n\n',
  detail: 'data: ' + JSON.stringify({ detail: 'maximum context length is 10 tokens' }) + '\n\ndata: [DONE]\n\n',
}
http.createServer((q, r) => { let d = ''; q.on('data', x => (d += x)); q.on('end', () => { const s = JSON.parse(d).messages.at(-1).content; fs.appendFileSync(process.argv[3], s + '\n'); r.writeHead(200, { 'content-type': 'text/event-stream' }); r.end(S[s]) }) }).listen(0, '127.0.0.1', function () {
  fs.writeFileSync(process.argv[2], String(this.address().port))
})
