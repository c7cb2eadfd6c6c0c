import { expect, test } from 'vitest'
import { atOnce } from '../../../../stages/input/render/field.js'

test('rejects a promise, and its rejection is not reported as unhandled', async () => {
  const heard: unknown[] = []
  const hear = (error: unknown): void => void heard.push(error)
  process.on('unhandledRejection', hear)
  expect(() => atOnce(Promise.reject(new Error('late')))).toThrow('at once, not a promise of it')
  await new Promise(resolve => setImmediate(resolve))
  process.off('unhandledRejection', hear)
  expect(heard).toEqual([])
  expect(atOnce('a text')).toBe('a text')
})
