import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { command, option, optionsIn, spelled } from '../../../base/errors/option-words.js'
import { commandLine } from '../../../src/cli/command-line-words.js'

test('an option is spelled as whoever reads the message writes it', () => {
  const said = `${option('numFewshot', 5)} and ${option('modelArgs', { model: 'm', seed: 1 })} and ${option('plugins', './p.ts')}`
  expect(spelled(said, commandLine)).toBe('--num-fewshot 5 and --model-args model=m,seed=1 and --plugin ./p.ts')
  const error = new PipelineError('usage', said)
  expect(error.message).toBe('numFewshot: 5 and modelArgs: {"model":"m","seed":1} and plugins: "./p.ts"')
  expect(error.problems).toEqual([error.message])
  expect(error.options).toEqual(['numFewshot', 'modelArgs', 'plugins'])
})

test('a command is spelled with the name of the program', () => {
  const said = `See ${command('cache verify')}, of ${option('store')}, and ${option('store', 'a b')}.`
  expect(spelled(said, commandLine)).toBe('See pipeline cache verify, of --store, and --store a b.')
  expect(new PipelineError('store', said).message).toBe('See the command "cache verify", of store, and store: "a b".')
  expect(optionsIn(said)).toEqual(['store'])
})

test('a text without references stays as it is', () => {
  expect(spelled('100 % = "x" {y}', commandLine)).toBe('100 % = "x" {y}')
  expect(new PipelineError('usage', ['a', 'b']).options).toEqual([])
})
