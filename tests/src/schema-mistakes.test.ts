/** Every surface words the mistakes that a schema finds in the same words, which are none of the schema library's. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../base/errors/errors.js'
import { parseManifest } from '../../cache/bundle/manifest.js'
import { parseConfig } from '../../src/config/file/config-file.js'
import { parsePrices } from '../../src/cost/prices.js'
import { scoringProblems } from '../../src/evaluation/tasks/compile-scorer.js'
import { evaluate } from '../../src/index.js'
import { readDatasetKwargs } from '../../stages/input/datasets/dataset-kwargs.js'
import { readGeneration } from '../../stages/input/generation-kwargs.js'
import { loadTask } from '../../stages/input/tasks/load-task.js'
import { affectsOutput } from '../../stages/model/backend-args.js'
import { generationRules } from '../../stages/model/backends/local-models/sampling.js'
import { defineBackend } from '../../stages/model/define-backend.js'
import { parseModelArgs } from '../../stages/model/model-args.js'
import { temporaryFolder } from '../stages/input/temp-folder.js'
import { appScene } from './service/http/scene.js'
import { scene } from './service/mcp/scene.js'

const folder = temporaryFolder()

const foreign =
  /Invalid |Unrecognized|Too (small|big)|\breceived\b|match pattern|[<>]=|to (be|have) [<>\d]|expected (string|number|array|object|boolean|int|record)\b/

const thrown = async (make: () => unknown): Promise<string> => {
  try {
    await make()
  } catch (error) {
    expect(error, messageOf(error)).toBeInstanceOf(PipelineError)
    return (error as PipelineError).message
  }
  throw new Error('nothing was refused')
}

const backend = defineBackend({
  id: 'some',
  summary: 'for tests',
  args: {
    words: affectsOutput(z.array(z.string()).min(2).optional()),
    frames: affectsOutput(z.int().positive().optional()),
    detail: affectsOutput(z.enum(['low', 'high']).optional()),
  },
  accepts: ['text'],
  requests: ['generate_until'],
  code: { files: [] },
  concurrency: 1,
  identify: () => Promise.reject(new Error('not needed')),
  open: () => Promise.reject(new Error('not needed')),
})

const yaml = 'task: bad\ndataset_path: ./d.jsonl\ntest_split: test\ndoc_to_text: q\ndoc_to_target: a\n'

async function ofTask(lines: string): Promise<string> {
  const cacheDir = folder.path('cache')
  const file = await folder.write('bad.yaml', `${yaml}${lines}\n`)
  return thrown(() => loadTask(file, { cacheDir, checkScoring: scoringProblems({ cacheDir, exported: [] }) }))
}

async function ofJob(change: object): Promise<string> {
  const { submit } = await appScene()
  const answer = await submit({ model: 'dummy', tasks: ['mmmu_val'], ...change })
  expect(answer.status).toBe(422)
  return ((await answer.json()) as { readonly detail: string }).detail
}

async function ofTool(change: object): Promise<string> {
  const { agent } = await scene()
  const { isError, text } = await (await agent()).call('evaluate', { model: 'dummy', tasks: ['echoes'], ...change })
  expect(isError).toBe(true)
  return text
}

async function ofProtocol(params: object): Promise<string> {
  const { request } = await appScene()
  const answer = await request('/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  return answer.text()
}

const ofConfig = (text: string) => thrown(() => parseConfig(text, 'c.yaml'))
const ofModel = (args: Readonly<Record<string, unknown>>) => thrown(() => parseModelArgs(backend, args))
const ofKwargs = (given: object) =>
  Promise.resolve(
    readGeneration(given as never)
      .problems.map(({ name, text }) => `${name}: ${text}`)
      .join('\n'),
  )
const ofDataset = (dataset_kwargs: object) =>
  thrown(() => readDatasetKwargs({ config: { dataset_kwargs }, at: () => 't.yaml:1:1' } as never))
const ofOnnx = (given: object) =>
  Promise.resolve().then(() => {
    try {
      generationRules(given as never, { backend: 'onnx_vlm', defaultMaxNewTokens: 16 })
    } catch (error) {
      return messageOf(error)
    }
    throw new Error('nothing was refused')
  })
const ofLibrary = (change: object) =>
  thrown(() => evaluate({ store: folder.path('store'), model: 'dummy', tasks: ['mmmu_val'], ...change }))
const ofMetric = (argument: string, metric = 'exact_match') =>
  ofTask(`repeats: often\nmetric_list:\n  - {metric: ${metric}, ${argument}}`)
const ofPrices = (text: string) => thrown(() => parsePrices(text, 'p.yaml'))

const ofManifest = (change: object) =>
  Promise.resolve().then(() => {
    try {
      parseManifest(JSON.stringify({ format: 'pipeline-run', version: 1, ...change }))
    } catch (error) {
      return messageOf(error)
    }
    throw new Error('nothing was refused')
  })

type Case = readonly [surface: string, mistake: string, told: () => Promise<string>, parts: readonly RegExp[]]

const cases: readonly Case[] = [
  ['configuration file', 'a wrong type', () => ofConfig('limit: ten'), [/limit: expected/, /given the text "ten"/]],
  [
    'configuration file',
    'a wrong entry',
    () => ofConfig('tasks: [a, 3]'),
    [/tasks\.1: expected a text/, /given the number 3/],
  ],
  ['configuration file', 'a small number', () => ofConfig('repeats: 0'), [/repeats: expected/, /given the number 0/]],
  ['configuration file', 'a small list', () => ofConfig('reasoning_tags: [[]]'), [/reasoning_tags/, /given/]],
  ['configuration file', 'a wrong name', () => ofConfig('order: fast'), [/order: expected/, /given the text "fast"/]],
  ['configuration file', 'an unknown key', () => ofConfig('limt: 5'), [/limt: no such key\. Did you mean "limit"/]],
  [
    'configuration file',
    'arguments',
    () => ofConfig('model_args: [api_key=sk-1]'),
    [/model_args: expected/, /given a list/],
  ],
  ['--model-args', 'a wrong type', () => ofModel({ frames: 'many' }), [/"frames": expected a number, given a text/]],
  [
    '--model-args',
    'a small list',
    () => ofModel({ words: ['a'] }),
    [/"words": expected a list of at least 2 entries, given a list/],
  ],
  [
    '--model-args',
    'a small number',
    () => ofModel({ frames: -1 }),
    [/"frames": expected a number of more than 0, given a number/],
  ],
  [
    '--model-args',
    'a wrong name',
    () => ofModel({ detail: 'hihg' }),
    [/"detail": expected one of low, high, given a text\. Did you mean "high"/],
  ],
  [
    '--model-args',
    'an unknown key',
    () => ofModel({ detial: 'low' }),
    [/no argument "detial"\. Did you mean "detail"/],
  ],
  [
    '--gen-kwargs',
    'a wrong type',
    () => ofKwargs({ until: 3 }),
    [/until: expected a text or a list of texts, given the number 3/],
  ],
  [
    '--gen-kwargs',
    'a wrong entry',
    () => ofKwargs({ until: ['a', 3] }),
    [/until: expected a text or a list of texts, given a list/],
  ],
  [
    '--gen-kwargs',
    'a small number',
    () => ofKwargs({ top_p: -1 }),
    [/top_p: expected a number from 0 to 1, given the number -1/],
  ],
  [
    '--gen-kwargs',
    'a huge number',
    () => ofKwargs({ seed: 1e300 }),
    [/seed: expected a whole number, given the number 1e\+300/],
  ],
  [
    '--gen-kwargs',
    'an unknown key',
    () => ofKwargs({ temprature: 1 }),
    [/temprature: no such argument\. Did you mean "temperature"/],
  ],
  [
    'dataset_kwargs',
    'a wrong type',
    () => ofDataset({ header: 'x' }),
    [/dataset_kwargs\.header: expected a whole number, .*, given the text "x"/],
  ],
  [
    'dataset_kwargs',
    'a wrong entry',
    () => ofDataset({ names: ['a', 3] }),
    [/dataset_kwargs\.names\.1: expected a text, given the number 3/],
  ],
  [
    'dataset_kwargs',
    'a small list',
    () => ofDataset({ names: [] }),
    [/dataset_kwargs\.names: expected the names of the columns, given an empty list/],
  ],
  [
    'dataset_kwargs',
    'a small number',
    () => ofDataset({ nrows: -1 }),
    [/dataset_kwargs\.nrows: expected a whole number, 0 or more, given the number -1/],
  ],
  [
    'dataset_kwargs',
    'a long text',
    () => ofDataset({ sep: 'ab' }),
    [/dataset_kwargs\.sep: expected one character, given the text "ab"/],
  ],
  [
    'dataset_kwargs',
    'an unknown key',
    () => ofDataset({ data_fils: 'x' }),
    [/dataset_kwargs\.data_fils: no such key\. Did you mean "data_files"/],
  ],
  [
    'task file',
    'a wrong type',
    () => ofTask('num_fewshot: some'),
    [/num_fewshot: expected a whole number from 0, given the text "some"/],
  ],
  [
    'task file',
    'a wrong entry',
    () => ofTask('breakdown: [a, 3]'),
    [/breakdown\.1: expected a text, given the number 3/],
  ],
  [
    'task file',
    'a small number',
    () => ofTask('repeats: 0'),
    [/repeats: expected a whole number from 1, given the number 0/],
  ],
  [
    'task file',
    'a small list',
    () => ofTask('output_type: multiple_choice\ndoc_to_choice: []'),
    [/doc_to_choice: expected .*, given an empty list/],
  ],
  [
    'task file',
    'a wrong name',
    () => ofTask('output_type: generate_untill'),
    [/output_type: expected one of .*, given the text "generate_untill"\. Did you mean/],
  ],
  [
    'task file',
    'an unknown key',
    () => ofTask('fewshot_config: {sampel: 1}'),
    [/fewshot_config\.sampel: no such key\. Did you mean "sampler"/],
  ],
  [
    'plugin arguments',
    'a wrong type',
    () => ofMetric('ignore_case: often'),
    [/ignore_case: expected true or false, given the text "often"/],
  ],
  [
    'plugin arguments',
    'a wrong name',
    () => ofMetric('normalizer: lowercas', 'wer'),
    [/normalizer: expected one of .*, given the text "lowercas"\. Did you mean "lowercase"/],
  ],
  [
    'plugin arguments',
    'an unknown key',
    () => ofMetric('ignore_cse: true'),
    [/no argument "ignore_cse"\. Did you mean "ignore_case"/],
  ],
  ['onnx_vlm', 'a wrong type', () => ofOnnx({ top_k: 'x' }), [/top_k: expected a number, given the text "x"/]],
  [
    'onnx_vlm',
    'a small number',
    () => ofOnnx({ max_new_tokens: 0 }),
    [/max_new_tokens: expected a number of more than 0, given the number 0/],
  ],
  ['onnx_vlm', 'another value', () => ofOnnx({ num_beams: 4 }), [/num_beams: expected 1, given the number 4/]],
  ['onnx_vlm', 'an unknown key', () => ofOnnx({ seeed: 4 }), [/seeed: no such argument\. Did you mean "seed"/]],
  [
    'HTTP job',
    'a wrong type',
    () => ofJob({ priority: 'high' }),
    [/priority: expected a whole number from -100 to 100.*, given a text/],
  ],
  ['HTTP job', 'a wrong entry', () => ofJob({ labels: { a: 3 } }), [/labels\.a: expected a text, given a number/]],
  ['HTTP job', 'a small list', () => ofJob({ tasks: [] }), [/tasks: expected .*, given an empty list/]],
  ['HTTP job', 'a large number', () => ofJob({ priority: 3000 }), [/priority: expected .*, given a number/]],
  ['HTTP job', 'a wrong name', () => ofJob({ order: 'fast' }), [/order: expected .*, given a text/]],
  ['HTTP job', 'an unknown key', () => ofJob({ limt: 3 }), [/limt: .*no such key\. Did you mean "limit"/]],
  [
    'MCP tool',
    'a wrong type',
    () => ofTool({ wait_timeout_s: 'long' }),
    [/wait_timeout_s: expected a number, given a text/],
  ],
  [
    'MCP tool',
    'a small number',
    () => ofTool({ wait_timeout_s: -1 }),
    [/wait_timeout_s: expected a number of at least 0, given a number/],
  ],
  ['MCP tool', 'a small list', () => ofTool({ tasks: [] }), [/tasks: expected .*, given an empty list/]],
  [
    'MCP tool',
    'a wrong name',
    () => ofTool({ mode: 'snyc' }),
    [/mode: expected one of auto, async, sync, given a text\. Did you mean "sync"/],
  ],
  ['MCP tool', 'an unknown key', () => ofTool({ wait_timeout: 5 }), [/wait_timeout: .*Did you mean "wait_timeout_s"/]],
  ['library', 'a wrong type', () => ofLibrary({ limit: 'ten' }), [/options\.limit: expected .*, given the text "ten"/]],
  [
    'MCP protocol',
    'a wrong type',
    () => ofProtocol({ name: 'evaluate', arguments: 3 }),
    [/params\.arguments: expected an object/],
  ],
  [
    'library',
    'a wrong entry',
    () => ofLibrary({ plugins: [3] }),
    [/options\.plugins\.0: expected a text, given the number 3/],
  ],
  [
    'library',
    'a small list',
    () => ofLibrary({ tasks: [] }),
    [/options\.tasks: expected a list of tasks, given an empty list/],
  ],
  ['library', 'a small number', () => ofLibrary({ repeats: 0 }), [/options\.repeats: expected .*, given the number 0/]],
  [
    'library',
    'a wrong name',
    () => ofLibrary({ order: 'fast' }),
    [/options\.order: expected .*, given the text "fast"/],
  ],
  ['library', 'an unknown key', () => ofLibrary({ limt: 3 }), [/options\.limt: no such option\. Did you mean "limit"/]],
  [
    'library',
    'a secret',
    () => ofLibrary({ modelArgs: 'api_key=sk-1' }),
    [/options\.modelArgs: expected .*, given a text/],
  ],
  [
    'prices',
    'a wrong type',
    () => ofPrices('openai:\n  m: {input: free, output: 1}'),
    [/openai m input: expected a number, given the text "free"/],
  ],
  [
    'prices',
    'an unknown key',
    () => ofPrices('openai:\n  m: {input: 1, output: 1, bach: 1}'),
    [/bach: no such key\. Did you mean "batch"/],
  ],
  [
    'bundle',
    'a wrong type',
    () => ofManifest({ partial: 'yes' }),
    [/partial: expected true or false, given the text "yes"/],
  ],
]

test.each(cases)('%s: words %s plainly', async (_surface, _mistake, told, parts) => {
  const text = await told()
  for (const part of parts) expect(text).toMatch(part)
  expect(text).not.toMatch(foreign)
  expect(text).not.toContain('sk-1')
})

test('only one place words issues of schemas', () => {
  const root = join(import.meta.dirname, '../..')
  const worded =
    /\b(prettifyError|treeifyError|flattenError|formatError)\b|error\??\.issues\)?\.?(map|\[0\])|issue\.message|issues\[0\]/
  const found = ['base', 'cache', 'stages', 'src', 'tasks'].flatMap(part =>
    readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
      .filter(file => /\.tsx?$/.test(file) && !file.startsWith('errors/'))
      .filter(file => worded.test(readFileSync(join(root, part, file), 'utf8')))
      .map(file => `${part}/${file}`),
  )
  // This one only reads where the issues are.
  expect(found).toEqual(['src/service/policy/job-settings.ts'])
})
