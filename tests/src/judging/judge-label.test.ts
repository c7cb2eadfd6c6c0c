import { expect, test } from 'vitest'
import { isSameModel } from '../../../src/judging/judge-label.js'

const openai = (model: string) => ({ backend: 'openai', args: { model } })

test.each([
  [openai('gpt-5'), { backend: 'openrouter', args: { model: 'openai/GPT-5' } }, true],
  [openai('gpt-5'), openai('gpt-5-mini'), false],
  // A backend without a model name does not identify the model.
  [{ backend: 'dummy', args: {} }, { backend: 'dummy', args: {} }, false],
])('decides whether %j and %j are the same model: %s', (one, other, expected) => {
  expect(isSameModel(one, other)).toBe(expected)
})
