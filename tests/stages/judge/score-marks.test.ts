import { expect, test } from 'vitest'
import { labelsOf } from '../../../stages/judge/score-marks.js'

test('labels are texts; equal objects have one label, whatever the order of their keys', () => {
  const fields = ['kind', 'level', 'place', 'none', 'absent']
  const labels = { kind: 'chart', level: '3', place: '{"page":1,"row":2}' }
  expect(labelsOf({ kind: 'chart', level: 3, place: { page: 1, row: 2 }, none: null }, fields)).toEqual(labels)
  expect(labelsOf({ kind: 'chart', level: 3, place: { row: 2, page: 1 }, none: null }, fields)).toEqual(labels)
})
