import {
  aggregations,
  defineMetric,
  defineTask,
  evaluate,
  filters,
  mockModel,
  rows,
  scored,
  unparsed,
  z,
} from 'pipeline'

/** 1 where the answer is a number near the target, else 0. */
const near = defineMetric({
  id: 'near',
  args: z.strictObject({ tolerance: z.number().default(0) }),
  higherIsBetter: true,
  range: [0, 1],
  judge({ text, references }, { tolerance }) {
    const value = Number.parseFloat(text)
    if (Number.isNaN(value)) return unparsed('no number')
    return scored(references.some(target => Math.abs(value - Number(target)) <= tolerance) ? 1 : 0)
  },
})

const sums = defineTask({
  name: 'sums',
  module: import.meta.url,
  dataset: rows([
    { a: 2, b: 3 },
    { a: 4, b: 5 },
  ]),
  prompt: doc => `What is ${doc.a} + ${doc.b}?`,
  target: doc => String(doc.a + doc.b),
  filters: [filters.regex({ regexPattern: '(\\d+)' })],
  metrics: {
    near,
    within2: near({ tolerance: 2 }),
    worst: near({ tolerance: 2, aggregation: aggregations.median() }),
    error: ({ text, target }) => Math.abs(Number(text) - Number(target)),
  },
})

const run = await evaluate({ model: mockModel({ replies: ['It is 5.', 'It is 8.'] }), tasks: [sums] })
const { near: strict, within2, worst, error } = run.of(sums).metrics
console.log(strict.value, within2.value, worst.value, error.value)
