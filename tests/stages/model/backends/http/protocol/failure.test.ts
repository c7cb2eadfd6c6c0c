import { expect, onTestFinished, test } from 'vitest'
import { makeRefusalError, withBilledUsage } from '../../../../../../stages/model/backends/http/protocol/failure.js'
import { openai } from '../../../../../../stages/model/backends/openai.js'
import { AttemptError } from '../../../../../../stages/model/model.js'
import { askBackend } from '../../../../../support/backend-client.js'
import { startFakeOpenai } from '../../../../../support/fake-openai.js'

const usageOf = (reply: object | string) => {
  const text = typeof reply === 'string' ? reply : JSON.stringify(reply)
  return (withBilledUsage(makeRefusalError('stopped by a filter'), text) as AttemptError).usage
}

test.each([
  ['OpenAI', { usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }, 3],
  ['Responses and Anthropic', { usage: { input_tokens: 7, output_tokens: 3 } }, 3],
  ['Gemini', { usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1, thoughtsTokenCount: 2 } }, 3],
  ['Gemini, before it said anything', { usageMetadata: { promptTokenCount: 7 } }, 0],
  ['Ollama', { prompt_eval_count: 7, eval_count: 3 }, 3],
])('reads the usage that %s bills for a failed answer', (_, reply, outputTokens) => {
  expect(usageOf(reply)).toEqual({ inputTokens: 7, outputTokens })
})

test.each([['<html>'], [{}], [{ usage: null }], [{ usage: { prompt_tokens: 'many' } }]])(
  'reads no usage from %j',
  reply => {
    expect(usageOf(reply)).toBeUndefined()
  },
)

test('a failure with billed usage keeps its other fields', () => {
  const failure = new AttemptError('rate_limited', '429', {
    isRetryable: true,
    retryAfter: 5,
    access: { about: 'account' },
  })
  const counted = withBilledUsage(failure, '{"usage":{"input_tokens":1}}')
  expect(counted).toMatchObject({
    class: 'rate_limited',
    message: '429',
    isRetryable: true,
    retryAfter: 5,
    isAccess: true,
  })
  const other = new TypeError('x')
  expect(withBilledUsage(other, '{"usage":{"input_tokens":1}}')).toBe(other)
})

test('a server’s response without a choice fails with its billed usage', async () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }
  const server = await startFakeOpenai({ answer: () => ({ choices: [], usage }) })
  onTestFinished(() => server.close())
  const { failure } = await askBackend(openai, { model: 'm', base_url: server.url })
  expect((await failure()).usage).toEqual({ inputTokens: 7, outputTokens: 3 })
})
