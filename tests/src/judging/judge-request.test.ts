import { expect, test } from 'vitest'
import { makeJudgeRequest } from '../../../src/judging/judge-request.js'
import type { JudgePrompt } from '../../../stages/judge/define/judge-model.js'

test.each<readonly [unknown, string]>([
  ['Is it right?', "ask takes { messages: 'the question' }, not a text"],
  [undefined, "ask takes { messages: 'the question' }, not nothing"],
  [{ prompt: 'a' }, "ask takes { messages: 'the question' }, not an object with prompt"],
  [{ messages: null }, 'ask: messages must be a text or a list of messages, not null'],
  [{ messages: [] }, 'ask: messages must be a text or a list of messages, not an empty list'],
  [
    { messages: [{ role: 'user', content: 'a' }] },
    "ask: each message must be { role: 'user', text: '…' }, not an object with role, content",
  ],
  [{ messages: ['a'] }, "ask: each message must be { role: 'user', text: '…' }, not a text"],
])('rejects a judge question of an unknown form in one sentence: %j', (prompt, message) => {
  expect(() => makeJudgeRequest(prompt as JudgePrompt)).toThrow(message)
})

test('a text becomes one user message', () => {
  expect(makeJudgeRequest({ messages: 'a' }).input.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
  ])
})

test('sends a schema as the response format and includes it in the key', () => {
  const schema = { type: 'object' }
  expect(makeJudgeRequest({ messages: 'a', schema }).generation).toEqual({
    max_new_tokens: 1024,
    response_format: { type: 'json_schema', json_schema: { name: 'verdict', schema } },
  })
})
