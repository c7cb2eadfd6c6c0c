import { expect, test } from 'vitest'
import { secretTexts, withoutSecretValues } from '../../../src/config/secrets.js'

const args = {
  model: 'm',
  api_key: 'sk-1',
  apiKey: 'sk-2',
  'hf-token': 'hf-3',
  max_tokens: 5,
  tokenizer: 't',
  headers: { 'X-Team': 'team-4' },
  extra: { nested: [{ secret: 'deep-5' }] },
  base_url: 'https://user:pass-6@host/v1',
}

test('removes secrets at any depth, and keeps values whose names only look secret', () => {
  expect(withoutSecretValues(args)).toEqual({
    model: 'm',
    max_tokens: 5,
    tokenizer: 't',
    extra: { nested: [{}] },
    base_url: 'https://host/v1',
  })
})

test('collects the text of every secret for masking', () => {
  expect(secretTexts(args)).toEqual(['sk-1', 'sk-2', 'hf-3', 'team-4', 'deep-5', 'user:pass-6', 'pass-6'])
})
