import { startFakeProvider, type FakeProvider, type ProviderRequest, type Reply } from './fake-provider.js'

/** A message in the format of the Messages API. */
export const claudeMessage = (content: string | readonly object[], fields: object = {}): object => ({
  id: 'msg_013Zva2CMHLNnXjNJJKqJ2EF',
  type: 'message',
  role: 'assistant',
  model: 'claude-fake',
  content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 7, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 },
  ...fields,
})

/** An error in the format of the Messages API. */
export const claudeError = (type: string, message = `told to answer ${type}`): object => ({
  type: 'error',
  error: { type, message },
  request_id: 'req_011CSHoEeqs5C35K2UUqR7Fy',
})

/** A fake of the Messages API that validates requests as strictly. */
export const startFakeAnthropic = (
  reply: (request: ProviderRequest) => Reply = () => ({ body: claudeMessage('yes') }),
): Promise<FakeProvider> =>
  startFakeProvider(request => {
    const wrong = wrongOf(request)
    return wrong === undefined ? reply(request) : { status: wrong[0], body: claudeError(wrong[1]) }
  })

function wrongOf({ method, path, headers, body }: ProviderRequest): readonly [number, string] | undefined {
  if (method !== 'POST' || path !== '/v1/messages') return [404, 'not_found_error']
  if (headers['x-api-key'] === undefined) return [401, 'authentication_error']
  const isWhole = typeof body === 'object' && body !== null && 'max_tokens' in body && 'messages' in body
  const version = headers['anthropic-version']
  // The newer version rejects sampling parameters for every model.
  const isAllowed = version === '2023-06-01' || (version === '2026-10-21' && isWhole && !('temperature' in body))
  return isWhole && isAllowed ? undefined : [400, 'invalid_request_error']
}
