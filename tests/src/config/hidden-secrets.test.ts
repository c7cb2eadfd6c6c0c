/** Code of users that throws an error with a key in it: the key is in no store, event or error. */
import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { StageEvent } from '../../../cache/events.js'
import type { BatchClient, BatchDraft, BatchResult } from '../../../stages/model/batch/batch-client.js'
import type { ModelRequest } from '../../../stages/model/model.js'
import { evaluate } from '../../../src/evaluation/evaluate.js'
import { hidingBatches } from '../../../src/config/hidden-secrets.js'
import type { EvalSettings } from '../../../src/config/settings.js'
import { rejudge } from '../../../src/rescoring/rejudge.js'
import { previewEvaluation } from '../../../src/preview/preview.js'
import { everythingIn } from '../../support/everything-in.js'
import { hasPython, python } from '../../support/python-pool.js'
import { temporaryFolder } from '../../support/store.js'

const secret = 'sk-very/secret+7f3a9b'
const name = 'HIDDEN_TEST_API_KEY'
// Code of tasks in this process can read it, as it can any variable.
beforeAll(() => void (process.env[name] = secret))
afterAll(() => void Reflect.deleteProperty(process.env, name))

const utils = `
const fail = (): never => { throw new Error('no access with ' + process.env['${name}']) }
export const text = (doc: { q: string }) => doc.q
export const failText = fail
export const failScore = fail
export const score = () => ({ right: 1 })
export const lateScore = async () => { await null; fail() }
export const failMean = fail
export async function* failDocs() { fail() }
export const failFilter = fail
export const failRound = (_doc: unknown, _config: unknown, rounds?: unknown) => (rounds === undefined ? 'Q' : fail())
export const failMedium = () => [{ medium: Buffer.from('x'), edit: fail }]
`

const plugin = `
import { defineBackend, transport } from 'pipeline'
import { z } from 'zod'
const at = (step: string) => {
  if (step === process.env['HIDDEN_TEST_STEP']) throw new Error('refused: Bearer ' + process.env['${name}'])
}
export const broken = defineBackend({
  id: 'broken', summary: 's', accepts: ['text'], requests: ['generate_until'], code: { files: [] },
  args: { max_retries: transport(z.coerce.number().default(0).describe('d')) }, concurrency: 1,
  identify: async () => { at('identify'); return { backend: 'broken', args: {} } },
  open: async () => { at('open'); return { answer: async () => { at('answer'); return { body: { text: 'A', finishReason: 'stop' } } } } },
})
`

interface Case {
  /** Keys of the task instead of its own. */
  readonly keys?: Readonly<Record<string, string>>
  readonly code?: string
  readonly model?: string
  /** What the error or the store says instead of the key. */
  readonly says: string
}

const cases: Readonly<Record<string, Case>> = {
  doc_to_text: { keys: { doc_to_text: '!function utils.failText' }, says: 'no access with ***' },
  process_results: { keys: { process_results: '!function utils.failScore' }, says: 'no access with ***' },
  'an asynchronous process_results': {
    keys: { process_results: '!function utils.lateScore' },
    says: 'no access with ***',
  },
  process_docs: { keys: { process_docs: '!function utils.failDocs' }, says: 'no access with ***' },
  'an aggregation': {
    keys: { metric_list: '[{metric: right, aggregation: !function utils.failMean, higher_is_better: true}]' },
    says: 'no access with ***',
  },
  'a filter': {
    keys: { filter_list: '[{name: f, filter: [{function: !function utils.failFilter}]}]' },
    says: 'no access with ***',
  },
  'a later round': {
    keys: { output_type: 'generate_until_multi_round', doc_to_text: '!function utils.failRound' },
    says: 'no access with ***',
  },
  'a medium of doc_to_visual': { keys: { doc_to_visual: '!function utils.failMedium' }, says: 'no access with ***' },
  'identify of a plugin': { model: 'broken:identify', says: 'refused: Bearer ***' },
  'open of a plugin': { model: 'broken:open', says: 'refused: Bearer ***' },
  'answer of a plugin': { model: 'broken:answer', says: 'refused: Bearer ***' },
}

const never = new AbortController().signal

async function written(given: Case, code: string, file: string) {
  const folder = await temporaryFolder()
  const keys = {
    task: 'hiding',
    dataset_path: './d.jsonl',
    doc_to_text: '!function utils.text',
    doc_to_target: 'q',
    process_results: '!function utils.score',
    metric_list: '[{metric: right, aggregation: mean, higher_is_better: true}]',
    ...given.keys,
  }
  await mkdir(join(folder, 'task'))
  await writeFile(join(folder, 'task', file), code)
  await writeFile(join(folder, 'task', 'd.jsonl'), '{"q":"Q"}\n')
  await writeFile(join(folder, 'plugin.ts'), plugin)
  const yaml = Object.entries(keys).map(([key, value]) => `${key}: ${value}\n`)
  await writeFile(join(folder, 'task', 'task.yaml'), yaml.join(''))
  return folder
}

const settingsIn = (folder: string, model: string, env: Readonly<Record<string, string>> = {}): EvalSettings => ({
  store: join(folder, 'store'),
  env: { ...process.env, ...env },
  includePaths: [],
  plugins: model === 'broken' ? [join(folder, 'plugin.ts')] : [],
  model,
  modelArgs: {},
  tasks: [join(folder, 'task', 'task.yaml')],
  genKwargs: {},
  retryFailed: false,
  newRun: false,
  fresh: false,
  codeKey: 'revision',
  python,
})

/** Everything that an evaluation says: events, its error, and what it wrote. */
async function saidBy(settings: EvalSettings): Promise<string> {
  const events: StageEvent[] = []
  const hooks = { emit: (event: StageEvent) => void events.push(event), drain: never, stop: never }
  const errors: unknown[] = []
  const note = (error: unknown): void => {
    if (!(error instanceof Error)) throw error
    errors.push(error.message, error.stack, String(error.cause))
  }
  await previewEvaluation(settings, hooks).catch(note)
  await evaluate(settings, hooks).catch(note)
  const again = { ...settings, run: 'last', trustBundle: false }
  await rejudge(again, hooks).catch(note)
  const files = await everythingIn(settings.store)
  return [JSON.stringify(events), ...errors, ...files.map(({ bytes }) => bytes.toString('latin1'))].join('\n')
}

test.each(Object.entries(cases))('an error of %s shows no key', async (_name, given) => {
  const [model = 'dummy', step = ''] = given.model?.split(':') ?? []
  process.env['HIDDEN_TEST_STEP'] = step
  const said = await saidBy(settingsIn(await written(given, utils, 'utils.ts'), model))
  Reflect.deleteProperty(process.env, 'HIDDEN_TEST_STEP')
  expect(said).toContain(given.says)
  expect(said).not.toContain(secret)
})

test('a batch client whose provider repeats the key shows no key', async () => {
  const refused = () => Promise.reject(new Error(`refused: ${secret}`))
  class Leaking implements BatchClient {
    readonly address = 'https://example.com/v1'
    measure = refused
    submit = refused
    find = refused
    upload = refused
    status = () => Promise.resolve({ state: 'refused' as const, reason: `unknown key ${secret}`, done: 0, failed: 0 })
    async *results(id: string) {
      yield await Promise.resolve({ id, read: () => assert.fail(`refused: ${secret}`) })
      throw new Error(`cut off: ${secret}`)
    }
    close = () => Promise.resolve()
  }
  const client = hidingBatches(new Leaking(), text => text.replaceAll(secret, '***'))
  const [draft, request] = [{} as BatchDraft, {} as ModelRequest]
  await expect(client.measure({ id: '1', request })).rejects.toThrow('refused: ***')
  await expect(client.upload?.(draft, never)).rejects.toThrow('refused: ***')
  await expect(client.submit(draft, undefined, never)).rejects.toThrow('refused: ***')
  await expect(client.find({ name: 'a', requests: 1, since: 0 }, never)).rejects.toThrow('refused: ***')
  expect(await client.status('1', never)).toMatchObject({ reason: 'unknown key ***' })
  const results = client.results('1', never)[Symbol.asyncIterator]()
  const { value } = (await results.next()) as IteratorYieldResult<BatchResult>
  expect(() => value.read(request)).toThrow('refused: ***')
  await expect(results.next()).rejects.toThrow('cut off: ***')
  expect(client).not.toHaveProperty('discard')
})

describe.skipIf(!hasPython())('in Python (needs python3)', () => {
  const code = `
import os
def text(doc): return doc["q"]
def score(doc, results):
    raise ValueError("no access with " + os.environ.get("${name}", "nothing"))
`

  test('code of tasks does not get the key', async () => {
    const said = await saidBy(settingsIn(await written({ says: '' }, code, 'utils.py'), 'dummy'))
    expect(said).toContain('no access with nothing')
  })

  test('code that gets the key shows it nowhere', async () => {
    const folder = await written({ says: '' }, code, 'utils.py')
    const said = await saidBy(settingsIn(folder, 'dummy', { PIPELINE_PYTHON_ENV: `OTHER, ${name}` }))
    expect(said).toContain('no access with ***')
    expect(said).not.toContain(secret)
  })
})
