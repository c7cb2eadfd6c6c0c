import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import {
  command,
  option,
  optionsIn,
  programSpelling,
  spellReferences,
  storedText,
} from '../../../base/errors/option-words.js'
import { commandLine, commandLineInJson } from '../../../src/cli/command-line-words.js'

test('spells an option as the reader writes it: as a flag, a key or a field', () => {
  const said = `${option('numFewshot', 5)} and ${option('modelArgs', { model: 'm', seed: 1 })} and ${option('plugins', './p.ts')}`
  expect(spellReferences(said, commandLine)).toBe('--num-fewshot 5 and --model-args model=m,seed=1 and --plugin ./p.ts')
  const error = new PipelineError('usage', said)
  expect(error.message).toBe('numFewshot: 5 and modelArgs: {"model":"m","seed":1} and plugins: "./p.ts"')
  expect(error.problems).toEqual([error.message])
  expect(error.options).toEqual(['numFewshot', 'modelArgs', 'plugins'])
})

test('spells a command with the name of the program', () => {
  const said = `See ${command('cache verify')}, of ${option('store')}, and ${option('store', 'a b')}.`
  expect(spellReferences(said, commandLine)).toBe('See pipeline cache verify, of --store, and --store a b.')
  expect(new PipelineError('store', said).message).toBe('See pipeline cache verify, of store, and store: "a b".')
  expect(optionsIn(said)).toEqual(['store'])
})

test('a text without references stays as it is', () => {
  expect(spellReferences('100 % = "x" {y}', commandLine)).toBe('100 % = "x" {y}')
  expect(new PipelineError('usage', ['a', 'b']).options).toEqual([])
})

test.each([
  [command('resume', ['calm-heron-19c2']), 'pipeline resume calm-heron-19c2', 'resume("calm-heron-19c2")'],
  [command('eval', [], { help: true }), 'pipeline eval --help', 'evaluate()'],
  [command('export'), 'pipeline export', 'exportRun()'],
  [
    command('report', ['last'], { store: '/my runs' }),
    "pipeline report last --store '/my runs'",
    'report("last", {"store":"/my runs"})',
  ],
  [
    command('cache verify', [], { repair: true, store: "it's" }),
    "pipeline cache verify --repair --store 'it'\\''s'",
    "pipeline cache verify --repair --store 'it'\\''s'",
  ],
])('spells a command as typed, or as a call where the library has such a function: %#', (said, typed, called) => {
  expect(spellReferences(said, commandLine)).toBe(typed)
  expect(spellReferences(said, programSpelling)).toBe(called)
})

test('spells a reference inside JSON without breaking the JSON', () => {
  const said = [option('modelArgs', 'a "b"\n\\'), command('cache verify', [], { store: 'a "b"' })]
  expect(JSON.parse(spellReferences(JSON.stringify(said), commandLineInJson))).toEqual(
    said.map(text => spellReferences(text, commandLine)),
  )
})

test('leaves characters of references in values and foreign texts as they are', () => {
  const odd = '\uE0F0x\uE0F1y\uE0F2 "q" \\ \uD800'
  expect(spellReferences(option('store', odd), commandLine)).toBe(`--store ${odd}`)
  for (const foreign of [
    '\uE0F0',
    '\uE0F0store\uE0F1{\uE0F2',
    '\uE0F0\uE0F1%7B%7D\uE0F2',
    '\uE0F0\uE0F1%\uE0F2',
    '\uE0F0\uE0F1\uE0F2',
  ])
    expect(spellReferences(foreign, commandLine)).toBe(foreign)
})

test('removes references from a text that is stored', () => {
  expect(storedText(`without ${option('media')}: ${command('cache verify', [], { repair: true })}`)).toBe(
    'without media: pipeline cache verify --repair',
  )
})
