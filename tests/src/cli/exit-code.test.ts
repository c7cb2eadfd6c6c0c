import { expect, test } from 'vitest'
import { exitCode, chooseWorst } from '../../../src/cli/exit-code.js'

test.each([
  [{}, 0],
  [{ failed: 0, pending: 0, unjudged: 0 }, 0],
  [{ unjudged: 1 }, 3],
  [{ failed: 1 }, 2],
  [{ pending: 1 }, 2],
  [{ failed: 1, unjudged: 1 }, 2],
  [{ isInterrupted: true }, 130],
  [{ isInterrupted: true, failed: 1, pending: 3, unjudged: 1 }, 130],
  [{ isRefused: true }, 1],
  [{ isRefused: true, isInterrupted: true, failed: 1, unjudged: 1 }, 1],
] as const)('%j exits with %i', (ending, code) => {
  expect(exitCode(ending)).toBe(code)
})

test.each([
  [[], 0],
  [[0, 0], 0],
  [[0, 3], 3],
  [[3, 2, 0], 2],
  [[2, 130], 130],
  [[0, 1, 130, 2], 1],
] as const)('a list of runs that ended with %j exits with %i', (codes, code) => {
  expect(chooseWorst(codes)).toBe(code)
})
