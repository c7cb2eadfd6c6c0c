import fs from 'node:fs'
import http from 'node:http'
const chunk = (delta, finish = null) => 'data: ' + JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] }) + '\n\n'
const call = o => chunk({ tool_calls: [o] })
const done = 'data: [DONE]\n\n'
const S = {
  two: [call({ index: 0, id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '{"path":"a"}' } }), call({ index: 0, id: 'call_b', type: 'function', function: { name: 'read_file', arguments: '{"path":"b"}' } }), chunk({}, 'tool_calls'), done],
  sameid: [call({ id: '0', index: null, type: 'function', function: { name: 'read_file', arguments: '' } }), call({ id: '0', index: null, type: 'function', function: { name: '', arguments: '{"path":' } }), call({ id: '0', index: null, type: 'function', function: { name: '', arguments: '"a"}' } }), chunk({}, 'tool_calls'), done],
  name: [call({ index: 0, id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '{"path":' } }), call({ index: 0, id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '"a"}' } }), chunk({}, 'tool_calls'), done],
  other: [call({ index: 0, id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '' } }), call({ index: 1, function: { arguments: '{"path":"a"}' } }), chunk({}, 'tool_calls'), done],
}
http.createServer((q, r) => {
  let d = ''
  q.on('data', x => (d += x))
  q.on('end', () => {
    const b = JSON.parse(d), results = b.messages.filter(m => m.role === 'tool')
    r.writeHead(200, { 'content-type': 'text/event-stream' })
    r.end(results.length ? chunk({ content: results.map(m => m.content).join('|') }) + chunk({}, 'stop') + done : S[b.messages.find(m => m.role === 'user').content].join(''))
  })
}).listen(0, '127.0.0.1', function () {
  fs.writeFileSync(process.argv[2], String(this.address().port))
})
