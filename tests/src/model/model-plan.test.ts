import { describe, expect, test } from 'vitest'
import { buildInfo } from '../../../cache/code/build-info.js'
import { planModel, type ModelPlan, type ModelSettings } from '../../../src/model/model-plan.js'
import type { Limiters } from '../../../src/model/traffic.js'
import type { Plugins } from '../../../src/model/plugins.js'
import { defineBackend } from '../../../stages/model/define-backend.js'
import { dummy } from '../../../stages/model/backends/dummy.js'
import { temporaryStore } from '../../support/store.js'

const noPlugins: Plugins = { backends: [], exports: [], closures: new Map() }

async function planned(settings: Partial<ModelSettings>, plugins = noPlugins): Promise<ModelPlan> {
  const store = await temporaryStore()
  const asked = { model: 'dummy', modelArgs: {}, codeKey: 'revision', ...settings } as const
  return planModel(asked, { store, plugins, env: {} })
}

const preimage = ({ code }: ModelPlan): unknown => JSON.parse(code.preimage)

describe('the code of a model in keys', () => {
  test('is the revision of a built-in backend', async () => {
    expect(preimage(await planned({}))).toEqual({ files: {}, revision: { name: 'dummy', number: 1 }, v: 1 })
  })

  test('has another revision for request types that other files answer', async () => {
    const at = { model: 'm-1', base_url: 'http://127.0.0.1:1/v1' }
    const openai = await planned({ model: 'openai', modelArgs: at })
    const groq = await planned({ model: 'groq', modelArgs: { ...at, api_key: 'k' } })
    expect(preimage(openai)).toEqual({ files: {}, revision: { name: 'openai_chat', number: 1 }, v: 1 })
    expect(JSON.parse(openai.codes.loglikelihood?.preimage ?? '')).toEqual({
      files: {},
      revision: { name: 'openai_loglikelihood', number: 1 },
      v: 1,
    })
    expect(groq.code).toEqual(openai.code)
  })

  test('contains the digests of its files with --code-key files', async () => {
    const path = 'stages/model/backends/dummy.ts'
    expect(preimage(await planned({ codeKey: 'files' }))).toEqual({
      files: { [path]: buildInfo().files[path] },
      v: 1,
    })
  })

  test('is the user’s name with --code-version', async () => {
    expect(preimage(await planned({ codeVersion: 'mine' }))).toEqual({ files: {}, version: 'mine', v: 1 })
  })

  test('contains the digests of a plugin’s files, whatever revision it declares', async () => {
    const mine = { ...dummy, id: 'mine', aliases: [] }
    const files = { 'mine.ts': 'a'.repeat(40) }
    const plugins = {
      ...noPlugins,
      backends: [{ backend: mine, origin: 'mine.ts' }],
      closures: new Map([[mine, files]]),
    }
    expect(preimage(await planned({ model: 'mine' }, plugins))).toEqual({ files, v: 1 })
  })
})

describe('the rate limiter of a model', () => {
  test('is shared by the models of a plan, and not with another plan', async () => {
    const store = await temporaryStore()
    const plan = (limiters: Limiters, concurrency?: number): Promise<ModelPlan> =>
      planModel(
        { model: 'dummy', modelArgs: {}, codeKey: 'revision', ...(concurrency !== undefined && { concurrency }) },
        { store, plugins: noPlugins, env: {}, limiters },
      )
    const limiters: Limiters = new Map()
    const two = await (await plan(limiters, 2)).traffic.openLimiter()
    expect(await (await plan(limiters)).traffic.openLimiter()).toBe(two)
    const other = await (await plan(new Map())).traffic.openLimiter()
    expect([two.limit, other.limit === two.limit]).toEqual([2, false])
  })
})

test('gives a note about the whole run once, however often the model is opened', async () => {
  const notes: string[] = []
  const mine = defineBackend({
    id: 'mine',
    args: {},
    accepts: ['text'],
    open: (_, context) => {
      context.noteOnce?.('TIFF is sent as PNG')
      return { generate: () => Promise.resolve({ text: '' }) }
    },
  })
  const plan = await planModel(
    { model: 'mine', modelArgs: {}, codeKey: 'revision' },
    {
      store: await temporaryStore(),
      plugins: {
        ...noPlugins,
        backends: [{ backend: mine, origin: 'mine.ts' }],
        closures: new Map([[mine, { 'mine.ts': 'a'.repeat(40) }]]),
      },
      env: {},
      hooks: {
        emit: event => {
          if (event.type === 'note') notes.push(event.text)
        },
      },
    },
  )
  await plan.open()
  await plan.open()
  expect(notes).toEqual(['TIFF is sent as PNG'])
})
