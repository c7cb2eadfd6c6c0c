import { expect, test } from 'vitest'
import { messageOf } from '../../../base/errors/errors.js'

test('what is said of text that is no JSON is one line, however many that text has', () => {
  const parse = (): unknown => JSON.parse('d7\nd8\r\n')
  expect(parse).toThrow(SyntaxError)
  try {
    parse()
  } catch (error) {
    expect(messageOf(error)).toMatch(/^Unexpected token 'd', "d7 d8 ?" is not valid JSON$/)
  }
})
