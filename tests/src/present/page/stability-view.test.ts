import { expect, test } from 'vitest'
import { stabilityView } from '../../../../src/present/page/stability-view.js'
import { measureRunStability } from '../../../../src/reading/stability/measure-run-stability.js'

const values = measureRunStability([{ id: '0', scores: [1, 0], answers: ['a', 'b'] }])

test('lists each diagnosis with its number and first hundred docs, and omits empty ones', () => {
  const ambiguous = Array.from({ length: 150 }, (_, number) => `doc-${number}`)
  const confidentlyWrong = [{ id: 'x', answer: 'red' }]
  const task = { task: 't', metric: 'm', ...values, diagnoses: { ambiguous, confidentlyWrong, modelSpecific: [] } }
  const view = stabilityView({ run: 'a-run', with: [], tasks: [task], leftOut: 0 })
  const [shown] = view.tasks
  expect(shown?.ambiguous?.docs).toBe(150)
  expect(shown?.ambiguous?.first).toHaveLength(100)
  expect(shown?.confidentlyWrong).toEqual({ docs: 1, first: [{ id: 'x', answer: 'red' }] })
  expect(Object.keys(shown ?? {})).not.toContain('modelSpecific')
  expect(Object.keys(shown ?? {})).not.toContain('diagnoses')
})
