import { expect, test } from 'vitest'
import { evalSettings, surroundings } from '../../../src/config/eval-settings.js'

const flags = { model: 'm', tasks: ['a, b', 'c'] }

test('omits settings that are not given or off', () => {
  expect(evalSettings(flags, {}, {})).toEqual({
    store: '.pipeline',
    env: {},
    includePaths: [],
    plugins: [],
    model: 'm',
    modelArgs: {},
    tasks: ['a', 'b', 'c'],
    genKwargs: {},
    retryFailed: false,
    newRun: false,
    fresh: false,
    codeKey: 'revision',
  })
})

test('a flag overrides the file, and the file overrides the environment', () => {
  const env = { PIPELINE_STORE: 'from-env' }
  expect(surroundings({ store: 'flag' }, { store: 'file' }, env).store).toBe('flag')
  expect(surroundings({}, { store: 'file' }, env).store).toBe('file')
  expect(surroundings({}, {}, env).store).toBe('from-env')
  expect(surroundings({}, {}, { PIPELINE_STORE: '' }).store).toBe('.pipeline')
})

test('merges arguments of command line and file by name', () => {
  const config = { model: 'm', tasks: ['t'], model_args: { model: 'x', dtype: 'fp32' }, gen_kwargs: 'temperature=0' }
  const settings = evalSettings({ modelArgs: ['dtype=int8'], genKwargs: ['max_new_tokens=4'] }, config, {})
  expect(settings.modelArgs).toEqual({ model: 'x', dtype: 'int8' })
  expect(settings.genKwargs).toEqual({ temperature: 0, max_new_tokens: 4 })
})

test('a limit of -1 removes the limit of the file', () => {
  expect(evalSettings(flags, { limit: 5 }, {}).limit).toBe(5)
  expect(evalSettings({ ...flags, limit: -1 }, { limit: 5 }, {})).not.toHaveProperty('limit')
})

test('reports a missing model and missing tasks together', () => {
  expect(() => evalSettings({}, {}, {})).toThrow(/no model is named.*\n.*no task is named/)
})
