import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import sharp from 'sharp'
import { evaluate, type EvaluateOptions } from '../../../src/index.js'
import { startFakeOpenaiBatches } from '../../support/fake-openai-batches.js'
import { startFakeOpenai } from '../../support/fake-openai.js'
import { beepingVideo, hasFfmpeg } from '../../support/framed-videos.js'
import { picture } from '../../support/own-task.js'
import { temporaryFolder } from '../../support/store.js'

/** A task with a picture of each name, a server that counts, and a function that evaluates it with further arguments of the model. */
async function scene(media: Readonly<Record<string, Uint8Array>>) {
  const folder = await temporaryFolder()
  const server = await startFakeOpenai({ latencyMs: 20, answer: ({ index }) => `answer ${index}` })
  onTestFinished(() => server.close())
  await mkdir(join(folder, 'shown'))
  for (const [name, bytes] of Object.entries(media)) await writeFile(join(folder, 'shown', name), bytes)
  const docs = Object.keys(media).map(file => JSON.stringify({ file }))
  await writeFile(join(folder, 'shown/docs.jsonl'), docs.join('\n'))
  await writeFile(
    join(folder, 'shown/shown.yaml'),
    'task: shown\ndataset_path: ./docs.jsonl\ndoc_to_visual: file\ndoc_to_text: What is it?\ndoc_to_target: file\nmetric_list: [{metric: exact_match}]\n',
  )
  /** Returns how many requests the server got, the answers, and the notes. */
  return async (modelArgs: Readonly<Record<string, string | number>>, options: Partial<EvaluateOptions> = {}) => {
    const before = server.stats().requests
    const notes: string[] = []
    const outcome = await evaluate({
      ...{ store: join(folder, 'store'), tasks: [join(folder, 'shown')] },
      ...{ model: 'openai', modelArgs: { model: 'm', base_url: server.url, api_key: 'k', ...modelArgs } },
      onEvent: event => {
        if (event.type === 'note') notes.push(event.text)
      },
      ...options,
    })
    const answers: unknown[] = []
    for await (const { text } of outcome.samples()) answers.push(text)
    return { sent: server.stats().requests - before, answers, notes: notes.join('\n') }
  }
}

const taken = 'take their answers, and are not sent'

test('sends a picture once if other arguments produce the same bytes, in either order', async () => {
  const run = await scene({
    'a.png': await picture(10),
    'b.tiff': await sharp(await picture(200))
      .tiff()
      .toBuffer(),
  })
  const converted = await run({ media: 'converted' })
  expect(converted.sent).toBe(2)
  expect(converted.notes).not.toContain(taken)
  // The PNG is sent as it is in both runs, and the TIFF in one of them.
  const original = await run({ media: 'original' })
  expect(original.sent).toBe(1)
  expect(original.notes).toContain(taken)
  expect(original.answers[0]).toEqual(converted.answers[0])
  expect((await run({ media: 'converted', max_pixels: 100_000 })).sent).toBe(0)
  expect((await run({ media: 'converted' })).sent).toBe(0)
})

test('requests that are in flight at the same time and are sent alike are sent once', async () => {
  const image = sharp(await picture(200))
  const run = await scene({
    'a.tiff': await image.tiff({ compression: 'none' }).toBuffer(),
    'b.tiff': await image.tiff({ compression: 'lzw' }).toBuffer(),
    'c.png': await picture(10),
  })
  const { sent, answers, notes } = await run({ media: 'converted' })
  expect(sent).toBe(2)
  expect(answers[1]).toBe(answers[0])
  expect(answers[2]).not.toBe(answers[0])
  expect(notes).toContain(taken)
})

test('a batch has one line for requests that are sent alike, and a later batch none', async () => {
  const image = sharp(await picture(200))
  const batches = await startFakeOpenaiBatches()
  onTestFinished(() => batches.close())
  const run = await scene({
    'a.tiff': await image.tiff({ compression: 'none' }).toBuffer(),
    'b.tiff': await image.tiff({ compression: 'lzw' }).toBuffer(),
    'c.png': await picture(10),
  })
  const address = { base_url: `${batches.url}/v1` }
  const inBatch = { batch: true, poll: 0.05 }
  const lines = () => batches.batches.map(({ request_counts: { total } }) => total)
  const first = await run({ ...address, media: 'converted' }, inBatch)
  expect(lines()).toEqual([2])
  expect(first.answers[1]).toBe(first.answers[0])
  expect(first.answers[2]).not.toBe(first.answers[0])
  expect(first.notes).toContain(taken)
  const second = await run({ ...address, media: 'converted', max_pixels: 100_000 }, inBatch)
  expect(second.answers).toEqual(first.answers)
  expect(lines()).toEqual([2])
  // Requests that are sent singly take the answers of batches, too.
  expect((await run({ ...address, media: 'converted', max_pixels: 90_000 })).answers).toEqual(first.answers)
  expect(lines()).toEqual([2])
})

test('sends fresh samples, and requests with other generation kwargs or models, again', async () => {
  const run = await scene({ 'a.png': await picture(10) })
  const first = await run({ media: 'converted' })
  expect((await run({}, { fresh: true })).sent).toBe(1)
  expect((await run({}, { genKwargs: { temperature: 0.5 } })).sent).toBe(1)
  expect((await run({ model: 'other' })).sent).toBe(1)
  expect(await run({})).toMatchObject({ sent: 0, answers: first.answers })
})

test.skipIf(!hasFfmpeg)('sends identical frames once', async () => {
  const run = await scene({ 'film.mkv': await beepingVideo() })
  const first = await run({ nframes: 4 })
  expect(first.sent).toBe(1)
  expect(await run({ nframes: 4, max_frames: 500 })).toMatchObject({ sent: 0, answers: first.answers })
  expect(await run({ nframes: 4, frame_times: 'rate' })).toMatchObject({ sent: 0, answers: first.answers })
  expect(await run({ nframes: 5 })).toMatchObject({ sent: 1 })
})
