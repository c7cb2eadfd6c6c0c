import { expect, test } from 'vitest'
import { isSecretName, withoutSecrets } from '../../base/secrets.js'

test.each(['api_key', 'OPENAI_API_KEY', 'hf_token', 'token', 'password', 'default_headers'])(
  '%s holds a secret',
  name => {
    expect(isSecretName(name)).toBe(true)
  },
)

test.each(['model', 'max_tokens', 'keyboard', 'tokenizer', 'monkey'])('%s holds no secret', name => {
  expect(isSecretName(name)).toBe(false)
})

test('a secret is replaced wherever it is, also as part of an address', () => {
  expect(withoutSecrets('a+b/c at ?key=a%2Bb%2Fc', ['a+b/c'])).toBe('*** at ?key=***')
})

test('a secret that looks like a pattern is taken as it is', () => {
  expect(withoutSecrets('abc a.c $&', ['a.c', '$&'])).toBe('abc *** ***')
})

test('an empty secret hides nothing', () => {
  expect(withoutSecrets('abc', [''])).toBe('abc')
})
