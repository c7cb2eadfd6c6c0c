import { expect, test } from 'vitest'
import { AttemptError } from '../../../../../../stages/model/model.js'
import { connectionFailure, type Phase } from '../../../../../../stages/model/backends/http/wire/connection-failure.js'

const endpoint = {
  backend: 'openai',
  origin: 'https://api.example',
  path: '/v1',
  apiKey: 'sk-very-secret',
  keyVariable: 'OPENAI_API_KEY',
}

const coded = (code: string, message = 'it broke') => Object.assign(new Error(message), { code })

const cases: readonly (readonly [code: string, phase: Phase, class_: string, isRetryable: boolean, words: RegExp])[] = [
  ['ECONNREFUSED', 'connecting', 'server', true, /nobody listens there/],
  ['ENOTFOUND', 'connecting', 'server', true, /nobody knows this host/],
  ['EAI_AGAIN', 'connecting', 'server', true, /cannot be looked up now/],
  ['EHOSTUNREACH', 'connecting', 'server', true, /cannot be reached/],
  ['ENETUNREACH', 'connecting', 'server', true, /network of the host/],
  ['UND_ERR_CONNECT_TIMEOUT', 'connecting', 'timeout', true, /no connection within 10 s/],
  ['ETIMEDOUT', 'waiting', 'timeout', true, /lost without a message/],
  ['ECONNRESET', 'sending', 'server', true, /while the request was being sent; it may be too large/],
  ['EPIPE', 'sending', 'server', true, /while the request was being sent/],
  ['ECONNRESET', 'waiting', 'server', true, /before its answer/],
  ['UND_ERR_SOCKET', 'receiving', 'server', true, /amid its answer/],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'receiving', 'server', true, /shorter or longer than its content-length/],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', 'receiving', 'server', true, /larger than 64 MB/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'connecting', 'server', false, /is it http:\/\/ and not https:\/\/\?/],
  ['EPROTO', 'connecting', 'server', false, /speaks no TLS/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'connecting', 'server', false, /NODE_EXTRA_CA_CERTS/],
  ['CERT_HAS_EXPIRED', 'connecting', 'server', false, /certificate is not trusted/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'connecting', 'server', false, /use the name that it is for/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'connecting', 'server', false, /certificate is not trusted/],
  ['EWHATEVER', 'waiting', 'server', true, /: it broke$/],
]

test.each(cases)('%s while %s is %s, retried: %s', (code, phase, name, isRetryable, words) => {
  const failure = connectionFailure(coded(code), endpoint, phase)
  expect([failure.class, failure.isRetryable]).toEqual([name, isRetryable])
  expect(failure.message).toMatch(/^https:\/\/api\.example\/v1: /)
  expect(failure.message).toMatch(words)
})

test('returns an AttemptError unchanged', () => {
  const known = new AttemptError('media', 'damaged', { isRetryable: false })
  expect(connectionFailure(known, endpoint, 'sending')).toBe(known)
})

test('describes an error without a message by its code, and never shows the key', () => {
  expect(connectionFailure(coded('EWHATEVER', ''), endpoint, 'waiting').message).toContain('EWHATEVER')
  expect(connectionFailure(new Error('no sk-very-secret here'), endpoint, 'waiting').message).toContain('no *** here')
})

test.each([
  ['ECONNREFUSED', 'connecting', /the proxy http:\/\/proxy:3128 \(HTTP_PROXY\) does not answer.*nobody listens there/],
  ['ENOTFOUND', 'connecting', /the proxy http:\/\/proxy:3128 \(HTTP_PROXY\) does not answer.*nobody knows its host/],
  ['EHOSTUNREACH', 'sending', /does not answer, so the server was not asked/],
  ['ECONNRESET', 'connecting', /does not answer.*NO_PROXY=api\.example or proxy=none/],
  ['ECONNRESET', 'receiving', /the server closed the connection amid its answer/],
] as const)('names the proxy that was dialled: %s while %s', (code, phase, words) => {
  const proxy = { origin: 'http://proxy:3128', source: 'HTTP_PROXY', secrets: [] }
  const failure = connectionFailure(coded(code), { ...endpoint, proxy }, phase)
  expect(failure.message).toMatch(words)
  expect(failure.message).not.toContain('is the server running')
})
