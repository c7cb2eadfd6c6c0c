import { expect, test } from 'vitest'
import { readAssumptions } from '../../../src/web/pages/planning/assumptions.js'

test('assumptions are the numbers of the address, without what is no number', () => {
  expect(readAssumptions({ effect: '0.02', docs: '1000', std: '', icc: 'x', run: '5', alpha: '1e999' })).toEqual({
    effect: 0.02,
    docs: 1000,
  })
})
