import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { hiddenError } from '../../../base/errors/hidden-error.js'

const hide = (text: string): string => text.replaceAll('sk-1', '***')

class Own extends Error {
  readonly class = 'server'
}

test('hides the secret in message, stack and causes, and keeps the class and fields of the error', () => {
  const cause = new Error('from sk-1')
  const error = new Own('no sk-1', { cause })
  const shown = hiddenError(error, hide)
  expect(shown).toBe(error)
  expect(shown).toMatchObject({ message: 'no ***', class: 'server', cause: { message: 'from ***' } })
  expect(error.stack).not.toContain('sk-1')
})

test('returns a PipelineError without a secret unchanged, and else keeps its code, reason and data', () => {
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

test('hides a secret in a frozen error, a text and any other value', () => {
  expect(hiddenError(Object.freeze(new Error('sk-1')), hide)).toMatchObject({ message: '***' })
  expect(hiddenError('sk-1', hide)).toBe('***')
  expect(hiddenError(7, hide)).toBe(7)
})
