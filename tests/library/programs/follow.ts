import { evaluate, mockModel } from 'pipeline'
import { colours } from './colours.task.ts'

const ending = new AbortController()
const model = mockModel({
  reply({ call }) {
    if (call === 1) return 'blue'
    ending.abort()
    return new Promise<string>(() => undefined)
  },
})
const run = await evaluate({
  model,
  tasks: [colours],
  concurrency: 1,
  signal: ending.signal,
  onEvent(event) {
    if (event.type === 'answered') console.log('answered')
  },
})
console.log(run.counts.answered, 'answered,', run.counts.pending, 'pending')
