import { expect, test } from 'vitest'
import {
  affectsOutput,
  aggregations,
  defineAggregation,
  defineBackend,
  defineFilter,
  defineMetric,
  defineTextFilter,
  read,
  scored,
  transport,
  z,
} from '../../../src/index.js'
import { isAggregation, isFilter, isMetric } from '../../../stages/judge/registry.js'
import { isBackend } from '../../../stages/model/registry.js'

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
    metric: { id: 'near' },
    args: { max_distance: 2, higher_is_better: false },
  })
  expect(near({ aggregation: last() })).toMatchObject({ args: { aggregation: 'last' }, aggregation: { id: 'last' } })
  expect(near({ aggregation: aggregations.median() }).aggregation).toBeUndefined()
  const upper = defineTextFilter({
    id: 'upper',
    args: z.strictObject({ mostLetters: z.number() }),
    read: text => read(text),
  })
  expect(upper({ mostLetters: 3 })).toMatchObject({ kind: 'filter', filter: { id: 'upper' }, args: { mostLetters: 3 } })
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
