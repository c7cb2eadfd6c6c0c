import { affectsOutput, defineBackend, evaluate, transport, z } from 'pipeline'
import { colours } from './colours.task.ts'

const mine = defineBackend({
  id: 'mine',
  module: import.meta.url,
  args: {
    model: affectsOutput(z.string()),
    url: transport(z.string().default('http://127.0.0.1:8000')),
  },
  accepts: ['text'],
  open: ({ model }) => ({
    // Send a request to your server here, and pass it `signal`, which aborts it.
    generate: ({ input }) => Promise.resolve({ text: `${model} was shown ${input.messages.length} message` }),
  }),
})

const run = await evaluate({ model: mine({ model: 'm-1' }), tasks: [colours] })
for await (const { id, text } of run.samples()) console.log(id, text)
