import { expect, test } from 'vitest'
import { readAssumptions } from '../../../src/web/pages/planning/assumptions.js'

test('reads assumptions from numbers of the address, and ignores other values', () => {
  expect(readAssumptions({ effect: '0.02', docs: '1000', std: '', icc: 'x', run: '5', alpha: '1e999' })).toEqual({
    effect: 0.02,
    docs: 1000,
  })
})
