import { defineJudge, defineTask, evaluate, mockModel, modelGraded, rows } from 'pipeline'

const colours = defineTask({
  name: 'graded-colours',
  module: import.meta.url,
  dataset: rows([{ question: 'Which colour has the sky?', answer: 'blue' }]),
  prompt: doc => doc.question,
  target: doc => doc.answer,
  metrics: { right: modelGraded({ kind: 'binary', canaries: 0 }) },
})

const model = mockModel({ reply: () => 'The sky is blue.' })
const judge = mockModel({ reply: () => 'It names the same colour.\nVERDICT: CORRECT' })
const run = await evaluate({ model, tasks: [colours], judge: defineJudge({ model: judge }) })
console.log(run.of(colours).metrics.right.value, judge.calls.length, 'call')
