import { expect, test } from 'vitest'
import { commandLine } from '../../../src/cli/command-line-words.js'
import type { Preview, TaskPreview } from '../../../src/preview/preview.js'
import { plain } from '../../../src/present/text/layout/paint.js'
import type { LimitSettings } from '../../../src/config/limits.js'
import { previewJson } from '../../../src/preview/preview-json.js'
import { previewLines, previewSumLines } from '../../../src/preview/preview-table.js'

const range = (low: number, high: number) => ({ low, likely: (low + high) / 2, high })

const task = (name: string, more: Partial<TaskPreview> = {}): TaskPreview => ({
  task: name,
  docs: 100,
  requests: 100,
  inStore: 0,
  shared: 0,
  failed: 0,
  broken: 0,
  toAsk: 100,
  input: range(1_000, 2_000),
  output: range(0, 6_400),
  isInputMeasured: false,
  media: {},
  sizedImages: 0,
  mayAskJudge: false,
  hasRounds: false,
  ...more,
})

const preview = (tasks: readonly TaskPreview[], more: Partial<Preview> = {}): Preview => ({
  run: { id: 'sha256:0', name: 'calm-heron-19c2', isNew: true },
  model: { backend: 'openai', model: 'm' },
  tasks,
  ...more,
})

const lines = (given: Preview, isJudged = true) => previewLines(given, { isJudged, spelling: commandLine }, plain)

test('plans of several runs have a line for each run, and their sum', () => {
  const plans = [
    { name: 'small/plain', tasks: [task('mmmu'), task('mme', { cost: range(1, 2) })] },
    { name: 'large/plain', tasks: [task('mmmu', { inStore: 40, toAsk: 60 })] },
  ]
  expect(previewSumLines(plans, plain).slice(2)).toEqual([
    '  run           docs   requests   in store   to ask    input tokens    output tokens   cost',
    '  small/plain    200        200          0      200   2,000 – 4,000   at most 12,800      –',
    '  large/plain    100        100         40       60   1,000 – 2,000    at most 6,400      –',
    '  all            300        300         40      260   3,000 – 6,000   at most 19,200      –',
  ])
})

test('a plan shows per task what would be sent, and what is unknown', () => {
  expect(lines(preview([task('mmmu', { media: { image: 130 } })]))).toEqual([
    'plan of run calm-heron-19c2 (new): nothing was sent, and the store is as it was',
    '  model   openai m',
    '',
    '  task   docs   requests   in store   to ask    input tokens   output tokens   cost',
    '  mmmu    100        100          0      100   1,000 – 2,000   at most 6,400      –',
    '',
    '  input    guessed from the text (3 to 5 bytes a token) and 130 images of unknown size; what the provider has cached is not taken off',
    '  output   at most what max_new_tokens allows: no answer is stored to tell',
    '  cost     unknown: nobody has said what m of openai costs (--prices FILE.yaml)',
    '  time     unknown: no stored answer tells how long one takes',
  ])
})

test('separates pictures whose tokens follow from their size from estimated ones', () => {
  const noted = (sizedImages: number) =>
    lines(preview([task('a', { media: { image: 130, video: 2 }, sizedImages })])).join('\n')
  const how = 'by size, as the provider says it counts them'
  expect(noted(130)).toContain(`a token) and 130 images ${how}, 2 video of unknown length; what`)
  expect(noted(100)).toContain(`and 130 images (100 ${how}), 2 video`)
})

test('shows facts of stored answers, with totals and the price', () => {
  const measured = {
    inStore: 20,
    shared: 5,
    toAsk: 75,
    output: range(700, 800),
    medianOutput: 10,
    isInputMeasured: true,
    cost: range(0.5, 1.25),
  }
  const text = lines(
    preview([task('a', measured), task('b', { ...measured, shared: 0, toAsk: 80 })], {
      run: { id: 'sha256:0', name: 'calm-heron-19c2', isNew: false },
      price: { input: 0.4, output: 1.6, date: '2026-01-01', source: 'https://prices.example' },
      expectedMs: 90_000,
    }),
  ).join('\n')
  expect(text).toContain('calm-heron-19c2 (in the store)')
  expect(text).toMatch(/ all +200 +200 +40 +5 +155 +2,000 – 4,000 +1,400 – 1,600 +\$1.00 – \$2.50/)
  expect(text).toContain('from the text, corrected by stored answers to the same tasks')
  expect(text).toContain('as in stored answers (median: a 10, b 10)')
  expect(text).toContain('$0.4 a million input tokens, $1.6 output (https://prices.example, 2026-01-01)')
  expect(text).toContain('about 1 min 30 s, as fast as stored answers came')
})

test('prints only that all answers are in the store', () => {
  const done = task('a', { inStore: 100, toAsk: 0, input: range(0, 0), output: range(0, 0) })
  expect(lines(preview([done])).at(-1)).toBe('  time   nothing is left to ask')
})

test('names the judge where a task may call one, unless nothing is judged', () => {
  const asking = preview([task('a', { mayAskJudge: true }), task('b')])
  const unnamed = 'may ask a judge model, and none is named (--judge-model), beside the requests above: a (100 docs)'
  expect(lines(asking).at(-1)).toBe(`  judge    ${unnamed}`)
  const named = { ...asking, judge: 'openai' }
  expect(lines(named).at(-1)).toBe(
    '  judge    about one call a doc of the judge model openai, up to 100 calls beside the requests above: a (100 docs)',
  )
  expect(previewJson(named)).toMatchObject({
    tasks: { a: { judge_calls: 100 }, b: { judge_calls: 0 } },
    total: { judge_calls: 100 },
  })
  const limited = previewLines(named, { isJudged: true, spelling: commandLine, limits: { maxRequests: 250 } }, plain)
  expect(limited.at(-1)).toBe('  limit    --max-requests 250 may be too little for that')
  expect(lines(asking, false).join('\n')).not.toContain('judge')
})

test('JSON contains the same facts', () => {
  expect(previewJson(preview([task('a', { broken: 1, failed: 2 })], { expectedMs: 1_500 }))).toMatchObject({
    format: 1,
    run: { name: 'calm-heron-19c2', is_new: true },
    tasks: { a: { docs: 100, to_ask: 100, broken: 1, failed_for_good: 2, output_tokens: { low: 0, high: 6_400 } } },
    total: { to_ask: 100, seconds: 1.5 },
  })
})

test('shows price and time of batches, and adds further rounds', () => {
  const text = lines(preview([task('a', { hasRounds: true })], { isBatch: true, price: { input: 1, output: 2 } })).join(
    '\n',
  )
  expect(text).toContain('$1 a million input tokens, $2 output, in batches')
  expect(text).toContain('within a day, as the provider says of its batches')
  expect(text).toContain('only first rounds are counted, further ones come on top: a')
})

test('reports a limit that is too low before anything is spent', () => {
  const plan = preview([task('a', { cost: range(1, 3), output: range(100, 300) })], { expectedMs: 60_000 })
  const told = (limits: LimitSettings) =>
    previewLines(plan, { isJudged: true, spelling: commandLine, limits }, plain).filter(line => line.includes('limit'))
  expect(told({ maxRequests: 100, maxCost: 3, maxTokensTotal: 2_300, maxTime: 60_000 })).toEqual([])
  expect(told({ maxRequests: 99, maxCost: 2, maxTokensTotal: 1_000, maxTime: 59_000 })).toEqual([
    '  limit    --max-requests 99 is too little for that',
    '  limit    --max-tokens-total 1,000 is too little for that',
    '  limit    --max-cost $2.00 may be too little for that',
    '  limit    --max-time 59 s is too little for that',
  ])
})
