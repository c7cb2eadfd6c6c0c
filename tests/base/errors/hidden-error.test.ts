import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { hiddenError } from '../../../base/errors/hidden-error.js'

const hide = (text: string): string => text.replaceAll('sk-1', '***')

class Own extends Error {
  readonly class = 'server'
}

test('an error keeps its class and fields, and hides the secret in its message, stack and causes', () => {
  const cause = new Error('from sk-1')
  const error = new Own('no sk-1', { cause })
  const shown = hiddenError(error, hide)
  expect(shown).toBe(error)
  expect(shown).toMatchObject({ message: 'no ***', class: 'server', cause: { message: 'from ***' } })
  expect(error.stack).not.toContain('sk-1')
})

test('an error of the program is the same if it has no secret, and else has its code, reason and data', () => {
  const plain = new PipelineError('usage', 'nothing')
  expect(hiddenError(plain, hide)).toBe(plain)
  const error = new PipelineError('config', ['a sk-1', 'b'], { reason: 'task-unknown', data: { names: ['x'] } })
  const shown = hiddenError(error, hide)
  expect(shown).toBeInstanceOf(PipelineError)
  expect(shown).toMatchObject({
    code: 'config',
    problems: ['a ***', 'b'],
    reason: 'task-unknown',
    data: { names: ['x'] },
  })
})

test('hides a secret in a frozen error, in a text and in another value', () => {
  expect(hiddenError(Object.freeze(new Error('sk-1')), hide)).toMatchObject({ message: '***' })
  expect(hiddenError('sk-1', hide)).toBe('***')
  expect(hiddenError(7, hide)).toBe(7)
})
