import { expect, test } from 'vitest'
import type { Json } from '../../../base/values/canonical-json.js'
import { readLabels } from '../../../stages/judge/score-marks.js'

test('labels are texts, and equal objects have the same label in any order of keys', () => {
  const fields = ['kind', 'level', 'place', 'none', 'absent']
  const labels = { kind: 'chart', level: '3', place: "{'page': 1, 'row': 2}", none: '(none)', absent: '(none)' }
  expect(readLabels({ doc: { kind: 'chart', level: 3, place: { page: 1, row: 2 }, none: null } }, fields)).toEqual(
    labels,
  )
  expect(readLabels({ doc: { kind: 'chart', level: 3, place: { row: 2, page: 1 }, none: null } }, fields)).toEqual(
    labels,
  )
})

test('a field without a value and an empty text have special labels', () => {
  const labelOf = (value?: Json) => readLabels({ doc: value === undefined ? {} : { kind: value } }, ['kind'])['kind']
  expect([undefined, null, '', ' ', 0, false, [], {}].map(labelOf)).toEqual([
    '(none)',
    '(none)',
    '(empty)',
    '(empty)',
    '0',
    'False',
    '[]',
    '{}',
  ])
})

test('a text that reads like a label for missing values has a label of its own', () => {
  const labels = ['(none)', '(empty)', 'none', null, ''].map(kind => readLabels({ doc: { kind } }, ['kind'])['kind'])
  expect(labels).toEqual(['"(none)"', '"(empty)"', 'none', '(none)', '(empty)'])
})
