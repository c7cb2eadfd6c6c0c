import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listRunMedia } from '../../../cache/bundle/media.js'
import { sha256 } from '../../../cache/digest.js'
import { openStore } from '../../../cache/open.js'
import { evaluate, type EvaluateOptions } from '../../../src/index.js'
import { EmbeddedMedia } from '../../../src/present/files/html/embedded-media.js'
import { sampleView } from '../../../src/present/page/samples/sample-view.js'
import { openRun } from '../../../src/reading/runs/run-reference.js'
import { startFakeOpenaiBatches } from '../../support/fake-openai-batches.js'
import { completion, startFakeOpenai, type FakeOptions } from '../../support/fake-openai.js'
import { picture } from '../../support/own-task.js'
import { temporaryFolder } from '../../support/store.js'

const dataAddress = (bytes: Buffer): string => `data:image/png;base64,${bytes.toString('base64')}`

/** A sound of 8 silent samples. */
const wav = Buffer.from(
  '524946462c00000057415645666d74201000000001000100401f0000401f00000100080064617461080000008080808080808080',
  'hex',
)

async function ask(answer: FakeOptions['answer'], options: Partial<EvaluateOptions> = {}) {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'task'))
  await writeFile(join(folder, 'task/docs.jsonl'), '{"id":"d0","question":"Draw a square.","answer":"square"}')
  await writeFile(
    join(folder, 'task/drawn.yaml'),
    'task: drawn\ndataset_path: ./docs.jsonl\ndoc_to_text: "{{question}}"\ndoc_to_target: answer\nmetric_list: [{metric: contains}]\n',
  )
  const server = await startFakeOpenai(answer === undefined ? {} : { answer })
  onTestFinished(() => server.close())
  const path = join(folder, 'store')
  const settings: EvaluateOptions = {
    store: path,
    model: 'openai',
    tasks: [join(folder, 'task/drawn.yaml')],
    ...options,
    modelArgs: { model: 'm', base_url: server.url, api_key: 'k', ...options.modelArgs },
  }
  const outcome = await evaluate(settings)
  const store = await openStore(path)
  onTestFinished(() => store.close())
  const [run] = await store.runs.list()
  return { server, outcome, store, again: () => evaluate(settings), run: run! }
}

test('stores, shows and exports a picture of an answer, and requests it once', async () => {
  const drawn = await picture(70)
  const parts = [
    { type: 'text', text: 'A square:' },
    { type: 'image_url', image_url: { url: dataAddress(drawn) } },
  ]
  const { server, store, run, again } = await ask(() => completion(parts as never))
  const opened = await openRun(store, run.name)
  const view = await sampleView(store, opened, { task: 0, index: 0 })
  const { answer } = view.items[0]!
  expect(view).not.toHaveProperty('empty')
  expect(answer).toMatchObject({
    text: 'A square:',
    media: [{ type: 'image', medium: { kind: 'image', type: 'image/png', width: 8, height: 8 } }],
  })
  const { digest } = answer!.media![0]!.medium
  expect(await listRunMedia(await store.exportRun(opened.run))).toEqual([digest])
  const media = new EmbeddedMedia(store.media)
  media.add(view)
  let report = ''
  await media.write(text => Promise.resolve(void (report += text)), 1e6)
  expect(report).toContain(drawn.toString('base64'))
  expect(await again()).toMatchObject({ asked: 0 })
  expect(server.seen).toHaveLength(1)
})

test('stores pictures beside the content and sound with its transcript, even without a text', async () => {
  const audio = { id: 'a', data: wav.toString('base64'), transcript: 'a square', expires_at: 1 }
  const images = [{ type: 'image_url', image_url: { url: dataAddress(await picture(5)) } }]
  const { store, run } = await ask(() => completion(null, 'stop', { audio, images }))
  const { items } = await sampleView(store, await openRun(store, run.name), { task: 0, index: 0 })
  expect(items[0]?.answer).toMatchObject({
    text: 'a square',
    media: [{ type: 'image' }, { type: 'audio', medium: { type: 'audio/wav', bytes: wav.length } }],
  })
})

test('stores a sound and a picture that arrive in chunks', async () => {
  const drawn = await picture(12)
  const [first, second] = [wav.subarray(0, 21), wav.subarray(21)]
  const deltas = [
    { role: 'assistant', content: null },
    { audio: { id: 'a', data: first.toString('base64'), transcript: 'a ' } },
    { images: [{ type: 'image_url', index: 0, image_url: { url: dataAddress(drawn) } }] },
    { audio: { id: 'a', data: second.toString('base64') } },
    { audio: { id: 'a', transcript: 'square', expires_at: 1 } },
  ]
  const pieces = deltas.map(delta => ({ choices: [{ index: 0, delta, finish_reason: null }] }))
  const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
  const { server, store, run, again } = await ask(() => [...pieces, end], { modelArgs: { stream: true } })
  const { items } = await sampleView(store, await openRun(store, run.name), { task: 0, index: 0 })
  const { text, media = [] } = items[0]!.answer!
  expect(text).toBe('a square')
  expect(media.map(({ medium }) => medium.digest)).toEqual([sha256(drawn), sha256(wav)])
  expect(server.seen[0]!.text).toContain('"stream":true')
  expect(await again()).toMatchObject({ asked: 0 })
})

test('stores and exports media of answers from a batch API', async () => {
  const drawn = await picture(33)
  const server = await startFakeOpenaiBatches()
  onTestFinished(() => server.close())
  const images = [{ type: 'image_url', image_url: { url: dataAddress(drawn) } }]
  server.answer = () => ({ status: 200, body: completion('A square.', 'stop', { images }) })
  const { outcome, store, run, again } = await ask(undefined, {
    modelArgs: { base_url: `${server.url}/v1` },
    batch: true,
    poll: 0.05,
  })
  expect(outcome).toMatchObject({ asked: 1, failures: [] })
  const opened = await openRun(store, run.name)
  const { items } = await sampleView(store, opened, { task: 0, index: 0 })
  expect(items[0]?.answer).toMatchObject({ text: 'A square.', media: [{ medium: { digest: sha256(drawn) } }] })
  expect(await store.media.read(sha256<'media'>(drawn))).toEqual(drawn)
  expect(await listRunMedia(await store.exportRun(opened.run))).toEqual([sha256(drawn)])
  expect(await again()).toMatchObject({ asked: 0 })
  expect(server.batches).toHaveLength(1)
})

test('a batch medium that cannot be stored fails its doc', async () => {
  const server = await startFakeOpenaiBatches()
  onTestFinished(() => server.close())
  const audio = { data: Buffer.alloc(40).toString('base64') }
  server.answer = () => ({ status: 200, body: completion(null, 'stop', { audio }) })
  const { outcome } = await ask(undefined, { modelArgs: { base_url: `${server.url}/v1` }, batch: true, poll: 0.05 })
  expect(outcome.failures.map(({ failure }) => failure)).toEqual([
    expect.objectContaining({ class: 'media', message: expect.stringMatching(/unknown format/) as string }),
  ])
})

test.each([
  ['pcm16', { audio: { data: Buffer.alloc(40).toString('base64') } }, /unknown format .*request another format/],
  ['address', { images: [{ image_url: { url: 'https://x.example/a.png' } }] }, /not downloaded: request base64/],
])('an answer with a medium that cannot be stored fails its doc: %s', async (_, message, reason) => {
  const { outcome, server } = await ask(() => completion(null, 'stop', message))
  expect(outcome.failures.map(({ failure }) => failure)).toEqual([
    expect.objectContaining({ class: 'media', message: expect.stringMatching(reason) as string }),
  ])
  expect(server.seen).toHaveLength(1)
})
