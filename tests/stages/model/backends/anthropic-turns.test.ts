import { expect, onTestFinished, test } from 'vitest'
import { anthropic } from '../../../../stages/model/backends/anthropic.js'
import { askBackend } from '../../../support/backend-client.js'
import { claudeError, claudeMessage, startFakeAnthropic } from '../../../support/fake-anthropic.js'
import type { Reply } from '../../../support/fake-provider.js'

const key = 'sk-ant-very-secret-0123456789'

async function connect(replies: readonly Reply[], args: Record<string, unknown> = {}) {
  let asked = 0
  const server = await startFakeAnthropic(() => replies[Math.min(asked++, replies.length - 1)]!)
  onTestFinished(() => server.close())
  const client = await askBackend(
    anthropic,
    { model: 'claude-sonnet-4-5', base_url: server.url, ...args },
    { ANTHROPIC_API_KEY: key },
  )
  return { ...client, server }
}

const yes: readonly Reply[] = [{ body: claudeMessage('yes') }]

test.each([
  ['claude-3-5-haiku-20241022', 0, '2023-06-01'],
  ['claude-opus-4-20250514', 0, '2023-06-01'],
  ['claude-opus-4-1-20250805', 0, '2023-06-01'],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 0, '2023-06-01'],
  ['claude-opus-4-6', 0, '2023-06-01'],
  ['claude-opus-4-7', undefined, '2026-10-21'],
  ['claude-opus-4-10', undefined, '2026-10-21'],
  ['claude-haiku-5-5', undefined, '2026-10-21'],
  ['claude-fable-5-1', undefined, '2026-10-21'],
  ['MiniMax-M2', 0, '2023-06-01'],
])('sends the default temperature of %s as %s under API version %s', async (model, temperature, version) => {
  const { ask, server } = await connect(yes, { model })
  await ask()
  const [{ body, headers }] = [server.seen[0]!]
  expect((body as { temperature?: number }).temperature).toBe(temperature)
  expect(headers['anthropic-version']).toBe(version)
})

test('sends a given API version, and no default temperature to a version that rejects sampling', async () => {
  const { ask, server } = await connect(yes, { anthropic_version: '2026-10-21' })
  await ask()
  expect(server.seen[0]!.headers['anthropic-version']).toBe('2026-10-21')
  expect(server.seen[0]!.body).not.toHaveProperty('temperature')
})

test("sends a task's temperature to a newer model too, and says how to omit it", async () => {
  const refusal = {
    status: 400,
    body: claudeError('invalid_request_error', '`temperature` is deprecated for this model.'),
  }
  const { failure, server } = await connect([refusal], { model: 'claude-opus-5', anthropic_version: '2023-06-01' })
  expect((await failure('Hi', { temperature: 0.7 })).message).toContain('(add omit=temperature to the model arguments)')
  expect(server.seen[0]!.body).toMatchObject({ temperature: 0.7 })
})

test('reports tokens of thinking', async () => {
  const usage = { input_tokens: 7, output_tokens: 30, output_tokens_details: { thinking_tokens: 21 } }
  const { ask } = await connect([{ body: claudeMessage('yes', { usage }) }])
  expect((await ask()).usage).toEqual({ inputTokens: 7, outputTokens: 30, reasoningTokens: 21 })
})

test.each([
  ['enforced_spend_limit_reached', 429, 'rate_limit_error'],
  ['contract_spend_limit_reached', 429, 'rate_limit_error'],
  ['linked_organization_spend_limit_reached', 402, 'billing_error'],
  ['organization_on_hold', 400, 'invalid_request_error'],
])('%s stops the command, because waiting does not help', async (code, status, type) => {
  const body = { type: 'error', error: { type, message: 'The limit is reached.', details: { error_code: code } } }
  const { failure } = await connect([{ status, body }])
  const { isAccess, isRetryable } = await failure()
  expect([isAccess, isRetryable]).toEqual([true, false])
})

test('waits when a limit on the growth of usage is reached', async () => {
  const error = { type: 'rate_limit_error', message: 'Slower.', details: { error_code: 'ramp_limit_exceeded' } }
  const { failure } = await connect([{ status: 429, headers: { 'retry-after': '3' }, body: { type: 'error', error } }])
  const { isAccess, isRetryable, retryAfter } = await failure()
  expect([isAccess, isRetryable, retryAfter]).toEqual([false, true, 3000])
})

test('does not retry if the server says that a retry cannot help', async () => {
  const body = claudeError('api_error')
  const { failure } = await connect([{ status: 500, headers: { 'x-should-retry': 'false' }, body }])
  const { class: found, isRetryable } = await failure()
  expect([found, isRetryable]).toEqual(['server', false])
})

const search = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'otters' } }
const paused = claudeMessage([{ type: 'text', text: 'Let me look. ' }, search], { stop_reason: 'pause_turn' })

test('continues a paused turn with its content, and adds up its tokens', async () => {
  const { ask, server } = await connect([{ body: paused }, { body: paused }, { body: claudeMessage('Yes.') }])
  const { body, usage } = await ask('Are there otters?')
  expect(body).toMatchObject({ text: 'Let me look. Let me look. Yes.', finishReason: 'stop' })
  expect(usage).toEqual({ inputTokens: 21, outputTokens: 9, cachedTokens: 0 })
  const turn = { role: 'assistant', content: [{ type: 'text', text: 'Let me look. ' }, search] }
  expect((server.seen[2]!.body as { messages: unknown }).messages).toEqual([
    { role: 'user', content: 'Are there otters?' },
    turn,
    turn,
  ])
})

test('a turn that stays paused is a failure', async () => {
  const { failure, server } = await connect([{ body: paused }])
  expect(await failure()).toMatchObject({ class: 'server', message: 'paused its turn more than 20 times' })
  expect(server.seen).toHaveLength(21)
})
