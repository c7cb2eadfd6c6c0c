import { evaluate, mockModel, PipelineError } from 'pipeline'
import { colours } from './colours.task.ts'

// Mistakes of the user throw an error, before the first request if possible.
try {
  await evaluate({ model: 'opnai', tasks: [colours] })
} catch (error) {
  if (!(error instanceof PipelineError)) throw error
  console.log(error.code, error.problems)
}

// A request that fails throws nothing. Its doc has no score, and lowers the coverage.
const run = await evaluate({ model: mockModel({ replies: [new Error('out of service'), 'green'] }), tasks: [colours] })
for (const { doc, failure } of run.failures) console.log(doc, failure.class, failure.message)
const { value, n, total } = run.of(colours).metrics.exact
console.log(value, `${n} of ${total}`)
