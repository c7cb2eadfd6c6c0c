import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import * as pipeline from '../../../src/index.js'
import {
  aggregations,
  anthropic,
  exactMatch,
  filters,
  metrics,
  openai,
  wups,
  type FilterValue,
  type MetricValue,
} from '../../../src/index.js'
import { declaredName } from '../../../src/library/options/named-arguments.js'
import { listBackends } from '../../../stages/model/registry.js'
import { allBackends } from '../../../stages/model/built-in-backends.js'
import { builtInJudges } from '../../support/scorer.js'

const camelCase = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
const exported = new Map<string, unknown>(Object.entries(pipeline))

/** Calls a function without options, which some types would reject. */
const made = (make: unknown): unknown => (typeof make === 'function' ? (make as () => unknown)() : undefined)

test('every built-in backend has a function that loads nothing', () => {
  const ids = listBackends([]).map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(20)
  expect(ids.map(id => made(exported.get(camelCase(id))))).toEqual(
    ids.map(id => expect.objectContaining({ kind: 'model', backend: id, args: {} }) as unknown),
  )
})

test('every built-in metric has a function, as an export and in `metrics`', () => {
  const ids = [...builtInJudges.metrics.keys()]
  expect(ids.length).toBeGreaterThan(60)
  const values = ids.map(id => expect.objectContaining({ kind: 'metric', metric: id, args: {} }) as unknown)
  expect(ids.map(id => made(exported.get(camelCase(id))))).toEqual(values)
  expect(ids.map(id => made(Reflect.get(metrics, camelCase(id))))).toEqual(values)
  expect(Object.keys(metrics)).toHaveLength(ids.length)
})

test('every built-in filter and aggregation has a function', () => {
  const filterIds = [...builtInJudges.filters.keys()]
  expect(filterIds.map(id => made(Reflect.get(filters, camelCase(id))))).toEqual(
    filterIds.map(id => expect.objectContaining({ kind: 'filter', filter: id, args: {} }) as unknown),
  )
  const ids = [...builtInJudges.aggregations.keys()]
  expect(ids.map(id => made(Reflect.get(aggregations, camelCase(id))))).toEqual(
    ids.map(id => expect.objectContaining({ kind: 'aggregation', aggregation: id, args: {} }) as unknown),
  )
  expect([filterIds.length > 10, ids.length > 40]).toEqual([true, true])
})

test('every declared argument can be found by its camel case', async () => {
  const backends = (await allBackends()).flatMap(({ args }) => Object.keys(args))
  const judged = [...builtInJudges.metrics.values(), ...builtInJudges.filters.values()].flatMap(({ args }) =>
    args instanceof z.ZodObject ? Object.keys(args.shape) : [],
  )
  const names = [...new Set([...backends, ...judged])]
  expect(names.length).toBeGreaterThan(100)
  expect(names.map(name => declaredName(camelCase(name)))).toEqual(names)
})

test('accepts arguments in camel case, with URL in capitals, or as declared', () => {
  const args = { model: 'm-1', base_url: 'http://127.0.0.1:1/v1', max_retries: 2 }
  expect(openai({ model: 'm-1', baseURL: 'http://127.0.0.1:1/v1', maxRetries: 2 }).args).toEqual(args)
  expect(openai({ model: 'm-1', baseUrl: 'http://127.0.0.1:1/v1', max_retries: 2 }).args).toEqual(args)
  expect(openai({ ...args, apiKey: undefined }).args).toEqual(args)
  expect(() => openai({ model: 'm-1', baseURL: 'a', base_url: 'b' })).toThrow(
    'model openai: "base_url" is given twice, as base_url too',
  )
})

test("a metric accepts the keys of a task's entry, and an aggregation with its arguments", () => {
  expect(exactMatch({ ignoreCase: true, regexesToIgnore: [','], higherIsBetter: false, after: 'digits' }).args).toEqual(
    {
      ignore_case: true,
      regexes_to_ignore: [','],
      higher_is_better: false,
      after: 'digits',
    },
  )
  expect(exactMatch({ aggregation: 'median', samples: { pass_at: 2 } }).args).toEqual({
    aggregation: 'median',
    samples: { pass_at: 2 },
  })
  const weighted = aggregations.fbeta({ beta: 2, average: 'macro' })
  expect(metrics.fbeta({ aggregation: weighted }).args).toEqual({ aggregation: 'fbeta', beta: 2, average: 'macro' })
})

test('wrong arguments do not compile', () => {
  // @ts-expect-error the model is missing
  const unnamed = openai({ apiKey: 'k' })
  // @ts-expect-error there is no such argument
  const unknown = openai({ model: 'm', temprature: 1 })
  // @ts-expect-error a number is wanted
  const mistyped = anthropic({ model: 'm', maxRetries: 'two' })
  // @ts-expect-error a switch is wanted
  const text = exactMatch({ ignoreCase: 'yes' })
  // @ts-expect-error the pattern is a text
  const pattern = filters.regex({ regexPattern: 5 })
  // @ts-expect-error data are needed
  const lacking = wups()
  expect([unnamed, unknown, mistyped, text, pattern, lacking]).toHaveLength(6)
  expectTypeOf(metrics.mme({ higherIsBetter: true })).toEqualTypeOf<MetricValue<unknown, unknown>>()
  expectTypeOf(filters.lowercase()).toEqualTypeOf<FilterValue<unknown>>()
  expectTypeOf(wups({ nltkData: '/data' })).toEqualTypeOf<MetricValue<unknown, unknown>>()
  expectTypeOf(wups({ nltk_data: '/data' })).toEqualTypeOf<MetricValue<unknown, unknown>>()
})
