import { expect, test } from 'vitest'
import { harmless, paintFor, plain } from '../../../src/report/paint.js'
import { table } from '../../../src/report/table.js'
import { clip, displayWidth } from '../../../src/report/width.js'

test('columns stand under each other whatever is in them', () => {
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

test('colours take no room', () => {
  const paint = paintFor(true)
  expect(displayWidth(paint.red('abc'))).toBe(3)
})

test('a text is cut to the columns that it may take', () => {
  expect(clip('abcdef', 6)).toBe('abcdef')
  expect(clip('abcdef', 4)).toBe('abc…')
  expect(clip('形状形状', 4)).toBe('形…')
})

test("what a server says cannot move the terminal's cursor", () => {
  expect(harmless('a\u001b[2Jb\u001b]0;title\u0007c\rd\ne')).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
})
