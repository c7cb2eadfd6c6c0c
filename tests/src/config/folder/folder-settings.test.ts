import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { PipelineError } from '../../../../base/errors/errors.js'
import { readConfigFile } from '../../../../src/config/file/config-file.js'
import { readFolderSettings } from '../../../../src/config/folder/folder-settings.js'
import { temporaryFolder } from '../../../support/store.js'

let folder = ''
beforeEach(async () => {
  folder = await temporaryFolder()
})

const defaults = `store: ./answers
models:
  mini: {model: openai, model_args: {model: small, timeout: 9}, concurrency: 2}
  large: {model: vllm, model_args: {model: ./weights}}
model: mini
judge_model: large
judge_args: {timeout: 60}
include-path: ./own
`

const write = (name: string, text: string): Promise<void> => writeFile(join(folder, name), text)

async function readDefaults(text = defaults) {
  await write('pipeline.yaml', text)
  const settings = await readFolderSettings(folder, {})
  if (settings.defaults === undefined) throw new Error('the folder has no defaults')
  return settings.defaults
}

async function problemsOf(text: string): Promise<readonly string[]> {
  try {
    await readDefaults(text)
  } catch (error) {
    if (error instanceof PipelineError) return error.problems
    throw error
  }
  return []
}

test('a folder without files sets nothing and prints nothing', async () => {
  await mkdir(join(folder, '.env'))
  expect(await readFolderSettings(folder, {})).toEqual({ variables: {}, notes: [] })
})

test('variables of the shell override .env, and .env overrides pipeline.yaml', async () => {
  await write('pipeline.yaml', 'store: ./answers\npython: ./venv/bin/python\n')
  await write(
    '.env',
    '\uFEFFexport KEY="a b # c"\r\nGIVEN=file\r\nEMPTY=\nEMPTY_IN_SHELL=x\nPIPELINE_PYTHON=python3.13\n',
  )
  const { variables, notes } = await readFolderSettings(folder, { GIVEN: 'shell', EMPTY_IN_SHELL: '' })
  expect(variables).toEqual({
    KEY: 'a b # c',
    PIPELINE_PYTHON: 'python3.13',
    PIPELINE_STORE: join(folder, 'answers'),
  })
  expect(notes).toEqual(['defaults of this folder: pipeline.yaml (store, python), .env (2 variables)'])
  expect((await readFolderSettings(folder, { PIPELINE_STORE: '/s' })).variables).not.toHaveProperty('PIPELINE_STORE')
})

test('a run without a model uses the model and the judge of the folder', async () => {
  const [run] = await readConfigFile(undefined, { folder: await readDefaults(), set: ['tasks=mme'] })
  expect(run?.config).toEqual({
    model: 'openai',
    model_args: { model: 'small', timeout: 9 },
    model_name: 'mini',
    concurrency: 2,
    judge_model: 'vllm',
    judge_args: { model: './weights', timeout: 60 },
    include_path: [join(folder, 'own')],
    tasks: ['mme'],
  })
  expect(run?.at(['model_args', 'timeout'])).toBe('pipeline.yaml:3:61')
})

test('--model with a name of the folder overrides the model of the file; other models get none of its arguments', async () => {
  await write('c.yaml', 'model: openai\nmodel_args: {model: other}\ntasks: mme\njudge_model: dummy\n')
  const sources = { folder: await readDefaults() }
  const configured = async (flags: object) =>
    (await readConfigFile(join(folder, 'c.yaml'), { ...sources, ...flags }))[0]
  expect((await configured({}))?.config).toEqual({
    model: 'openai',
    model_args: { model: 'other' },
    judge_model: 'dummy',
    include_path: [join(folder, 'own')],
    tasks: ['mme'],
  })
  expect((await configured({ model: 'large', judgeModel: 'mini' }))?.config).toMatchObject({
    model: 'vllm',
    model_args: { model: join(folder, 'weights') },
    model_name: 'large',
    judge_model: 'openai',
    judge_args: { model: 'small', timeout: 9 },
  })
  const [line] = await readConfigFile(undefined, { ...sources, model: 'dummy' })
  expect(line?.config).not.toHaveProperty('model_args')
})

test('an experiment may name models of the folder and override some of their keys', async () => {
  const folderDefaults = await readDefaults()
  await write('e.yaml', 'models: [large, mini]\ntasks: mme\n')
  const read = async (name: string) => readConfigFile(join(folder, name), { folder: folderDefaults })
  expect((await read('e.yaml')).map(({ config }) => [config.name, config.model, config.model_args])).toEqual([
    ['e/large', 'vllm', { model: join(folder, 'weights') }],
    ['e/mini', 'openai', { model: 'small', timeout: 9 }],
  ])
  await write('m.yaml', 'models:\n  own: {model: dummy}\n  mini: {model_args: {timeout: 1}}\n  large:\ntasks: mme\n')
  expect((await read('m.yaml')).map(({ config }) => [config.name, config.model, config.model_args])).toEqual([
    ['m/own', 'dummy', undefined],
    ['m/mini', 'openai', { model: 'small', timeout: 1 }],
    ['m/large', 'vllm', { model: join(folder, 'weights') }],
  ])
  await write('w.yaml', 'models: [larg]\ntasks: mme\n')
  await expect(read('w.yaml')).rejects.toThrow(
    'w.yaml:1:10  models.0: pipeline.yaml has no model "larg". Did you mean "large"?',
  )
})

test.each([
  ['store: ./a\nlimit: 5', 'pipeline.yaml:2:1  limit: is no default of a folder. Write it into a configuration file'],
  ['models: {a: openai}', 'pipeline.yaml:1:13  models.a: expected the keys of a model'],
  ['models: {a: {model: m, limitt: 1}}', 'pipeline.yaml:1:32  limitt: no such key. Did you mean "limit"?'],
  ['models: [a]', 'pipeline.yaml:1:9  models: expected names, each with the keys of a model'],
  ['store: [1]', 'pipeline.yaml:1:8  store: expected a folder'],
])('rejects %j with its position', async (text, message) => {
  expect(await problemsOf(text)).toEqual([expect.stringContaining(message)])
})

test('ignores a file of that name from another tool, with a note', async () => {
  await write('pipeline.yaml', 'trigger: [main]\nsteps:\n  - script: make\n---\nkind: other\n')
  const { notes, defaults: found } = await readFolderSettings(folder, {})
  expect(found).toBeUndefined()
  expect(notes).toEqual([expect.stringContaining('pipeline.yaml is ignored: it has no key of this program')])
})
