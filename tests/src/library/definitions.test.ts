import { expect, test } from 'vitest'
import {
  affectsOutput,
  aggregations,
  defineAggregation,
  defineBackend,
  defineFilter,
  defineMetric,
  defineTask,
  defineTextFilter,
  evaluate,
  mockModel,
  read,
  rows,
  scored,
  transport,
  unread,
  z,
} from '../../../src/index.js'
import { isAggregation, isFilter, isMetric } from '../../../stages/judge/compile/registry.js'
import { isBackend } from '../../../stages/model/registry.js'
import { temporaryFolder } from '../../support/store.js'

const near = defineMetric({
  id: 'near',
  args: z.strictObject({ max_distance: z.number().default(0) }),
  higherIsBetter: true,
  judge: ({ text, references }, { max_distance: most }) =>
    scored(references.some(reference => Math.abs(Number(text) - Number(reference)) <= most) ? 1 : 0),
})

const last = defineAggregation({
  id: 'last',
  of: 'numbers',
  summarise: values => ({ value: values.at(-1) ?? null, stderr: null, interval: null, intervalMethod: 'none' }),
})

const echo = defineBackend({
  id: 'echo',
  module: import.meta.url,
  args: { suffix: affectsOutput(z.string().default('')), apiKey: transport(z.string().optional()) },
  accepts: ['text'],
  open: ({ suffix }) => ({ generate: () => Promise.resolve({ text: suffix }) }),
})

test('what the define functions make are definitions, as a plugin exports them', () => {
  const upper = defineTextFilter({ id: 'upper', args: z.strictObject({}), read: text => read(text.toUpperCase()) })
  const first = defineFilter({
    id: 'first',
    args: z.strictObject({}),
    apply: ([reading]) => (reading ? [reading] : []),
  })
  expect([isMetric(near), isFilter(upper), isFilter(first), isAggregation(last), isBackend(echo)]).toEqual(
    Array.from({ length: 5 }, () => true),
  )
  expect(Object.assign({}, near)).toMatchObject({ id: 'near', higherIsBetter: true })
  expect(isMetric(() => 1)).toBe(false)
})

test('called, they make values that hold the definition and its arguments by declared names', () => {
  expect(near({ maxDistance: 2, higherIsBetter: false })).toMatchObject({
    kind: 'metric',
    metric: near,
    args: { max_distance: 2, higher_is_better: false },
  })
  for (const aggregation of [last, last()])
    expect(near({ aggregation })).toMatchObject({ args: { aggregation: 'last' }, aggregation: last })
  expect(near({ aggregation: aggregations.median() }).aggregation).toBeUndefined()
  const upper = defineTextFilter({
    id: 'upper',
    args: z.strictObject({ mostLetters: z.number() }),
    read: text => read(text),
  })
  expect(upper({ mostLetters: 3 })).toMatchObject({ kind: 'filter', filter: upper, args: { mostLetters: 3 } })
})

test('a model of an own backend says where its code is', () => {
  expect(echo({ suffix: '!', apiKey: 's3cret' })).toMatchObject({
    kind: 'model',
    backend: { id: 'echo' },
    args: { suffix: '!', apiKey: 's3cret' },
    code: { module: import.meta.url },
  })
  // @ts-expect-error there is no such argument
  const unknown = echo({ sufix: '!' })
  expect(unknown.args).toEqual({ sufix: '!' })
})

test('a task takes definitions as they are, and scores as if they were registered', async () => {
  const number = defineTextFilter({
    id: 'number',
    args: z.strictObject({}),
    read: text => (/\d+/.test(text) ? read(/\d+/.exec(text)?.[0] ?? '') : unread('no number')),
  })
  const ranged = defineAggregation({
    id: 'ranged',
    of: 'numbers',
    summarise: values => ({ value: values.length, stderr: 0.25, interval: [1, 3], intervalMethod: 'wilson' }),
  })
  const sums = defineTask({
    name: 'sums',
    module: import.meta.url,
    dataset: rows([{ sum: 5 }, { sum: 9 }, { sum: 12 }]),
    prompt: doc => `Which sum is ${doc.sum}?`,
    target: doc => String(doc.sum),
    filters: [number],
    metrics: { near, loose: near({ maxDistance: 2 }), counted: near({ aggregation: ranged }) },
  })
  const model = mockModel({ replies: ['It is 5.', 'It is 8.', 'None.'] })
  const run = await evaluate({ store: await temporaryFolder(), model, tasks: [sums] })
  const { near: strict, loose, counted } = run.of(sums).metrics
  expect(strict).toMatchObject({ value: 1 / 3, n: 3, unparsed: 1 })
  expect(loose).toMatchObject({ value: 2 / 3, intervalMethod: 'wilson' })
  expect(counted).toMatchObject({ value: 3, stderr: 0.25, interval: [1, 3] })
})
