import { expect, test } from 'vitest'
import { chooseRun, noneChosen, type Chosen } from '../../../src/web/pages/runs/choose-run.js'

const chosen = (...names: readonly string[]): Chosen => names.reduce(chooseRun, noneChosen)

test.each([
  [['a'], { names: ['a'] }],
  [['a', 'b'], { names: ['a', 'b'] }],
  [['a', 'b', 'a'], { names: ['b'] }],
  [['a', 'b', 'c'], { names: ['b', 'c'], left: 'a' }],
  [['a', 'b', 'c', 'd'], { names: ['c', 'd'], left: 'b' }],
  [['a', 'b', 'c', 'c'], { names: ['b'] }],
])('after %j, two runs are chosen at most, and the one that a third put out is named', (names, expected) => {
  expect(chosen(...names)).toEqual(expected)
})
