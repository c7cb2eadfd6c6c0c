import { describe, expect, test } from 'vitest'
import { answerFailure } from '../../../../../stages/model/backends/openai/failure.js'

const endpoint = { backend: 'openai', origin: 'http://x', path: '/v1', apiKey: 'sk-1', keyVariable: 'OPENAI_API_KEY' }

const failureOf = (status: number, body: unknown) =>
  answerFailure({ status, headers: {}, text: JSON.stringify(body) }, endpoint)

const error = (message: string, more: object = {}) => ({ error: { message, param: null, code: null, ...more } })

describe('an exhausted account is an access failure and is not retried', () => {
  test.each([
    ['OpenAI’s quota, told by its type alone', 429, error('exceeded', { type: 'insufficient_quota' })],
    ['OpenAI’s account without billing', 429, error('not active', { code: 'billing_not_active' })],
    ['OpenAI’s hard limit', 429, error('reached', { code: 'billing_hard_limit_reached' })],
    ['Moonshot', 429, error('exceeded', { type: 'exceeded_current_quota_error' })],
    ['LiteLLM', 400, error('Budget has been exceeded! Current cost: 2', { type: 'budget_exceeded' })],
    ['LiteLLM behind LiteLLM', 400, error('litellm.BadRequestError: OpenAIException - Budget has been exceeded!')],
    ['xAI', 403, { code: 'no permission', error: 'Your newly created team does not have any credits yet.' }],
    ['Fireworks', 412, error('Account me is suspended, possibly due to reaching the monthly spending limit')],
    ['DeepSeek', 402, error('Insufficient Balance', { code: 'invalid_request_error' })],
  ])('%s', (_, status, body) => {
    const { class: name, isRetryable, isAccess, message } = failureOf(status, body)
    expect([name, isRetryable, isAccess]).toEqual(['rate_limited', false, true])
    expect(message).not.toContain('OPENAI_API_KEY')
  })

  test('a message about a limit per minute is not an access failure', () => {
    const { isRetryable, isAccess } = failureOf(429, error('Rate limit reached', { type: 'tokens' }))
    expect([isRetryable, isAccess]).toEqual([true, false])
  })
})

test.each([
  ['moderation_blocked', 'rejected by our safety system', 'refused'],
  ['content_policy_violation', 'rejected', 'refused'],
  ['invalid_prompt', 'Invalid prompt: your prompt was flagged as potentially violating our usage policy.', 'refused'],
  ['invalid_prompt', 'The prompt is none', 'invalid_request'],
])('%s with "%s" is %s', (code, message, name) => {
  expect(failureOf(400, error(message, { code })).class).toBe(name)
})

test('a prompt that moderation flagged is not an access failure', () => {
  const { message, isAccess } = failureOf(403, error('flagged', { metadata: { flagged_input: 'x' } }))
  expect([message, isAccess]).toEqual(['403 flagged', false])
})

test('does not retry a request larger than a minute’s tokens', () => {
  const { class: name, isRetryable } = failureOf(429, error('Request too large for m on tokens per min: Limit 30000'))
  expect([name, isRetryable]).toEqual(['invalid_request', false])
})

test.each([
  ['context_length_exceeded', 'invalid_request', false],
  ['invalid_api_key', 'invalid_request', true],
  ['rate_limit_exceeded', 'rate_limited', false],
  ['server_error', 'server', false],
])('an error named %s without a status is %s', (code, name, isAccess) => {
  const failure = failureOf(500, error('no', { code }))
  expect([failure.class, failure.isAccess]).toEqual([name, isAccess])
})

test('retries when capacity is temporarily exhausted', () => {
  const { class: name, isRetryable } = failureOf(498, error('Flex tier capacity exceeded'))
  expect([name, isRetryable]).toEqual(['server', true])
})

test.each([
  ['max_tokens', 'unsupported_parameter', '400 no (add max_tokens_field=max_completion_tokens to the model arguments)'],
  ['temperature', 'unsupported_value', '400 no (add omit=temperature to the model arguments)'],
  ['stop', 'unsupported_parameter', '400 no (add omit=stop to the model arguments)'],
  ['messages', 'unsupported_value', '400 no'],
  ['temperature', 'invalid_value', '400 no'],
])('says what to do if parameter %s is rejected as %s', (param, code, message) => {
  expect(failureOf(400, error('no', { param, code })).message).toBe(message)
})

test('takes the first entry of a list of invalid fields', () => {
  const detail = [{ type: 'less_than_equal', loc: ['body', 'temperature'], msg: 'at most 1.5', input: 9 }]
  expect(failureOf(422, { detail }).message).toBe('422 body.temperature: at most 1.5')
})
