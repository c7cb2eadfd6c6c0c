import { expect, test } from 'vitest'
import { z } from 'zod'
import { errorData, errorFrom, messageOf, PipelineError, formatErrorText } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'

test('an error about invalid JSON has one line, even if the text has many', () => {
  const parse = (): unknown => JSON.parse('d7\nd8\r\n')
  expect(parse).toThrow(SyntaxError)
  try {
    parse()
  } catch (error) {
    expect(messageOf(error)).toMatch(/^Unexpected token 'd', "d7 d8 ?" is not valid JSON$/)
  }
})

test('an error keeps its reason, data and references when it passes between threads', () => {
  const error = new PipelineError('store', `no store: ${option('store', 'DIR')}`, {
    reason: 'store-missing',
    data: { dir: '/nowhere' },
  })
  const arrived = errorFrom(structuredClone(errorData(error)))
  expect(arrived).toMatchObject({
    code: 'store',
    reason: 'store-missing',
    data: { dir: '/nowhere' },
    options: ['store'],
  })
  expect([arrived.message, arrived.said]).toEqual([error.message, error.said])
  expect(errorFrom(structuredClone(errorData(new PipelineError('usage', 'a'))))).toMatchObject({
    reason: undefined,
    data: {},
  })
})

test('an error that another message quotes keeps its references', () => {
  const error = new PipelineError('store', `see ${option('store')}`)
  expect(new PipelineError('config', `part 1: ${formatErrorText(error)}`)).toMatchObject({
    message: 'part 1: see store',
    options: ['store'],
  })
  expect(formatErrorText(new Error('plain'))).toBe('plain')
})

test('words an error of a schema plainly', () => {
  const { error } = z.object({ a: z.number() }).safeParse({ a: 'x' })
  expect(messageOf(error)).toBe('a: expected a number')
})
