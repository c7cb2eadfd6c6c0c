/** Messages for programs: options by their library names, functions in place of commands, and no references. */
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { option } from '../../../base/errors/option-words.js'
import { evaluate, openStore, plan, type StageEvent } from '../../../src/index.js'
import { AttemptError } from '../../../stages/model/model.js'
import { MediumError } from '../../../stages/input/media/medium-error.js'
import { temporaryFolder } from '../../support/store.js'
import { refusal, typed } from '../../support/typed.js'

const references = /[\uE0F0-\uE0F2]/

async function pictures() {
  const folder = await temporaryFolder()
  const yaml =
    'task: pictures\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{question}}"\ndoc_to_visual: [image]\ndoc_to_target: a\n'
  await writeFile(join(folder, 'pictures.yaml'), yaml)
  await writeFile(join(folder, 'docs.jsonl'), `${JSON.stringify({ question: 'q', image: 'gone.png', a: 'a' })}\n`)
  return { folder, task: join(folder, 'pictures.yaml'), store: join(folder, 'store') }
}

test('rejects a missing store with its folder, and names flags on the command line', async () => {
  const dir = join(await temporaryFolder(), 'none')
  const error = await refusal(openStore(dir, { access: 'read' }))
  expect(error).toMatchObject({
    code: 'store',
    reason: 'store-missing',
    data: { dir },
    options: ['store'],
    message: `no store in ${dir}. Say where it is with store: "DIR", or start a run: evaluate()`,
  })
  expect(error.said.map(typed)).toEqual([
    `no store in ${dir}. Say where it is with --store DIR, or start a run: pipeline eval --help`,
  ])
})

test('rejects an invalid selection with the names of its options', async () => {
  const { task, store } = await pictures()
  const options = { store, model: 'dummy', tasks: [task], subsetSeed: 1, offset: 2, samples: { pictures: [0] } }
  expect(await refusal(evaluate(options))).toMatchObject({
    reason: 'selection-invalid',
    options: ['subsetSeed', 'subset', 'samples', 'offset'],
    problems: [
      'subsetSeed: also give subset N, which it decides',
      'samples says which docs are evaluated: leave offset out',
    ],
  })
})

test('a note spells options as a program writes them', async () => {
  const { task, store } = await pictures()
  const events: StageEvent[] = []
  const modelArgs = { model: 'm', base_url: 'http://127.0.0.1:9/v1', api_key: 'x', seed: 1 }
  await plan({ store, model: 'openai', modelArgs, tasks: [task], onEvent: event => events.push(event) })
  expect(events).toContainEqual({
    type: 'note',
    text: 'model openai: no effect here: seed (genKwargs: {"seed":"…"} sends one)',
  })
  expect(JSON.stringify(events)).not.toMatch(references)
})

test('stores a failure without references', async () => {
  const { task, store } = await pictures()
  const run = await evaluate({ store, model: 'dummy', tasks: [task] })
  expect(run.failures).toMatchObject([{ failure: { class: 'media' } }])
  expect(JSON.stringify(run.failures)).not.toMatch(references)
  const failures = [
    new MediumError(`again with ${option('retryFailed')}`),
    new AttemptError('server', `again with ${option('retryFailed')}`, { isRetryable: false }),
  ]
  expect(failures.map(({ message }) => message)).toEqual(['again with retryFailed', 'again with retryFailed'])
})

test('reports a missing medium with the command that repairs the store, in plain text', async () => {
  const store = await openStore(join(await temporaryFolder(), 'store'))
  try {
    const { digest } = await store.media.addBytes(new Uint8Array([1, 2, 3]))
    await writeFile(store.media.locate(digest), 'other')
    await expect(store.media.read(digest)).rejects.toThrow(
      `medium ${digest} is damaged on disk. Drop it with: pipeline cache verify --repair`,
    )
    await rm(store.media.locate(digest))
    await expect(store.media.read(digest)).rejects.toThrow(
      `medium ${digest} is not in the store (it was exported without media, or removed). Have its docs read again: pipeline cache verify --repair`,
    )
  } finally {
    await store.close()
  }
})
