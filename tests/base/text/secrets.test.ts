import { expect, test } from 'vitest'
import { isSecretName, secretPaths, secretsIn, withoutSecrets } from '../../../base/text/secrets.js'

test.each([
  'api_key',
  'OPENAI_API_KEY',
  'apiKey',
  'apikeys',
  'X-Api-Key',
  'hf_token',
  'token',
  'password',
  'Authorization',
  'client_secret',
  'Cookie',
  'default_headers',
])('%s counts as a secret', name => {
  expect(isSecretName(name)).toBe(true)
})

test.each(['model', 'max_tokens', 'keyboard', 'tokenizer', 'monkey', 'eos_token', 'think_end_token'])(
  '%s does not count as a secret',
  name => {
    expect(isSecretName(name)).toBe(false)
  },
)

test('finds secrets at any depth by their names, but not among the fields of a schema', () => {
  const value = {
    api_key: 'a',
    nested: [{ headers: { Authorization: 'b', 'X-Team': 'c' } }, { tokens: 3, token: 4, password: '' }],
    schema: { properties: { token: { type: 'string' }, key: { type: 'string' } }, required: ['key'] },
    api_keys: ['d', 'e'],
  }
  expect(secretPaths(value, 'extra')).toEqual([
    'extra.api_key',
    'extra.nested[0].headers.Authorization',
    'extra.api_keys',
  ])
})

test('finds secrets of the environment by their names, and ignores short values', () => {
  expect(secretsIn({ A_KEY: '12345678', B_TOKEN: 'short', C: '12345678', D_KEY: undefined })).toEqual(['12345678'])
})

test('hides a secret everywhere, also within an address', () => {
  expect(withoutSecrets('1a+b/cde at ?key=1a%2Bb%2Fcde', ['1a+b/cde'])).toBe('*** at ?key=***')
})

test.each([
  ['in an address', encodeURIComponent],
  ['in an address with small letters', (text: string) => encodeURIComponent(text).toLowerCase()],
  ['as JSON', (text: string) => JSON.stringify(text)],
  ['as JSON with escaped slashes', (text: string) => JSON.stringify(text).replaceAll('/', '\\/')],
  [
    'as JSON of ASCII letters alone',
    (text: string) => JSON.stringify(text).replace(/[+~>]/g, sign => `\\u00${sign.charCodeAt(0).toString(16)}`),
  ],
  [
    'as JSON with escapes alone',
    (text: string) => text.replace(/[^]/g, sign => `\\u00${sign.charCodeAt(0).toString(16).toUpperCase()}`),
  ],
  ['in base64', (text: string) => Buffer.from(text).toString('base64')],
  ['in base64 for addresses', (text: string) => Buffer.from(text).toString('base64url')],
  ['in base64 after a byte', (text: string) => Buffer.from(`:${text}:`).toString('base64')],
  ['in base64 after two bytes', (text: string) => Buffer.from(`u:${text}`).toString('base64')],
  ['in base64 as a header', (text: string) => Buffer.from(`Bearer ${text}`).toString('base64')],
])('replaces a secret that is encoded %s', (_, write) => {
  const secret = 'sk-very/"small"+~~~???>>>'.toLowerCase()
  const shown = withoutSecrets(`before ${write(secret)} after`, [secret])
  expect(shown).toMatch(/^before .{0,10}\*\*\*.{0,4} after$/)
})

test('does not search for the base64 form of a short secret', () => {
  expect(withoutSecrets('a RU1QVFk= b', ['EMPTY'])).toBe('a RU1QVFk= b')
})

test('matches a secret with regular expression characters literally', () => {
  expect(withoutSecrets('abcdefg1 a.cdefg1 $&$&$&1', ['a.cdefg1', '$&$&$&1'])).toBe('abcdefg1 *** ***')
})

test('an empty secret hides nothing', () => {
  expect(withoutSecrets('abc', [''])).toBe('abc')
})

test.each(['e', 'x', '1', 'http', 'EMPTY', 'ollama', 'server', 'http://', 'key 1', ' e '])(
  'a placeholder such as %j does not spoil the words of a message',
  secret => {
    const message = 'http://127.0.0.1:9/v1: nobody listens there (ECONNREFUSED): is the ollama server running? key 1 e'
    expect(withoutSecrets(message, [secret])).toBe(message)
  },
)

test.each(['hunter2', '12345678', 'correct-horse', 'sk-0123456789abcdef'])('a short password %s is hidden', secret =>
  expect(withoutSecrets(`the password is ${secret}.`, [secret])).toBe('the password is ***.'),
)
