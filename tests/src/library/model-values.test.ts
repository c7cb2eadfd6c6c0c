import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  affectsOutput,
  anthropic,
  defineBackend,
  defineJudge,
  dummy,
  evaluate,
  openai,
  plan,
  z,
  type ModelValue,
} from '../../../src/index.js'
import { parseArguments } from '../../../src/config/argument-string.js'
import { temporaryFolder } from '../../support/store.js'
import { writeTextTask } from '../../support/text-task.js'

async function place() {
  const folder = await temporaryFolder()
  return { folder, store: join(folder, 'store'), tasks: [await writeTextTask(join(folder, 'task'), 3)] as const }
}

test.each<[ModelValue, string, string]>([
  [
    openai({ model: 'm-1', baseURL: 'http://127.0.0.1:1/v1', apiKey: 'k', maxRetries: 0, reasoningEffort: 'low' }),
    'openai',
    'model=m-1,base_url=http://127.0.0.1:1/v1,api_key=other,reasoning_effort=low',
  ],
  [anthropic({ model: 'c-1', apiKey: 'k' }), 'anthropic', 'model=c-1,api_key=k'],
  [dummy({ mode: 'choose', words: ['a', 'b'] }), 'dummy', 'mode=choose,words=a|b,latency_ms=0'],
])('a model as a value makes the same run as its name and arguments: %#', async (value, name, line) => {
  const { store, tasks } = await place()
  const modelArgs = parseArguments([line], '--model-args')
  const { run } = await plan({ store, model: value, tasks })
  expect((await plan({ store, model: name, modelArgs, tasks })).run.id).toBe(run.id)
  const other = { ...modelArgs, ...(name === 'dummy' ? { mode: 'echo' } : { model: 'another' }) }
  expect((await plan({ store, model: name, modelArgs: other, tasks })).run.id).not.toBe(run.id)
})

test('answers of a model value are shared with the command line', async () => {
  const { store, tasks } = await place()
  const first = await evaluate({ store, model: dummy({ mode: 'choose', words: ['a', 'b'] }), tasks })
  expect(first).toMatchObject({ asked: 3, isNew: true })
  const modelArgs = parseArguments(['mode=choose,words=a|b'], '--model-args')
  const again = await evaluate({ store, model: 'dummy', modelArgs, tasks })
  expect(again).toMatchObject({ asked: 0, isNew: false })
})

const plugin = (code: string): string => `
import { affectsOutput, defineBackend, z } from 'pipeline'
${code}
`

test('a custom backend as a value has the same key as a plugin', async () => {
  const { folder, store, tasks } = await place()
  const file = join(folder, 'mine.mjs')
  await writeFile(
    file,
    plugin(`export const mine = defineBackend({
  id: 'mine',
  module: import.meta.url,
  args: { word: affectsOutput(z.string()) },
  accepts: ['text'],
  open: ({ word }) => ({ generate: () => ({ text: word }) }),
})`),
  )
  const value = defineBackend({
    id: 'mine',
    module: new URL(`file://${file}`).href,
    args: { word: affectsOutput(z.string()) },
    accepts: ['text'],
    open: ({ word }) => ({ generate: () => Promise.resolve({ text: word }) }),
  })
  const first = await evaluate({ store, model: value({ word: 'yes' }), tasks })
  expect(first).toMatchObject({ asked: 3 })
  expect((await plan({ store, model: value({ word: 'yes' }), tasks })).run.id).toBe(first.run.id)
  const named = await plan({ store, model: 'mine', modelArgs: { word: 'yes' }, plugins: [file], tasks })
  expect(named.run.id).toBe(first.run.id)
})

test('rejects a custom backend without the location of its code, and shows the line to add', async () => {
  const { store, tasks } = await place()
  const mine = defineBackend({
    id: 'mine',
    args: {},
    accepts: ['text'],
    open: () => ({ generate: () => Promise.resolve({ text: 'a' }) }),
  })
  await expect(evaluate({ store, model: mine(), tasks })).rejects.toThrow(
    /model mine: nothing says which file it is written in[^]* {2}module: import\.meta\.url,\nto defineBackend\(\{ id: 'mine', … \}\)/,
  )
})

test('a judge is a model value', () => {
  const model = dummy({ mode: 'fixed', text: '5' })
  expect(defineJudge({ model })).toMatchObject({ kind: 'judge', model: { backend: 'dummy' } })
})
