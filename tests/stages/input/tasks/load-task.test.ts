import { expect, test } from 'vitest'
import { PipelineError } from '../../../../base/errors/errors.js'
import { loadStoredFunctions } from '../../../../cache/code/stored-code.js'
import type { StoredScoring } from '../../../../cache/records.js'
import { prepareTask } from '../../../../stages/input/prepare-task.js'
import { loadTask, type CheckScoring } from '../../../../stages/input/tasks/load-task.js'
import { overrideKeys } from '../../../../stages/input/tasks/override-keys.js'
import { validateTaskFolder } from '../../../../stages/input/tasks/validate-folder.js'
import { temporaryFolder } from '../temp-folder.js'

const folder = temporaryFolder()
const options = () => ({ cacheDir: folder.path('cache') })

const minimal = `task: mytask
dataset_path: ./questions.jsonl
doc_to_text: "{{question}}\\nAnswer with one word."
doc_to_target: answer
`

async function problemsOf(yaml: string): Promise<readonly string[]> {
  const file = await folder.write('mytask/mytask.yaml', yaml)
  try {
    await loadTask(file, options())
    return []
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    return error.problems.map(problem => problem.replace(`${folder.path()}/`, ''))
  }
}

test('a task of five lines gets the defaults', async () => {
  const task = await loadTask(await folder.write('t.yaml', minimal), options())
  expect(task.name).toBe('mytask')
  expect(task.config).toMatchObject({ output_type: 'generate_until', repeats: 1, target_delimiter: ' ' })
})

test('reports all mistakes of a file at once, with line, column and the nearest name', async () => {
  expect(await problemsOf(`${minimal}doc_to_txt: x\nrepeats: often\nmetric_list:\n  - metrik: acc\n`)).toEqual([
    'mytask/mytask.yaml:5:1  doc_to_txt: no such key. Did you mean "doc_to_text"?',
    'mytask/mytask.yaml:6:10  repeats: expected a whole number from 1, given the text "often"',
    'mytask/mytask.yaml:8:5  metric_list.0.metric: is missing: expected text or !function',
  ])
})

test('lists the exported functions if a function is not exported', async () => {
  await folder.write('mytask/utils.ts', 'export const scoreAnswer = () => ({})\nexport const target = () => 1')
  expect(await problemsOf(`${minimal}process_results: !function utils.score\n`)).toEqual([
    'mytask/mytask.yaml:5:18  !function utils.score: utils.ts exports no "score" (it exports scoreAnswer, target).',
  ])
  expect(await problemsOf(`${minimal}process_results: !function helpers.score\n`)).toEqual([
    'mytask/mytask.yaml:5:18  !function helpers.score: no file helpers.ts or helpers.py beside it',
  ])
})

test('rejects a function where only data is allowed, and says what is allowed', async () => {
  await folder.write('mytask/utils.ts', 'export const features = () => ({})')
  expect(await problemsOf(`${minimal}dataset_kwargs: {features: !function utils.features}\n`)).toEqual([
    'mytask/mytask.yaml:5:28  dataset_kwargs.features: expected a text, a number, true, false, a list, or keys and values, given !function utils.features',
  ])
})

test('reports the position of a template that cannot be parsed', async () => {
  const [problem] = await problemsOf(minimal.replace('{{question}}', '{{question'))
  expect(problem).toMatch(/^mytask\/mytask\.yaml:3:14 {2}doc_to_text: /)
})

test('an unsupported filter is reported with its position, an alternative and the supported filters', async () => {
  const [problem] = await problemsOf(minimal.replace('{{question}}', '{{question | wordwrap(60)}}'))
  expect(problem).toMatch(
    /^mytask\/mytask\.yaml:3:14 {2}doc_to_text: the filter "wordwrap" is not supported: .*!function\. Supported filters: abs, /,
  )
})

test('reports broken YAML and unknown tags with line and column', async () => {
  expect((await problemsOf(`${minimal}repeats: [1\n`))[0]).toMatch(/^mytask\/mytask\.yaml:6:1 {2}/)
  expect((await problemsOf(`${minimal}repeats: !wrong 1\n`))[0]).toMatch(/^mytask\/mytask\.yaml:5:10 {2}.*!wrong/)
  expect((await problemsOf(`${minimal}task: again\n`))[0]).toMatch(/^mytask\/mytask\.yaml:5:1 {2}/)
})

test('needs no split if the dataset is one file of rows, in any format', async () => {
  for (const file of ['a.feather', 'a.txt', 'a.jsonl.gz', 'a.geoparquet', 'a.tsv'])
    expect(await problemsOf(minimal.replace('questions.jsonl', file))).toEqual([])
  expect(await problemsOf(minimal.replace('questions.jsonl', 'pictures'))).toEqual([
    'mytask/mytask.yaml:1:1  test_split: missing (or validation_split), so nothing says which split is evaluated',
  ])
})

test.each(['q.xlsx', 't.yaml', 'rows.sqlite', 'rows.csv.bz2'])('leaves it to the reader to refuse ./%s', async file => {
  expect(await problemsOf(minimal.replace('questions.jsonl', file))).toEqual([])
})

test('asks for missing keys that a task needs', async () => {
  expect(await problemsOf('task: t\ndoc_to_text: q\n')).toEqual(['mytask/mytask.yaml:1:1  dataset_path: missing'])
  expect(await problemsOf(`${minimal}output_type: multiple_choice\n`)).toEqual([
    'mytask/mytask.yaml:1:1  doc_to_choice: missing, which multiple_choice needs',
  ])
})

test('reads y and n as texts, and rejects unquoted yes and no as choices', async () => {
  const file = await folder.write('t.yaml', `${minimal}output_type: multiple_choice\ndoc_to_choice: [y, n]\n`)
  expect((await loadTask(file, options())).config.doc_to_choice).toEqual(['y', 'n'])
  expect((await problemsOf(`${minimal}output_type: multiple_choice\ndoc_to_choice: [yes, no]\n`))[0]).toMatch(
    /quote yes, no/,
  )
})

test('own keys override includes, earlier includes override later ones, and functions are resolved beside their file', async () => {
  await folder.write('shared/utils.ts', "export const prompt = () => 'shared'")
  await folder.write('shared/base', 'doc_to_text: !function utils.prompt\nrepeats: 2\ntarget_delimiter: "-"\n')
  await folder.write('other', 'repeats: 3\noutput_type: loglikelihood\n')
  const yaml =
    'task: t\ndataset_path: d.jsonl\ndoc_to_target: a\ninclude: [shared/base, other]\ntarget_delimiter: "+"\n'
  const task = await loadTask(await folder.write('t.yaml', yaml), options())
  expect(task.config).toMatchObject({ repeats: 2, output_type: 'loglikelihood', target_delimiter: '+' })
  expect(Object.keys(task.closure)).toEqual(['shared/utils.ts'])
})

test('accepts a function at an ignored key, as lm-evaluation-harness does', async () => {
  await folder.write('utils.ts', "export const query = () => 'q'")
  const yaml = `${minimal}doc_to_decontamination_query: !function utils.query\nshould_decontaminate: true\n`
  const { config } = await loadTask(await folder.write('t.yaml', yaml), options())
  expect(config.should_decontaminate).toBe(true)
})

test('resolves a path beside the file that contains it', async () => {
  await folder.write('mytask/shared/base', 'dataset_path: json\ndoc_to_target: a\ndoc_to_text: b\n')
  const own = 'task: t\ninclude: shared/base\ndataset_kwargs: {data_files: ./d.jsonl, media_root: ./pictures}\n'
  const task = await loadTask(await folder.write('mytask/own.yaml', own), options())
  expect(task.kwargsFolder).toBe(folder.path('mytask'))
  await folder.write('mytask/d.jsonl', '{"a": "1", "b": "2"}\n')
  const { dataset } = await prepareTask(task)
  expect(dataset.columns.map(({ name }) => name)).toEqual(['a', 'b'])
})

const splits = 'test_split: test\nvalidation_split: dev\n'
const withParity = `${minimal}${splits}parity:\n  lmms-eval: {test_split: dev, doc_to_text: other}\n`

test('keys of parity replace the keys of the file only with that parity', async () => {
  const file = await folder.write('mytask/mytask.yaml', withParity)
  const base = await folder.write('mytask/base.yaml', `include: mytask.yaml\ntask: mytask\n`)
  for (const path of [file, base]) {
    expect((await loadTask(path, options())).config).toMatchObject({ test_split: 'test' })
    const { config } = await loadTask(path, { ...options(), parity: 'lmms-eval' })
    expect(config).toMatchObject({ test_split: 'dev', doc_to_text: 'other', validation_split: 'dev' })
  }
})

test('a task is identified by the keys that hold, and not by the keys that a parity would replace', async () => {
  const keyOf = async (text: string, parity?: 'lmms-eval'): Promise<string> =>
    (await loadTask(await folder.write('mytask/mytask.yaml', text), { ...options(), parity })).identity.key
  const plain = await keyOf(`${minimal}${splits}`)
  expect(await keyOf(withParity)).toBe(plain)
  expect(await keyOf(`${minimal}${splits}`, 'lmms-eval')).toBe(plain)
  const replaced = `${minimal}${splits}`
    .replace('test_split: test', 'test_split: dev')
    .replace(/doc_to_text: .*/, 'doc_to_text: other')
  expect(await keyOf(withParity, 'lmms-eval')).toBe(await keyOf(replaced))
  expect(await keyOf(replaced)).not.toBe(plain)
})

test('overrides take precedence over the keys of a parity', async () => {
  const file = await folder.write('mytask/mytask.yaml', withParity)
  const [source] = overrideKeys([{ name: 'mytask', layers: [file] }], { mytask: { test_split: 'train' } })
  const { config } = await loadTask(source?.layers ?? [], { ...options(), parity: 'lmms-eval' })
  expect(config).toMatchObject({ test_split: 'train', doc_to_text: 'other' })
})

test('rejects keys of parity that are no keys of docs or prompts, unknown programs and missing functions', async () => {
  await folder.write('mytask/utils.ts', 'export const score = () => ({})')
  const parity = (text: string): Promise<readonly string[]> => problemsOf(`${minimal}parity: ${text}\n`)
  expect(await parity('{lmms-eval: {metric_list: []}}')).toEqual([
    expect.stringMatching(/^mytask\/mytask\.yaml:5:22 {2}parity\.lmms-eval\.metric_list: no such key\./),
  ])
  expect(await parity('{lmms_eval: {test_split: a}}')).toEqual([
    expect.stringMatching(/^mytask\/mytask\.yaml:5:10 {2}parity\.lmms_eval: no such key\. Did you mean "lmms-eval"\?/),
  ])
  expect(await parity('{lmms-eval: {test_split: 3}}')).toEqual([
    expect.stringMatching(
      /^mytask\/mytask\.yaml:5:34 {2}parity\.lmms-eval\.test_split: expected a text, given the number 3$/,
    ),
  ])
  expect(await parity('{lmms-eval: {process_docs: !function utils.none}}')).toEqual([
    expect.stringContaining('utils.ts exports no "none"'),
  ])
})

test.each([
  ['a list', '[]'],
  ['keys with texts', '{}'],
])('rejects choices that are %s without an entry', async (_, choices) => {
  expect(await problemsOf(`${minimal}output_type: multiple_choice\ndoc_to_choice: ${choices}\n`)).toEqual([
    expect.stringMatching(
      /^mytask\/mytask\.yaml:6:16 {2}doc_to_choice: expected a column, a template, a list of texts/,
    ),
  ])
})

test('rejects an include that is circular or missing', async () => {
  await folder.write('mytask/a', 'include: b\n')
  await folder.write('mytask/b', 'include: a\n')
  expect((await problemsOf(`${minimal}include: a\n`))[0]).toMatch(
    /^mytask\/b:1:10 {2}include goes in a circle: .*a → .*b → .*a$/,
  )
  expect(await problemsOf(`${minimal}include: nowhere\n`)).toEqual([
    'mytask/mytask.yaml:5:10  include: no file nowhere beside it',
  ])
})

test('the identity of a task is the same in every folder, and changes with YAML or code', async () => {
  const yaml = `${minimal}process_results: !function utils.score\n`
  const keyIn = async (place: string, text: string, code: string) => {
    await folder.write(`${place}/utils.ts`, code)
    return (await loadTask(await folder.write(`${place}/t.yaml`, text), options())).identity.key
  }
  const code = 'export const score = () => ({ a: 1 })'
  const key = await keyIn('one', yaml, code)
  expect(await keyIn('two/deep', yaml, code)).toBe(key)
  expect(await keyIn('three', `# a remark\n${yaml}`, code)).toBe(key)
  expect(await keyIn('four', yaml.replace('one', 'two'), code)).not.toBe(key)
  expect(await keyIn('five', yaml, code.replace('1', '2'))).not.toBe(key)
})

test('the scoring rules of a task can be used without its folder', async () => {
  await folder.write('one.ts', 'export const one = 1')
  await folder.write('utils.ts', "import { one } from './one.js'\nexport const score = () => ({ hits: one })")
  const yaml = `${minimal}process_results: !function utils.score\nbreakdown: type\n`
  const { scoring } = await loadTask(await folder.write('t.yaml', yaml), options())
  const carried = JSON.parse(JSON.stringify(scoring)) as typeof scoring & Parameters<typeof loadStoredFunctions>[0]
  expect(carried).toMatchObject({ output_type: 'generate_until', config: { breakdown: ['type'] } })
  const functions = await loadStoredFunctions(carried, { cacheDir: folder.path('elsewhere') })
  expect(functions['!function utils.score']?.()).toEqual({ hits: 1 })
})

test('validating a folder reports the problems of each task', async () => {
  await folder.write('set/good.yaml', minimal)
  await folder.write('set/bad.yaml', `${minimal.replace('mytask', 'other')}repeats: 0\n`)
  const { files, tasks, problems } = await validateTaskFolder(folder.path('set'), options())
  expect([files, tasks.map(task => task.name), problems.length]).toEqual([2, ['mytask'], 1])
})

test('checks rules even if code that other rules name is missing', async () => {
  await folder.write('mytask/utils.ts', 'export const score = () => ({})')
  const file = await folder.write(
    'mytask/mytask.yaml',
    `${minimal}filter_list: [{name: f, filter: [{function: !function utils.shout}, {function: lowercas}]}]\nmetric_list: [{metric: !function gone.near}]\n`,
  )
  const asked: StoredScoring[] = []
  const checkScoring: CheckScoring = async (scoring, at) => {
    asked.push(scoring)
    await loadStoredFunctions(scoring, options())
    return [`${at(['filter_list', 0, 'filter', 1, 'function'])}  no such filter`]
  }
  await expect(loadTask(file, { ...options(), checkScoring })).rejects.toMatchObject({
    problems: [
      expect.stringMatching(/:5:4\d {2}!function utils\.shout: utils\.ts exports no "shout"/),
      expect.stringMatching(/:5:8\d {2}no such filter/),
      expect.stringMatching(/:6:\d+ {2}!function gone\.near: no file gone\.ts or gone\.py beside it/),
    ],
  })
  expect(Object.keys(asked[0]?.['functions'] ?? {})).toEqual(['!function gone.near', '!function utils.shout'])
})

test('reports other mistakes of an unreadable file, but not optional keys as missing', async () => {
  expect(
    await problemsOf('task: mytask\ninclude: nowhere\nrepeats: often\nrepeats: 0\noutput_type: generate_untill\n'),
  ).toEqual([
    'mytask/mytask.yaml:2:10  include: no file nowhere beside it',
    'mytask/mytask.yaml:4:1  repeats: this key is given twice',
    'mytask/mytask.yaml:4:10  repeats: expected a whole number from 1, given the number 0',
    expect.stringMatching(
      /:5:14 {2}output_type: expected one of generate_until, .*, given the text "generate_untill"\. Did you mean "generate_until"\?$/,
    ),
  ])
})
