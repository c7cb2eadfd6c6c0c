import { expect, test } from 'vitest'
import { shownProblems } from '../../../src/web/pages/new-run/shown-problems.js'

const problems = [
  { field: 'model', message: 'is required' },
  { field: 'model_args.model', message: 'is missing' },
  { field: '', message: 'no such folder' },
]
const fields = problems.map(({ field }) => field)
const shown = (touched: readonly string[], isTried = false): readonly string[] =>
  fields.flatMap(field => shownProblems(problems, { field, touched: new Set(touched), isTried }))

test('an untouched form shows no problem', () => {
  expect(shown([])).toEqual([])
})

test('a changed field shows its own problems', () => {
  expect(shown(['model_args.model', 'limit'])).toEqual(['is missing'])
})

test('an attempt to start shows all problems', () => {
  expect(shown([], true)).toEqual(['is required', 'is missing', 'no such folder'])
})
