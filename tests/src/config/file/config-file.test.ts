import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PipelineError } from '../../../../base/errors/errors.js'
import { parseConfig, readConfigFile } from '../../../../src/config/file/config-file.js'
import { evalSettings } from '../../../../src/config/eval-settings.js'
import { configSchema } from '../../../../src/config/file/config-schema.js'

function problemsOf(text: string): readonly string[] {
  try {
    parseConfig(text, '/etc/c.yaml')
  } catch (error) {
    if (error instanceof PipelineError) return error.problems
    throw error
  }
  return []
}

const only = (text: string, path: string): unknown => {
  const runs = parseConfig(text, path)
  expect(runs).toHaveLength(1)
  return runs[0]!.config
}

test('keys are flags with underscores or dashes, and a single text becomes a list', () => {
  expect(only('model: m\ntasks: a,b\nretry-failed: true\nlimit: -1', '/etc/c.yaml')).toEqual({
    model: 'm',
    tasks: ['a,b'],
    retry_failed: true,
    limit: -1,
  })
})

test('reports all mistakes at once, in order of lines, with position and nearest key', () => {
  expect(problemsOf('modl: m\nlimit: ten\ntasks:\n  - a\n  - 3\nnew-run: maybe\ncode_key: fils')).toEqual([
    '/etc/c.yaml:1:1  modl: no such key. Did you mean "model"?',
    '/etc/c.yaml:2:8  limit: expected a whole number of docs, a share between 0 and 1, -1 for all, or these by task, given the text "ten"',
    '/etc/c.yaml:5:5  tasks.1: expected a text, given the number 3 (tasks: a task, or a list of tasks)',
    '/etc/c.yaml:6:10  new-run: expected true or false, given the text "maybe"',
    '/etc/c.yaml:7:11  code_key: expected "revision", "files" or "commit", given the text "fils". Did you mean "files"?',
  ])
})

test('a list of mappings is a list of runs, which may share keys', () => {
  const text = '- &all\n  model: m\n  tasks: a\n- <<: *all\n  tasks: [b, ./c]\n- *all\n'
  expect(parseConfig(text, '/etc/c.yaml')).toMatchObject([
    { config: { model: 'm', tasks: ['a'] }, location: '/etc/c.yaml:2:3' },
    { config: { model: 'm', tasks: ['b', '/etc/c'] }, location: '/etc/c.yaml:4:3' },
    { config: { model: 'm', tasks: ['a'] }, location: '/etc/c.yaml:2:3' },
  ])
})

test('reports mistakes in all runs of a list at once', () => {
  expect(problemsOf('- modl: m\n- model: m\n  limit: ten\n- tasks:\n    - a\n    - 3\n')).toEqual([
    '/etc/c.yaml:1:3  modl: no such key. Did you mean "model"?',
    expect.stringMatching(/^\/etc\/c\.yaml:3:10 {2}limit: expected .* given the text "ten"$/),
    '/etc/c.yaml:6:7  tasks.1: expected a text, given the number 3 (tasks: a task, or a list of tasks)',
  ])
})

test.each([
  ['7', 7],
  ['"0,1234,1234,42"', 42],
  ['[0, 1234, 1234, 42]', 42],
  ['[0, None, null, 42]', 42],
  ['[0, 1234, 1234, null]', undefined],
  ['0,1234,1234', undefined],
])('of seed: %s, uses that of few-shot examples, as with the flag', (seed, expected) => {
  const { config } = parseConfig(`model: m\ntasks: t\nseed: ${seed}\n`, '/etc/c.yaml')[0]!
  expect(evalSettings({}, config, {}).fewshotSeed).toBe(expected)
  expect(evalSettings({ seed: 5 }, config, {}).fewshotSeed).toBe(5)
})

test.each(['x', '[1, 2]', '1.5', '{a: 1}'])('rejects seed: %s', seed => {
  expect(problemsOf(`seed: ${seed}`)).toEqual([
    expect.stringMatching(/^\/etc\/c\.yaml:1:7 {2}seed: expected one whole number, or three or four/),
  ])
})

test('max_tokens sets the token limit, unless max_tokens_total is given', () => {
  const settings = (text: string) =>
    evalSettings({}, parseConfig(`model: m\ntasks: t\n${text}`, 'c.yaml')[0]!.config, {})
  expect(settings('max_tokens: 5').maxTokensTotal).toBe(5)
  expect(settings('max_tokens: 5\nmax_tokens_total: 7').maxTokensTotal).toBe(7)
})

test('a key in both spellings is a duplicate', () => {
  expect(problemsOf('new_run: true\nnew-run: true')).toEqual(['/etc/c.yaml:2:1  new-run: is given twice'])
})

test.each([
  ['- a', '/etc/c.yaml:1:3  each run of a list is a mapping, one "key: value" a line'],
  ['[]', '/etc/c.yaml:1:1  expected a mapping, one "key: value" a line'],
  ['', '/etc/c.yaml:1:1  expected a mapping, one "key: value" a line'],
  ['model: a\nmodel: b', '/etc/c.yaml:2:1  model: this key is given twice'],
])('rejects %j with its position', (text, message) => {
  expect(problemsOf(text)).toEqual([message])
})

test('a path with ./ is relative to the file, and any other to the working directory', () => {
  const text =
    'model_args: {model: ./m, name: m, size: 3}\ntasks: [./t, u]\nstore: ../s\nplugin: ./p.ts\ninclude_path: own'
  expect(only(text, '/etc/sub/c.yaml')).toEqual({
    model_args: { model: '/etc/sub/m', name: 'm', size: 3 },
    tasks: ['/etc/sub/t', 'u'],
    store: '/etc/s',
    plugin: ['/etc/sub/p.ts'],
    include_path: ['own'],
  })
})

test('names a missing file', async () => {
  await expect(readConfigFile('/nowhere/c.yaml')).rejects.toThrow('--config /nowhere/c.yaml: no such file')
})

test('reads a file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'config-'))
  try {
    await writeFile(join(folder, 'c.yaml'), 'model: m')
    expect(await readConfigFile(join(folder, 'c.yaml'))).toMatchObject([{ config: { model: 'm' } }])
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('every key says which values it expects', () => {
  for (const [name, schema] of Object.entries(configSchema.shape)) {
    expect(schema.unwrap().description, name).toMatch(/\w/)
  }
})
