import { expect, it } from 'vitest'
import { importedRun, knownDuration } from '../../../cache/facts/known-duration.js'

it('an imported answer without a logged duration has an unknown duration', () => {
  expect(knownDuration({ run: importedRun, durationMs: 0 })).toBeUndefined()
  expect(knownDuration({ run: importedRun, durationMs: 12 })).toBe(12)
  expect(knownDuration({ run: '0123456789abcdef', durationMs: 0 })).toBe(0)
})

it('an answer of a batch has an unknown duration', () => {
  expect(knownDuration({ run: '0123456789abcdef', durationMs: 3_600_000, batch: true })).toBeUndefined()
})
