import { contains, defineTask, evaluate, exactMatch, mockModel, rescore, rows } from 'pipeline'

const dataset = rows([{ question: 'What colour is the sky?', answer: 'blue' }])
const asked = { name: 'sky', module: import.meta.url, dataset, prompt: (doc: { question: string }) => doc.question }

const strict = defineTask({ ...asked, target: doc => doc.answer, metrics: { exact: exactMatch() } })
const model = mockModel({ reply: () => 'The sky is blue.' })
const first = await evaluate({ model, tasks: [strict] })

const lenient = defineTask({ ...asked, target: doc => doc.answer, metrics: { exact: exactMatch(), found: contains() } })
const again = await rescore(first, { tasks: [lenient] })

console.log(again.of(lenient).metrics.exact.value, again.of(lenient).metrics.found.value)
console.log(model.calls.length, 'call')
