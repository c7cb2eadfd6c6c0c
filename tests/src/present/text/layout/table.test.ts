import fc from 'fast-check'
import { expect, test } from 'vitest'
import { paintFor, plain, shownText } from '../../../../../src/present/text/layout/paint.js'
import { table } from '../../../../../src/present/text/layout/table.js'
import { clip, clipMiddle, displayWidth } from '../../../../../src/present/text/layout/width.js'

test('aligns columns whatever they contain', () => {
  const rows = [
    ['形状', '1'],
    ['e\u0301te\u0301', '1,000'],
    ['🙂', ''],
  ]
  expect(table([{ title: 'task' }, { title: 'n', align: 'right' }], rows, plain)).toEqual([
    'task       n',
    '形状       1',
    'e\u0301te\u0301    1,000',
    '🙂',
  ])
})

test('colours have no width', () => {
  const paint = paintFor(true)
  expect(displayWidth(paint.red('abc'))).toBe(3)
})

test('cuts a text to its available width', () => {
  expect(clip('abcdef', 6)).toBe('abcdef')
  expect(clip('abcdef', 4)).toBe('abc…')
  expect(clip('形状形状', 4)).toBe('形…')
  expect(clipMiddle('mmlu_pro_computer_science', 12)).toBe('mmlu_…cience')
})

const columns = [
  { title: 'task', least: 12 },
  { title: 'n', align: 'right', drop: 1 },
  { title: 'created', drop: 2 },
  { title: 'score', align: 'right' },
] as const
const row = ['mmlu_pro_computer_science', '1,000', '2026-01-31 12:00', '0.905']

const at = (width: number) =>
  table(
    columns,
    [row],
    paintFor(false, () => width),
  )

test('keeps a table that fits, and never narrows one for a file', () => {
  expect(at(60)).toEqual(table(columns, [row], plain))
  expect(at(60)).toHaveLength(2)
})

test('on a narrower screen, wraps names first, then drops the least important columns', () => {
  expect(at(50)).toEqual([
    'task                    n  created           score',
    'mmlu_pro_computer_  1,000  2026-01-31 12:00  0.905',
    'science',
  ])
  expect(at(30)).toEqual([
    'task                  n  score',
    'mmlu_pro_         1,000  0.905',
    'computer_science',
    '(columns for a wider screen: created)',
  ])
})

test('breaks a word that no column can hold, and shows a branch only before its label', () => {
  expect(
    table(
      [{ title: 'a', least: 6 }, { title: 'b' }],
      [[' ├ abcdefgh', '1']],
      paintFor(false, () => 10),
    ),
  ).toEqual(['a        b', ' ├ abcd  1', '   efgh'])
})

test('every table fits its screen', () => {
  const cell = fc.string({ unit: 'grapheme', maxLength: 40 })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 4 }), fc.integer({ min: 12, max: 60 }), (rows, width) => {
      const two = [
        { title: 'first', least: 5 },
        { title: 'other', least: 5 },
      ]
      for (const line of table(
        two,
        rows,
        paintFor(false, () => width),
      ))
        expect(displayWidth(line)).toBeLessThanOrEqual(width)
    }),
  )
})

test("control characters in a server's message cannot move the terminal's cursor", () => {
  expect(shownText('a\u001b[2Jb\u001b]0;title\u0007c\rd\ne')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
})

test('a table may have more rows than a function may have arguments', () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => [String(at)])
  const lines = table([{ title: 'doc' }], rows, plain)
  expect([lines.length, lines.at(-1)]).toEqual([200_001, '199999'])
})

test('a truncated column keeps rows at one line on a narrow screen, and the ends of names', () => {
  const columns = [{ title: 'run' }, { title: 'tasks', least: 16, isCut: true }]
  const rows = [['brave-otter-7f3a', 'mmmu_val_reasoning_with_pictures +11']]
  expect(table(columns, rows, { ...plain, columns: 36 })).toEqual([
    'run               tasks',
    'brave-otter-7f3a  mmmu_val…tures +11',
  ])
})

test('a dot between facts is never alone on a line', () => {
  const columns = [{ title: 'run', least: 8 }, { title: 'model' }]
  const rows = [['snowy-lizard-20f3 · exp/right/careful', 'a model with a name']]
  expect(table(columns, rows, { ...plain, columns: 38 })).toEqual([
    'run                model',
    'snowy-lizard-20f3  a model with a name',
    'exp/right/careful',
  ])
})
