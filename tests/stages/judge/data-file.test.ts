import { expect, it } from 'vitest'
import { readData } from '../../../stages/judge/data-file.js'

it('refuses a table that is not the one which the code was written for', () => {
  expect(() => readData({ name: 'punkt-english', digest: 'f'.repeat(64) })).toThrow(
    /punkt-english\.json\.br is not as it was delivered/,
  )
  expect(() => readData({ name: 'punkt-klingon', digest: '' })).toThrow(/punkt-klingon\.json\.br is missing/)
})
