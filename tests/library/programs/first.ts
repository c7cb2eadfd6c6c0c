import { defineTask, evaluate, exactMatch, mockModel, rows } from 'pipeline'

const colours = defineTask({
  name: 'colours',
  module: import.meta.url,
  dataset: rows([
    { id: 'sky', question: 'What colour is the sky?', answer: 'blue' },
    { id: 'grass', question: 'What colour is grass?', answer: 'green' },
  ]),
  prompt: doc => `${doc.question} Answer with one word.`,
  target: doc => doc.answer,
  metrics: { exact: exactMatch({ ignoreCase: true }) },
})

const model = mockModel({ reply: request => (request.text.includes('sky') ? 'Blue' : 'red') })
const run = await evaluate({ model, tasks: [colours] })

console.log(run.of(colours).metrics.exact.value)
for await (const { id, text, target } of run.samples({ only: 'wrong' })) console.log(id, text, target)
