import { expect, test } from 'vitest'
import { z } from 'zod'
import { affectsOutput, defineBackend, type AnyBackend } from '../../../stages/model/define-backend.js'
import { effectOf } from '../../../stages/model/model-args.js'
import { findBackend, isBackend, listBackends } from '../../../stages/model/registry.js'

const plugin = (id: string, aliases: readonly string[] = []) =>
  defineBackend({
    id,
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

test('each built-in backend is found by its id and aliases, and is what the list says', async () => {
  for (const { id, aliases, summary } of listBackends([])) {
    const backend = await findBackend(id, [])
    expect({ id: backend.id, aliases: backend.aliases ?? [], summary: backend.summary }).toEqual({
      id,
      aliases,
      summary,
    })
    for (const alias of aliases) expect(await findBackend(alias, [])).toBe(backend)
    expect(isBackend(backend)).toBe(true)
    for (const schema of Object.values(backend.args)) expect(effectOf(schema)).toBeDefined()
  }
})

test('an unknown model is refused with the nearest name', async () => {
  await expect(findBackend('opnai', [])).rejects.toThrow(
    'no model "opnai". Did you mean "openai"?   (pipeline models list)',
  )
})

test('a plugin is found beside the built-in backends', async () => {
  const mine = plugin('mine', ['my_model'])
  expect(await findBackend('my_model', [mine])).toBe(mine)
  expect(listBackends([mine]).at(-1)).toEqual({ id: 'mine', aliases: ['my_model'], summary: 'mine', origin: 'plugin' })
})

test.each([
  [plugin('openai'), 'openai'],
  [plugin('mine', ['async_openai']), 'async_openai'],
])('two backends of one name are refused', async (mine, name) => {
  await expect(findBackend('dummy', [mine])).rejects.toThrow(`two model backends are named "${name}"`)
})

test('a plugin whose argument declares no effect is refused', async () => {
  const undeclared = { ...plugin('mine'), args: { seed: z.number() } } as unknown as AnyBackend
  await expect(findBackend('mine', [undeclared])).rejects.toThrow(/plugin mine: .*"seed".*affectsOutput.*transport/)
})

test.each([undefined, null, 'openai', {}, { id: 'x', args: {} }, () => undefined])('%j is no backend', value => {
  expect(isBackend(value)).toBe(false)
})
