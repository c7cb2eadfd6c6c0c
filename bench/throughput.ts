import { join } from 'node:path'
import { answerTimes } from './answer-times.js'
import { bareRate, startLoopback } from './loopback.js'
import { note, perSecond, seconds, shareOf, type Measurement } from './measurement.js'
import { runProgram } from './program.js'
import { evalLine, trivialTask } from './trivial-task.js'

const requests = 2_000
const slots = 32
const latencyMs = 200

/** Requests a second to a server of fixed latency and slots, from the first request to the last durable answer. */
export const throughput: Measurement = {
  name: 'throughput',
  async measure(folder) {
    const server = await startLoopback(latencyMs)
    try {
      const body = (index: number): string =>
        JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: `What is ${index}?` }], max_tokens: 16 })
      const bare = await bareRate(server, { requests, slots, body })
      const store = join(folder, 'store')
      const task = await trivialTask(folder, requests)
      const model = `model=bench,base_url=${server.origin}/v1,num_concurrent=${slots}`
      const used = await runProgram([...evalLine(task, store), '--model', 'openai', '--model-args', model])
      const { rate } = answerTimes(store)
      const what = '2,000 requests, 200 ms latency, 32 slots'
      return [
        shareOf(what, { value: rate, reference: bare, share: 0.95 }, perSecond),
        note('  the whole line, with start, judging and sealing', `${seconds(used.wall)}, CPU ${seconds(used.cpu)}`),
      ]
    } finally {
      server.stop()
    }
  },
}
