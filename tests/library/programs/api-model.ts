import { evaluate, openai } from 'pipeline'
import { colours } from './colours.task.ts'

const run = await evaluate({
  model: openai({ model: 'gpt-4o-mini', maxRetries: 2 }),
  tasks: [colours],
  limit: 100,
  concurrency: 8,
})

const { exact, short } = run.of(colours).metrics
console.log(exact.value, exact.n, short.value)
console.log(run.asked, 'requests,', run.fromStore, 'answers from the store')
