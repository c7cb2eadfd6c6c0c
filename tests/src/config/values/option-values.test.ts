import { expect, test } from 'vitest'
import { makeWordReader, appendText, wholeNumber } from '../../../../src/config/values/option-values.js'

const concurrency = wholeNumber('--concurrency', { min: 1 })

test('a whole number in range is taken', () => {
  expect(concurrency('12')).toBe(12)
  expect(wholeNumber('--limit', { min: 1, also: [-1] })('-1')).toBe(-1)
})

test.each(['0', '-1', '1.5', 'x', '', '1e3', '0x10', ' 1', '99999999999999999999'])(
  '%j is refused with what was expected',
  text => {
    expect(() => concurrency(text)).toThrow(`--concurrency: expected a whole number, 1 or more, given "${text}"`)
  },
)

test('a word that is none of the allowed is refused with the nearest', () => {
  const kind = makeWordReader('--samples', ['wrong', 'failed'])
  expect(kind('failed')).toBe('failed')
  expect(() => kind('wrng')).toThrow('--samples: expected "wrong", "failed", given "wrng". Did you mean "wrong"?')
})

test('a flag may be given several times', () => {
  expect(appendText('b', appendText('a', undefined))).toEqual(['a', 'b'])
})
