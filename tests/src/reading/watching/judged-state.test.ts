import { expect, test } from 'vitest'
import { compareStates, type JudgedState } from '../../../../src/reading/watching/judged-state.js'

/** The state of one metric, whose value is the mean of its docs unless another is given. */
function stateOf(docs: Readonly<Record<string, number>>, value?: number): JudgedState {
  const values = new Map(Object.entries(docs))
  const mean = [...values.values()].reduce((sum, number) => sum + number, 0) / values.size
  const metric = {
    task: 't',
    metric: 'm',
    value: value ?? mean,
    n: values.size,
    total: 3,
    higherIsBetter: true,
    values,
  }
  return { run: 'r', metrics: [metric], failing: [], failingCount: 0, unjudged: [] }
}

test.each([
  ['equal docs', stateOf({ a: 1, b: 0, c: 0 }), stateOf({ a: 1, b: 1, c: 0 }), 1 / 3, 0],
  ['docs that fell out', stateOf({ a: 1, b: 0, c: 0 }), stateOf({ a: 1 }), 0, 2],
  ['docs that fell out, and one that is better', stateOf({ a: 0, b: 0, c: 0 }), stateOf({ a: 1, b: 0 }), 0.5, 1],
  ['docs that were added', stateOf({ a: 1 }), stateOf({ a: 1, b: 0, c: 0 }), 0, 0],
  ['other docs of a metric that is no mean', stateOf({ a: 1, b: 0 }, 0.9), stateOf({ a: 1 }, 0.7), null, 1],
  ['equal docs of a metric that is no mean', stateOf({ a: 1, b: 0 }, 0.9), stateOf({ a: 1, b: 0 }, 0.7), -0.2, 0],
  ['no doc in common', stateOf({ a: 1 }), stateOf({ b: 0 }), null, 1],
])('the change of a score is that of the docs that both states have: %s', (_what, before, now, difference, lost) => {
  const [moved] = compareStates(now, before)
  expect(moved?.lost).toBe(lost)
  if (difference === null) expect(moved?.difference).toBeNull()
  else expect(moved?.difference).toBeCloseTo(difference, 12)
})
