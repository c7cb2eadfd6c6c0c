import { expect, test } from 'vitest'
import type { StoredScoring } from '../../../cache/records.js'
import { addVariableJudge, describeRetired, namesJudge } from '../../../src/judging/variable-judge.js'

const python = {
  output_type: 'generate_until',
  config: {},
  code: { 'utils.py': { python: { files: {} } } },
} as unknown as StoredScoring
const plain: StoredScoring = { output_type: 'generate_until', config: {} }

function add(env: Readonly<Record<string, string>>, scoring = python, judgeModel?: string) {
  const notes: string[] = []
  const emit = (event: { readonly type: string; readonly text?: string }): void => void notes.push(event.text ?? '')
  const settings = addVariableJudge(judgeModel === undefined ? {} : { judgeModel }, { env, scorings: [scoring], emit })
  return { settings, notes }
}

test.each([
  [{ MODEL_VERSION: 'j' }, { judgeModel: 'openai', judgeArgs: { model: 'j' } }],
  [
    { JUDGE_MODEL_NAME: 'j', JUDGE_API_KEY: 'k', OPENAI_API_URL: 'http://h/v1/chat/completions' },
    { judgeModel: 'openai', judgeArgs: { model: 'j', api_key: 'k', base_url: 'http://h/v1/chat/completions' } },
  ],
  [
    { API_TYPE: 'Azure', MODEL_VERSION: 'j', AZURE_ENDPOINT: 'https://r' },
    { judgeModel: 'azure_openai', judgeArgs: { model: 'j', base_url: 'https://r' } },
  ],
])('the variables %j set the judge of a Python task, with a note', (env, settings) => {
  const found = add(env)
  expect(found.settings).toEqual(settings)
  expect(found.notes).toEqual([expect.stringMatching(/^the judge is \S+ j, which \w+ names/)])
})

test('the variables set no judge for other tasks, with --judge-model, or without a model', () => {
  expect(add({ MODEL_VERSION: 'j' }, plain)).toEqual({ settings: {}, notes: [] })
  expect(add({ MODEL_VERSION: 'j' }, python, 'dummy')).toEqual({ settings: { judgeModel: 'dummy' }, notes: [] })
  expect(add({ API_TYPE: 'openai', OPENAI_API_URL: 'http://h' })).toEqual({ settings: {}, notes: [] })
  expect(namesJudge({}, { MODEL_VERSION: ' ' })).toBe(false)
})

test('rejects an unknown server before work starts', () => {
  expect(() => add({ API_TYPE: 'bedrock', MODEL_VERSION: 'j' })).toThrow(/API_TYPE is bedrock/)
})

test('names a judge that was shut down, but not one of another server', () => {
  const judge = (args: Readonly<Record<string, string>>) => describeRetired({ judgeModel: 'openai', judgeArgs: args })
  expect(judge({ model: 'gpt-4-vision-preview' })).toContain('was shut down on 2024-12-06')
  expect(judge({ model: 'gpt-4-vision-preview', base_url: 'http://h' })).toBeUndefined()
  expect(judge({ model: 'gpt-4o' })).toBeUndefined()
})
