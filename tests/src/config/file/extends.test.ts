import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { PipelineError } from '../../../../base/errors/errors.js'
import { readConfigFile } from '../../../../src/config/file/config-file.js'
import { temporaryFolder } from '../../../support/store.js'

let folder = ''
beforeEach(async () => {
  folder = await temporaryFolder()
})

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

const read = (name: string, ...set: readonly string[]) => readConfigFile(join(folder, name), { set })

async function problemsOf(name: string, ...set: readonly string[]): Promise<readonly string[]> {
  try {
    await read(name, ...set)
  } catch (error) {
    if (error instanceof PipelineError) return error.problems.map(problem => problem.replaceAll(`${folder}/`, ''))
    throw error
  }
  return []
}

test('a file inherits the keys of the files it extends, and overrides them', async () => {
  await write({
    'base.yaml': 'model: openai\nmodel-args: {model: small, timeout: 9}\nlimit: 5\ntasks: [mme]\n',
    'middle.yaml': 'extends: base.yaml\nmodel_args: {timeout: 20}\nlimit:\n',
    'top.yaml': 'extends: middle.yaml\ntasks: [pope]\n',
  })
  const [run] = await read('top.yaml')
  expect(run?.config).toEqual({ model: 'openai', model_args: { model: 'small', timeout: 20 }, tasks: ['pope'] })
  const places = ['model', 'tasks'].map(key => run?.at([key]).replace(`${folder}/`, ''))
  expect([...places, run?.at(['model_args', 'timeout']).replace(`${folder}/`, '')]).toEqual([
    'base.yaml:1:8',
    'top.yaml:2:8',
    'middle.yaml:2:23',
  ])
  expect(run?.location).toBe(join(folder, 'top.yaml:1:1'))
})

test('a path is relative to the folder of the file that names it', async () => {
  await write({
    'shared/base.yaml': 'model: openai\nmodel_args: {model: ./weights}\ninclude_path: ./tasks\nstore: ../store\n',
    'work/top.yaml': 'extends: ../shared/base.yaml\ntasks: [./own]\nmodel_args: {cache: ./cache}\n',
  })
  const [run] = await read('work/top.yaml')
  expect(run?.config).toEqual({
    model: 'openai',
    model_args: { model: join(folder, 'shared/weights'), cache: join(folder, 'work/cache') },
    include_path: [join(folder, 'shared/tasks')],
    store: join(folder, 'store'),
    tasks: [join(folder, 'work/own')],
  })
})

test('an experiment may extend an experiment, and is named after its own file', async () => {
  await write({
    'base.yaml': 'models:\n  mini: {model: openai, model_args: "model=small,timeout=9"}\ntasks: mme\n',
    'night.yaml':
      'extends: base.yaml\nmodels:\n  mini: {model_args: {timeout: 20}, include_path: ./own}\n  large: {model: dummy}\n',
  })
  expect((await read('night.yaml')).map(({ config }) => config)).toEqual([
    {
      name: 'night/mini',
      model_name: 'mini',
      model: 'openai',
      model_args: { model: 'small', timeout: 20 },
      include_path: [join(folder, 'own')],
      tasks: ['mme'],
    },
    { name: 'night/large', model_name: 'large', model: 'dummy', tasks: ['mme'] },
  ])
})

test('rejects files that extend each other, with their chain, even by another path', async () => {
  await write({
    'a.yaml': 'extends: b.yaml\n',
    'b.yaml': 'extends: here/a.yaml\n',
    'self.yaml': 'extends: self.yaml\n',
  })
  await symlink('.', join(folder, 'here'))
  expect(await problemsOf('a.yaml')).toEqual([
    'here/a.yaml:1:10  extends: these files extend each other: a.yaml → b.yaml → a.yaml. Take the key out of one of them'.replace(
      'here/a',
      'b',
    ),
  ])
  expect(await problemsOf('self.yaml')).toEqual([
    expect.stringMatching(/^self\.yaml:1:10 {2}extends: these files extend each other: self\.yaml → self\.yaml\./),
  ])
})

test.each([
  ['extends: none.yaml', 'top.yaml:1:10  extends: none.yaml: no such file'],
  ['extends: list.yaml', 'top.yaml:1:10  extends: list.yaml holds a list of runs. Extend a file with one mapping'],
  ['extends: 3', 'top.yaml:1:10  extends: expected the path of a configuration file'],
  ['extends: wrong.yaml', 'wrong.yaml:2:8  limit: expected a whole number'],
])('rejects %s with its position', async (text, message) => {
  await write({
    'top.yaml': `${text}\n`,
    'list.yaml': '- model: a\n- model: b\n',
    'wrong.yaml': 'model: a\nlimit: ten\n',
  })
  expect(await problemsOf('top.yaml')).toEqual([expect.stringContaining(message)])
})

test('--set replaces single keys, in YAML, in every run and in extended files', async () => {
  await write({
    'base.yaml': 'models: {mini: {model: openai, model_args: {model: small, timeout: 9}}}\ntasks: mme\nlimit: 5\n',
    'top.yaml': 'extends: base.yaml\n',
    'list.yaml': '- {model: dummy, tasks: a}\n- {model: dummy, tasks: b, limit: 2}\n',
  })
  const [run] = await read('top.yaml', 'models.mini.model_args.timeout=20', 'tasks=[pope, ./x]', 'limit=')
  expect(run?.config).toEqual({
    name: 'top/mini',
    model_name: 'mini',
    model: 'openai',
    model_args: { model: 'small', timeout: 20 },
    tasks: ['pope', join(process.cwd(), 'x')],
  })
  expect(run?.at(['model_args', 'timeout'])).toBe('--set models.mini.model_args.timeout')
  const listed = await read('list.yaml', 'limit=7', 'override."a.b".doc_to_text={{q}}')
  expect(listed.map(({ config }) => [config.tasks, config.limit, config.override])).toEqual([
    [['a'], 7, { 'a.b': { doc_to_text: '{{q}}' } }],
    [['b'], 7, { 'a.b': { doc_to_text: '{{q}}' } }],
  ])
})

test('--set works without a configuration file', async () => {
  const [run] = await readConfigFile(undefined, { set: ['model=dummy', 'gen-kwargs.temperature=0.5'] })
  expect(run?.config).toEqual({ model: 'dummy', gen_kwargs: { temperature: 0.5 } })
})

test.each([
  ['limt=5', '--set limt  limt: no such key. Did you mean "limit"?'],
  ['limit=five', '--set limit  limit: expected a whole number'],
  ['limit', '--set: expected KEY=VALUE or KEY.KEY=VALUE, given "limit"'],
  ['a..b=1', '--set: expected KEY=VALUE or KEY.KEY=VALUE, given "a..b=1"'],
  ['tasks.0=x', "--set tasks.0: tasks is a list. Give the whole list: --set 'tasks=[…, …]'"],
])('rejects --set %s', async (text, message) => {
  await write({ 'c.yaml': 'model: dummy\ntasks: [a, b]\n' })
  expect(await problemsOf('c.yaml', text)).toEqual([expect.stringContaining(message)])
})
