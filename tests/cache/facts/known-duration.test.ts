import { expect, it } from 'vitest'
import { importedRun, knownDuration } from '../../../cache/facts/known-duration.js'

it('the duration of an imported answer is unknown where its log states none', () => {
  expect(knownDuration({ run: importedRun, durationMs: 0 })).toBeUndefined()
  expect(knownDuration({ run: importedRun, durationMs: 12 })).toBe(12)
  expect(knownDuration({ run: '0123456789abcdef', durationMs: 0 })).toBe(0)
})
