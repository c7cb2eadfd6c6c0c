import { expect, test } from 'vitest'
import { makeWordReader, appendText, wholeNumber } from '../../../../src/config/values/option-values.js'

const concurrency = wholeNumber('--concurrency', { min: 1 })

test('accepts a whole number in range', () => {
  expect(concurrency('12')).toBe(12)
  expect(wholeNumber('--limit', { min: 1, also: [-1] })('-1')).toBe(-1)
})

test.each(['0', '-1', '1.5', 'x', '', '1e3', '0x10', ' 1', '99999999999999999999'])(
  'rejects %j and says what is expected',
  text => {
    expect(() => concurrency(text)).toThrow(`--concurrency: expected a whole number, 1 or more, given "${text}"`)
  },
)

test('rejects an unknown word and suggests the nearest allowed one', () => {
  const kind = makeWordReader('--samples', ['wrong', 'failed'])
  expect(kind('failed')).toBe('failed')
  expect(() => kind('wrng')).toThrow('--samples: expected "wrong", "failed", given "wrng". Did you mean "wrong"?')
})

test('a flag may be repeated', () => {
  expect(appendText('b', appendText('a', undefined))).toEqual(['a', 'b'])
})
