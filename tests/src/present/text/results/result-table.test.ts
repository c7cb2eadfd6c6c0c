import { expect, test } from 'vitest'
import { plain } from '../../../../../src/present/text/layout/paint.js'
import { resultTable, shownNames } from '../../../../../src/present/text/results/result-table.js'
import { aggregate, someRun } from '../../../../support/report-data.js'

const show = (...[aggregates, failed = new Map()]: [Parameters<typeof resultTable>[0], Map<string, number>?]) =>
  `\n${resultTable(aggregates, failed, plain).join('\n')}\n`

const group = (label: string, value: number, interval: [number, number], n: number) =>
  aggregate({ group: { field: 'type', label }, value, interval, n, total: n })

test('shows a task, its breakdown, and that no answer has a problem', () => {
  const groups = [group('color', 1, [0.966, 1], 110), group('count', 0.9, [0.833, 0.942], 120)]
  expect(show([aggregate(), ...groups])).toBe(`
task         metric        score   95 % CI             n   coverage
shapes_vqa   exact_match   0.905   0.885 – 0.922   1,000      100 %
 ├ color                   1.000   0.966 – 1.000     110
 └ count                   0.900   0.833 – 0.942     120

empty 0 · unparsed 0 · failed 0
`)
})

test('counts answers that ended within their reasoning, and those with any', () => {
  const thinking = aggregate({ empty: 12, cut: 40, emptyCut: 11, reasoned: 1000, reasoningCharacters: 123_456 })
  expect(show([thinking])).toContain(
    'empty 12 (11 cut off at the token limit) · unparsed 0 · failed 0 · with reasoning 1,000\n',
  )
})

test('names unknown finish reasons with their counts', () => {
  expect(show([aggregate({ endings: { max_thinking: 3, OTHER: 1 } })])).toContain(
    'ended by an unknown "max_thinking" 3 · ended by an unknown "OTHER" 1\n',
  )
})

test('names missing docs and their possible effect on the score', () => {
  const partly = aggregate({ metric: 'accuracy', value: 0.452, n: 896, total: 900, bounds: [0.45, 0.454], empty: 19 })
  expect(show([partly], new Map([['shapes_vqa', 4]]))).toBe(`
task         metric     score   95 % CI           n   coverage
shapes_vqa   accuracy   0.452   0.885 – 0.922   896     99.5 %

empty 19 · unparsed 0 · failed 4
shapes_vqa: the full accuracy lies between 0.450 and 0.454; 4 of 900 docs are missing
`)
})

test('shows a dash for a missing score or interval, not a zero', () => {
  const none = aggregate({ value: null, interval: null, n: 0, total: 5 })
  expect(show([none], new Map([['shapes_vqa', 5]]))).toBe(`
task         metric        score   95 % CI   n   coverage
shapes_vqa   exact_match       –   –         0        0 %

empty 0 · unparsed 0 · failed 5
shapes_vqa: no doc has a score of exact_match yet (0 of 5)
`)
})

test('with several metrics and tasks, prints a name once, and the figures by task', () => {
  const strict = aggregate({ filter: 'strict', unparsed: 3 })
  expect(show([aggregate(), strict, aggregate({ task: 'other' })])).toBe(`
task         metric               score   95 % CI             n   coverage
shapes_vqa   exact_match          0.905   0.885 – 0.922   1,000      100 %
             exact_match,strict   0.905   0.885 – 0.922   1,000      100 %
other        exact_match          0.905   0.885 – 0.922   1,000      100 %

shapes_vqa: empty 0 · unparsed 3 · failed 0
other: empty 0 · unparsed 0 · failed 0
`)
})

test('labels of several breakdown fields name their field', () => {
  const other = aggregate({ group: { field: 'level', label: '1' } })
  const lines = resultTable([aggregate(), group('color', 1, [0.9, 1], 2), other], new Map(), plain)
  expect(lines.slice(2, 4).map(line => line.split('   ')[0])).toEqual([' ├ type: color', ' └ level: 1'])
})

test('prints notes on numbers below the table', () => {
  const note = 'BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0'
  const bleu = aggregate({ metric: 'bleu', value: 31.4, interval: null, intervalMethod: 'none', note })
  expect(show([bleu])).toBe(`
task         metric    score   95 % CI       n   coverage
shapes_vqa   bleu     31.400   –         1,000      100 %

empty 0 · unparsed 0 · failed 0
shapes_vqa: bleu is BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0
`)
})

test("prints group scores below those of tasks, under the group's alias", () => {
  const plainly = { value: 0.5, interval: null, n: 4, total: 4 }
  const rows = [
    aggregate({ ...plainly, task: 'a' }),
    aggregate({ ...plainly, task: 'b' }),
    aggregate({ ...plainly, task: 'g', of: ['a', 'b'], n: 7, total: 8, note: 'half' }),
  ]
  const lines = resultTable(rows, new Map(), plain, [{ name: 'g', alias: 'Gates' }])
  expect(`\n${lines.map(line => line.trimEnd()).join('\n')}\n`).toBe(`
task   metric        score   95 % CI   n   coverage
a      exact_match   0.500   –         4      100 %
b      exact_match   0.500   –         4      100 %

group   metric        score   95 % CI   n   coverage
Gates   exact_match   0.500   –         7     87.5 %

empty 0 · unparsed 0 · failed 0
g: the full exact_match can't be bounded; 1 of 8 docs is missing
g: exact_match is half
`)
})

test("prints a task's alias", () => {
  const run = { ...someRun, provenance: { ...someRun.provenance, aliases: { shapes_vqa: 'Shapes' } } }
  const lines = resultTable([aggregate()], new Map(), plain, shownNames(run))
  expect(lines[1]).toMatch(/^Shapes +exact_match/)
})
