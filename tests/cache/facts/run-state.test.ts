import { expect, test } from 'vitest'
import { isAllAsked, isComplete, isSealable, isSettled } from '../../../cache/facts/run-state.js'
import type { RunCounts } from '../../../cache/store.js'

const whole: RunCounts = {
  ...{
    docs: 2,
    docsByTask: [2],
    items: 2,
    answered: 2,
    failed: {},
    open: 0,
    pending: 0,
    shared: 0,
    inputFinished: true,
  },
}

// settled, complete, all asked, all asked with --retry-failed, sealable
test.each<[string, Partial<RunCounts>, readonly boolean[]]>([
  ['all is answered', {}, [true, true, true, true, true]],
  ['docs are still read', { inputFinished: false }, [false, false, false, false, false]],
  ['a request is pending', { answered: 1, pending: 1 }, [false, false, false, false, false]],
  ['a request failed for good', { answered: 1, failed: { refused: 1 } }, [true, false, true, false, true]],
  ['a failure is open', { answered: 1, failed: { timeout: 1 }, open: 1 }, [true, false, false, false, true]],
  ['a budget ran out', { answered: 1, failed: { budget: 1 }, open: 1 }, [true, false, false, false, false]],
])('decides whether a run is done where %s', (_, change, expected) => {
  const counts = { ...whole, ...change }
  const all = [false, true].map(retryFailed => isAllAsked(counts, { retryFailed }))
  expect([isSettled(counts), isComplete(counts), ...all, isSealable(counts)]).toEqual(expected)
})
