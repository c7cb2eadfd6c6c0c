import { expect, it } from 'vitest'
import { readData } from '../../../stages/judge/data-file.js'

it('rejects a data file whose digest differs from the expected one', () => {
  expect(() => readData({ name: 'punkt-english', digest: 'f'.repeat(64) })).toThrow(
    /punkt-english\.json\.br is not as it was delivered/,
  )
  expect(() => readData({ name: 'punkt-klingon', digest: '' })).toThrow(/punkt-klingon\.json\.br is missing/)
})
