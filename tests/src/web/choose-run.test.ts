import { expect, test } from 'vitest'
import { mostRuns } from '../../../src/reading/samples/doc-kinds.js'
import { chooseRun, noneChosen, type RunChoice } from '../../../src/web/pages/runs/choose-run.js'

const choose = (...names: readonly string[]): RunChoice => names.reduce(chooseRun, noneChosen)

test.each([
  [['a'], { names: ['a'] }],
  [['a', 'b', 'c'], { names: ['a', 'b', 'c'] }],
  [['a', 'b', 'a'], { names: ['b'] }],
])('after %j, the runs are chosen in order, and a second click removes a run', (names, expected) => {
  expect(choose(...names)).toEqual(expected)
})

test('one run too many replaces the first, which is named', () => {
  const many = Array.from({ length: mostRuns }, (_, number) => `run-${number}`)
  const chosen = choose(...many, 'last')
  expect(chosen).toEqual({ names: [...many.slice(1), 'last'], left: 'run-0' })
  expect(chooseRun(chosen, 'last')).toEqual({ names: many.slice(1) })
})
