import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { refuseSecretTags, refuseStoredSecrets } from '../../../src/config/refused-secrets.js'

const key = 'sk-0123456789abcdef'
const plain = { env: { OPENAI_API_KEY: key, OTHER: 'a value that is no secret' }, modelArgs: {}, genKwargs: {} }

const told = (settings: Partial<Parameters<typeof refuseStoredSecrets>[0]>): readonly string[] => {
  try {
    refuseStoredSecrets({ ...plain, ...settings })
    return []
  } catch (error) {
    if (error instanceof PipelineError) return error.said
    throw error
  }
}

test.each([
  ['note', { note: `OPENAI_API_KEY=${key} pipeline eval` }],
  ['name', { name: key }],
  ['tag', { tag: ['nightly', key] }],
  ['modelName', { modelName: key }],
  ['systemInstruction', { systemInstruction: `You are ${key}.` }],
  ['modelArgs', { modelArgs: { extra_body: { about: [key] } } }],
  ['genKwargs', { genKwargs: { user: key } }],
  ['override', { override: { mme: { description: key } } }],
  ['judgeArgs', { judgeArgs: { extra_body: `{"user":"${key}"}` } }],
])('rejects %s with the value of a secret variable, without showing it', (_name, settings) => {
  const problems = told(settings)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain('holds the value of the variable OPENAI_API_KEY')
  expect(problems[0]).not.toContain(key)
})

test('names every such setting', () => {
  expect(told({ note: key, name: key })).toHaveLength(2)
})

test.each([
  ['an argument that is meant to hold the key', { modelArgs: { api_key: key } }],
  ['a variable that is no secret', { note: plain.env.OTHER }],
  ['a key that may be an ordinary word', { env: { OPENAI_API_KEY: 'not-needed' }, note: 'The key is not-needed.' }],
  ['a run that is resumed', { note: key, resume: { id: { key: 'sha256:0' } as never, name: 'calm-heron' } }],
])('allows %s', (_name, settings) => {
  expect(told(settings)).toEqual([])
})

test('rejects a tag that contains a key', () => {
  const { env } = plain
  expect(() => refuseSecretTags(['nightly', key], env)).toThrow('a tag holds the value of the variable OPENAI_API_KEY')
  expect(() => refuseSecretTags(['nightly'], env)).not.toThrow()
})
