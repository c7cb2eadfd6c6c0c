import { expect, test } from 'vitest'
import { PipelineError } from '../../../../base/errors/errors.js'
import { parseConfig } from '../../../../src/config/file/config-file.js'

const text = `models:
  mini: {model: openai, model_args: {model: small}}
  large: {model: openai, model_args: {model: big, base_url: "http://h/v1"}, concurrency: 2}
variants:
  short:
  cot: {system_instruction: Think step by step., gen_kwargs: {max_gen_toks: 512}}
generation:
  greedy: {temperature: 0}
model_args: {timeout: 9}
tasks: [mme, pope]
limit: 5
exclude:
  - {model: large, variant: cot, task: pope}
`

function problemsOf(config: string): readonly string[] {
  try {
    parseConfig(config, '/etc/vqa.yaml')
  } catch (error) {
    if (error instanceof PipelineError) return error.problems
    throw error
  }
  return []
}

test('each model is combined with each variant and each generation setting', () => {
  const runs = parseConfig(text, '/etc/vqa.yaml')
  expect(runs.map(({ cell }) => cell)).toEqual([
    'mini/short/greedy',
    'mini/cot/greedy',
    'large/short/greedy',
    'large/cot/greedy',
  ])
  expect(runs[3]?.config).toEqual({
    name: 'vqa/large/cot/greedy',
    model_name: 'large',
    model: 'openai',
    model_args: { timeout: 9, model: 'big', base_url: 'http://h/v1' },
    concurrency: 2,
    system_instruction: 'Think step by step.',
    gen_kwargs: { temperature: 0, max_gen_toks: 512 },
    tasks: ['mme'],
    limit: 5,
  })
})

test('reports a mistake of several runs once, at its own line', () => {
  const wrong = text.replace('concurrency: 2', 'concurency: 2').replace('limit: 5', 'limit: five')
  expect(problemsOf(wrong)).toEqual([
    expect.stringMatching(/^\/etc\/vqa\.yaml:3:\d+ {2}concurency: no such key\. Did you mean "concurrency"\?$/),
    expect.stringMatching(/^\/etc\/vqa\.yaml:11:8 {2}limit: expected a whole number/),
  ])
})

test('rejects an unknown name in exclude with the nearest name', () => {
  expect(problemsOf(text.replace('task: pope}', 'task: popes}'))).toEqual([
    '/etc/vqa.yaml:13:40  exclude.0.task: the experiment has no task "popes". Did you mean "pope"?',
  ])
})

test('rejects keys of the whole experiment within a model', () => {
  expect(problemsOf(text.replace('concurrency: 2', 'store: other'))).toEqual([
    expect.stringMatching(/^\/etc\/vqa\.yaml:3:\d+ {2}models\.large\.store: is a key of the whole experiment$/),
  ])
  expect(problemsOf('models: {}\ntasks: mme\n')).toEqual(['/etc/vqa.yaml:1:9  models: give at least one'])
})

test('an exclusion without a task removes the combination, and excluding everything is rejected', () => {
  const without = text.replace(', task: pope', '')
  expect(parseConfig(without, '/etc/vqa.yaml').map(({ cell }) => cell)).toEqual([
    'mini/short/greedy',
    'mini/cot/greedy',
    'large/short/greedy',
  ])
  expect(problemsOf('models: {a: {model: dummy}}\ntasks: mme\nexclude: [{model: a}]\n')).toEqual([
    '/etc/vqa.yaml:3:10  exclude: nothing is left of the experiment',
  ])
})
