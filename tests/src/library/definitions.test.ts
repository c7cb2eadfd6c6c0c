import { expect, test } from 'vitest'
import {
  affectsOutput,
  aggregations,
  defineAggregation,
  defineBackend,
  defineFilter,
  defineJudge,
  defineMetric,
  defineTask,
  defineTextFilter,
  evaluate,
  judgeFailed,
  mockModel,
  read,
  rescore,
  rows,
  scored,
  transport,
  unread,
  z,
  type ScoreArgs,
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

test('the define functions return definitions, as a plugin exports them', () => {
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

test('a definition called as a function returns a value with its arguments by declared names', () => {
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

test('a model of a custom backend contains the location of its code', () => {
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

test('a task accepts definitions directly, and scores as if they were registered', async () => {
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

test('a definition within a task keeps its range for bounds and for unparsed answers', async () => {
  const least = defineMetric({
    id: 'least',
    args: z.strictObject({}),
    higherIsBetter: false,
    range: [0, 4],
    judge: ({ text }) => scored(Number(text)),
  })
  const half = defineAggregation({
    id: 'half',
    of: 'numbers',
    summarise: (values, _parity, range) => ({
      value: values.length / 2,
      stderr: null,
      interval: range === undefined ? null : [range[0], range[1]],
      intervalMethod: 'wilson',
    }),
  })
  const digits = defineTextFilter({
    id: 'digits',
    args: z.strictObject({}),
    read: text => (/\d/.test(text) ? read(text) : unread('no digit')),
  })
  const task = defineTask({
    name: 'ranged',
    module: import.meta.url,
    dataset: rows([{ q: 'a' }, { q: 'b' }, { q: 'c' }, { q: 'd' }]),
    prompt: doc => doc.q,
    filters: [digits],
    metrics: { least, called: least(), half: least({ aggregation: half }), value: least({ aggregation: half() }) },
  })
  const model = mockModel({ replies: ['1', '2', 'none', new Error('out of service')] })
  const run = await evaluate({ store: await temporaryFolder(), model, tasks: [task] })
  const { least: plain, called, half: halved, value } = run.of(task).metrics
  // 1 + 2 + the lowest value for the text without a digit; the failed doc counts between 0 and 4.
  expect(plain).toMatchObject({ value: 7 / 3, n: 3, total: 4, unparsed: 1, bounds: [7 / 4, 11 / 4] })
  expect(called).toEqual({ ...plain, metric: 'called' })
  for (const one of [halved, value])
    expect(one).toMatchObject({ value: 1.5, interval: [0, 4], intervalMethod: 'wilson' })
})

test('a metric function can ask the judge, whose replies are stored and reused', async () => {
  const store = await temporaryFolder()
  const task = (metric: string, pass: number) =>
    defineTask({
      name: 'judged',
      module: import.meta.url,
      dataset: rows([{ q: 'sky' }, { q: 'grass' }, { q: 'night' }]),
      prompt: doc => doc.q,
      metrics: {
        [metric]: async ({ text, doc, ask }: ScoreArgs<{ q: string }>) => {
          const reply = await ask({ messages: `Is ${doc.q} ${text}? Answer 0 to 1.`, maxTokens: 4 })
          return reply.type === 'failed' ? judgeFailed(reply.reason) : Number(reply.text) >= pass
        },
      },
    })
  const model = mockModel({ reply: () => 'blue', version: '1' })
  const judge = mockModel({
    model: 'judge',
    version: '1',
    reply: ({ text }) => (text.includes('night') ? new Error('asleep') : text.includes('sky') ? '0.9' : '0.4'),
  })
  const strict = task('strict', 0.5)
  const run = await evaluate({ store, model, tasks: [strict], judge: defineJudge({ model: judge }) })
  expect(run.of(strict).metrics['strict']).toMatchObject({ value: 0.5, n: 2, total: 3 })
  expect(judge.calls.map(({ text }) => text).sort()).toEqual([
    'Is grass blue? Answer 0 to 1.',
    'Is night blue? Answer 0 to 1.',
    'Is sky blue? Answer 0 to 1.',
  ])
  const lenient = task('lenient', 0.1)
  const again = await rescore(run, { tasks: [lenient], judge })
  expect(again.of(lenient).metrics['lenient']).toMatchObject({ value: 1, n: 2, total: 3 })
  expect([model.calls.length, judge.calls.length]).toEqual([3, 3])
})
