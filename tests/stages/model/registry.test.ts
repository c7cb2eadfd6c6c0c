import { PipelineError } from '../../../base/errors/errors.js'
import { spellReferences } from '../../../base/errors/option-words.js'
import { commandLine } from '../../../src/cli/command-line-words.js'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { affectsOutput, readEffect } from '../../../stages/model/backend-args.js'
import { type AnyBackend, defineBackend } from '../../../stages/model/define-backend.js'
import { findBackend, isBackend, listBackends, modelNames } from '../../../stages/model/registry.js'

const from = (origin: string) => (backend: AnyBackend) => ({ backend, origin })
const plugin = (id: string, aliases: readonly string[] = [], form?: 'chat' | 'simple'): AnyBackend =>
  defineBackend({
    id,
    ...(form === undefined ? {} : { form }),
    aliases,
    summary: 'mine',
    args: { model: affectsOutput(z.string()) },
    accepts: ['text'],
    requests: ['generate_until'],
    code: { files: [] },
    concurrency: 1,
    identify: () => Promise.reject(new Error('not needed')),
    open: () => Promise.reject(new Error('not needed')),
  })

test('finds each built-in backend by its id and aliases, as listed', async () => {
  for (const { id, aliases, summary } of listBackends([])) {
    const backend = await findBackend(id, [])
    expect({ id: backend.id, aliases: backend.aliases ?? [], summary: backend.summary }).toEqual({
      id,
      aliases,
      summary,
    })
    for (const alias of aliases) expect(await findBackend(alias, [])).toBe(backend)
    expect(isBackend(backend)).toBe(true)
    for (const schema of Object.values(backend.args)) expect(readEffect(schema)).toBeDefined()
  }
})

test('suggests the nearest name for an unknown model', async () => {
  await expect(findBackend('opnai', [])).rejects.toThrow(
    'no model "opnai". Did you mean "openai"?   (pipeline models list)',
  )
})

test.each([
  ['gpt-4o', 'openai'],
  ['o3-mini', 'openai'],
  ['claude-sonnet-4', 'anthropic'],
  ['gemini-2.5-pro', 'gemini'],
  ['Qwen/Qwen2.5-VL-3B-Instruct', 'vllm'],
])("suggests the backend if a model's name is given instead: %s", async (model, backend) => {
  const error = await findBackend(model, []).catch((thrown: unknown) => thrown)
  if (!(error instanceof PipelineError)) throw error
  expect(error.said.map(problem => spellReferences(problem, commandLine))).toEqual([
    `no model "${model}". --model names a backend. For this model: --model ${backend} --model-args model=${model}   (pipeline models list)`,
  ])
  expect(error.options).toEqual(['model', 'modelArgs'])
  expect(error.message).toContain(`For this model: model: "${backend}" modelArgs: {"model":"${model}"}`)
})

test.each([
  ['openai/gpt-4.1', 'openai', 'gpt-4.1'],
  ['openai:chat:gpt-4.1', 'openai', 'gpt-4.1'],
  ['anthropic:messages:claude-sonnet-4', 'anthropic', 'claude-sonnet-4'],
  ['google/gemini-2.5-pro', 'gemini', 'gemini-2.5-pro'],
  ['vllm/Qwen/Qwen2.5-VL-3B-Instruct', 'vllm', 'Qwen/Qwen2.5-VL-3B-Instruct'],
  ['openai/gpt-oss-20b', 'vllm', 'openai/gpt-oss-20b'],
])('a model as Inspect and promptfoo name it is answered with its backend: %s', async (given, backend, model) => {
  const error = await findBackend(given, []).catch((thrown: unknown) => thrown)
  if (!(error instanceof PipelineError)) throw error
  expect(error.said.map(problem => spellReferences(problem, commandLine))).toEqual([
    `no model "${given}". --model names a backend. For this model: --model ${backend} --model-args model=${model}   (pipeline models list)`,
  ])
})

test('explains how to serve a model of the Hub for any other unknown name', async () => {
  await expect(findBackend('zzzzzzz', [])).rejects.toThrow(
    /For a model of the Hub: model: "vllm" modelArgs: {"model":"ORG/,
  )
})

test('finds a plugin beside the built-in backends', async () => {
  const mine = plugin('mine', ['my_model'])
  expect(await findBackend('my_model', [from('./mine.ts')(mine)])).toBe(mine)
  expect(listBackends([from('./mine.ts')(mine)]).at(-1)).toEqual({
    id: 'mine',
    aliases: ['my_model'],
    summary: 'mine',
    form: 'chat',
    origin: './mine.ts',
  })
})

test.each([
  [[plugin('openai')], 'openai', 'openai (built-in) and openai (p0)'],
  [[plugin('mine', ['async_openai'])], 'async_openai', 'openai (built-in) and mine (p0)'],
  [[plugin('mine'), plugin('mine')], 'mine', 'mine (p0) and mine (p1)'],
  [[plugin('mine', ['m']), plugin('other', ['m'], 'simple')], 'm', 'mine (p0) and other (p1)'],
  [[plugin('mine'), plugin('other', ['mine'])], 'mine', 'mine (p0) and other (p1)'],
])('rejects two backends with one name, and says where they come from', async (mine, name, owners) => {
  const plugins = mine.map((backend, index) => from(`p${index}`)(backend))
  await expect(findBackend('dummy', plugins)).rejects.toThrow(`two model backends are named "${name}": ${owners}`)
})

test('one id may have a chat form, which is preferred, and a simple form', async () => {
  const [chat, simple] = [plugin('mine', ['m']), plugin('mine', ['mm'], 'simple')]
  const both = [simple, chat].map(from('./mine.ts'))
  for (const name of ['mine', 'm', 'mm']) {
    expect(await findBackend(name, both)).toBe(chat)
    expect(await findBackend(name, both, { forceSimple: true })).toBe(simple)
    expect(new Set(modelNames(name, both))).toEqual(new Set(['mine', 'm', 'mm']))
  }
  expect(await findBackend('mine', [simple].map(from('p')))).toBe(simple)
  expect(await findBackend('mine', [chat].map(from('p')), { forceSimple: true })).toBe(chat)
  const other = plugin('dummy', [], 'simple')
  expect(await findBackend('dummy', [other].map(from('p')), { forceSimple: true })).toBe(other)
  expect((await findBackend('dummy', [other].map(from('p')))).summary).not.toBe('mine')
})

test.each(['openai_compatible_chat', 'async_openai_chat', 'async_openai_compatible'])(
  "accepts lmms-eval's name of a server: %s",
  async name => {
    expect((await findBackend(name, [])).id).toBe('openai')
  },
)

test('says how to run a model of the Hub if its name is given', async () => {
  await expect(findBackend('my_own_vl', [])).rejects.toThrow('model: "vllm" modelArgs: {"model":"ORG/NAME"}')
  await expect(findBackend('qwen2_5_vl', [])).rejects.toThrow('{"model":"Qwen/Qwen2.5-VL-3B-Instruct"')
})

test('rejects a plugin with an argument that declares no effect', async () => {
  const undeclared = { ...plugin('mine'), args: { seed: z.number() } } as unknown as AnyBackend
  await expect(findBackend('mine', [undeclared].map(from('p')))).rejects.toThrow(
    /plugin mine \(p\): .*"seed".*affectsOutput.*transport/,
  )
})

test.each([undefined, null, 'openai', {}, { id: 'x', args: {} }, () => undefined])(
  'does not accept %j as a backend',
  value => {
    expect(isBackend(value)).toBe(false)
  },
)
