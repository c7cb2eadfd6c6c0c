import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { gemini } from '../../../../stages/model/backends/gemini.js'
import { askBackend } from '../../../support/backend-client.js'
import { startFakeGeminiFiles, type FilesOptions } from '../../../support/fake-gemini-files.js'

const key = 'AIza-very-secret-0123456789'
const video = Buffer.concat([Buffer.from('\0\0\0\x18ftypisom', 'latin1'), Buffer.alloc(2_000_000, 'v')])
const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(300_000, 'p')])

async function connect(options: FilesOptions = {}, args: Record<string, unknown> = {}) {
  const server = await startFakeGeminiFiles(options)
  onTestFinished(() => server.close())
  const open = () =>
    askBackend(gemini, { model: 'm', base_url: server.url, max_inline_mb: 1, ...args }, { GEMINI_API_KEY: key })
  const names = () => server.calls.map(({ name }) => name.replace(/p[0-9a-f]{39}$/, 'NAME'))
  return { ...(await open()), server, names, open }
}

const generate = 'POST /v1beta/models/m:generateContent'
const begin = 'POST /upload/v1beta/files'
const look = 'GET /v1beta/files/NAME'

test('uploads a video that is too large for a request, and refers to it once it is ready', async () => {
  const { ask, addMedium, server, names } = await connect({ working: 1 })
  const media = await addMedium(video)
  expect(
    (
      await ask([
        { type: 'video', media },
        { type: 'text', text: 'What is it?' },
      ])
    ).body.text,
  ).toBe('yes')
  expect(names()).toEqual([look, begin, begin, look, generate])
  const [first, start, sent, , asked] = server.calls
  const name = first!.name.slice('GET /v1beta/'.length)
  expect(name).toMatch(/^files\/p[0-9a-f]{39}$/)
  expect(start).toMatchObject({
    headers: {
      'x-goog-api-key': key,
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(video.length),
      'x-goog-upload-header-content-type': 'video/mp4',
      'content-type': 'application/json',
    },
    body: { file: { name } },
  })
  expect(sent!.headers).toMatchObject({
    'x-goog-upload-command': 'upload, finalize',
    'x-goog-upload-offset': '0',
    'content-length': String(video.length),
  })
  expect(sent!.headers['x-goog-api-key']).toBeUndefined()
  expect(server.files.get(name)!.bytes.equals(video)).toBe(true)
  expect(asked!.body).toMatchObject({
    contents: [
      {
        role: 'user',
        parts: [
          { file_data: { mime_type: 'video/mp4', file_uri: `${server.url}/v1beta/${name}` } },
          { text: 'What is it?' },
        ],
      },
    ],
  })
})

test('uploads only as many media as needed, the largest first', async () => {
  const { ask, addMedium, server, names } = await connect()
  const parts = [
    { type: 'image', media: await addMedium(picture) },
    { type: 'video', media: await addMedium(video) },
  ] as const
  await ask(parts)
  expect(names()).toEqual([look, begin, begin, generate])
  expect(server.calls.at(-1)!.body).toMatchObject({
    contents: [
      {
        parts: [
          { inline_data: { mime_type: 'image/png', data: picture.toString('base64') } },
          { file_data: { mime_type: 'video/mp4' } },
        ],
      },
    ],
  })
  await ask([parts[0]])
  expect(names().slice(4)).toEqual([generate])
})

test('uploads a medium once for several requests and processes, as long as it exists', async () => {
  const { ask, addMedium, names, open } = await connect()
  const part = { type: 'video', media: await addMedium(video) } as const
  await Promise.all([
    ask([part]),
    ask([part, { type: 'text', text: 'Why?' }]),
    ask([part, { type: 'text', text: 'Who?' }]),
  ])
  expect(names().filter(name => name === begin)).toHaveLength(2)
  const other = await open()
  await other.addMedium(video)
  await other.ask([part])
  expect(names().slice(-2)).toEqual([look, generate])
})

test('uploads at most four media at once', async () => {
  const { ask, addMedium, server } = await connect()
  const bytes = Array.from({ length: 9 }, (_, index) => Buffer.concat([video, Buffer.from(String(index))]))
  const media = await Promise.all(bytes.map(addMedium))
  const answers = await Promise.all(media.map(one => ask([{ type: 'video', media: one }])))
  expect(answers.map(({ body }) => body.text)).toEqual(Array(9).fill('yes'))
  expect(server.files.size).toBe(9)
  expect(server.mostUploads()).toBeLessThanOrEqual(4)
})

test('continues an interrupted upload', async () => {
  const { ask, addMedium, server, names } = await connect({ breaksAt: 700_000 })
  await ask([{ type: 'video', media: await addMedium(video) }])
  expect(names()).toEqual([look, begin, begin, begin, generate])
  expect(server.calls[2]!.headers['x-goog-upload-command']).toBe('query')
  expect(server.calls[3]!.headers['x-goog-upload-offset']).toBe('700000')
  const [file] = server.files.values()
  expect(createHash('sha256').update(file!.bytes).digest()).toEqual(createHash('sha256').update(video).digest())
})

test('uploads without a name if another user has the same name', async () => {
  const { ask, addMedium, server, names } = await connect({ takenBy: 'others' })
  await ask([{ type: 'video', media: await addMedium(video) }])
  expect(names()).toEqual([look, begin, look, begin, begin, generate])
  expect(server.calls[3]!.body).toEqual({ file: {} })
})

test('uploads a file again at the next attempt if the provider no longer keeps it', async () => {
  const { ask, failure, addMedium, server, names } = await connect()
  const parts = [{ type: 'video', media: await addMedium(video) }] as const
  await ask(parts)
  server.files.clear()
  expect(await failure(parts)).toMatchObject({ class: 'server', isRetryable: true })
  await ask(parts)
  expect(names().slice(4)).toEqual([generate, look, look, begin, begin, generate])
})

test('a file that the provider cannot read, or that is damaged here, is a media failure', async () => {
  const { failure, addMedium, server } = await connect({ state: 'FAILED' })
  expect(await failure([{ type: 'video', media: await addMedium(video) }])).toMatchObject({
    class: 'media',
    isRetryable: false,
    message: "the provider can't read it: no such codec",
  })
  const sound = await connect()
  const media = await sound.addMedium(video)
  const { writeFile } = await import('node:fs/promises')
  const damaged = Buffer.from(video).fill('w', 1_000_000, 1_000_001)
  expect(server.files.size).toBe(1)
  await writeFile(sound.pathOf(media), damaged)
  expect(await sound.failure([{ type: 'video', media }])).toMatchObject({ class: 'media', isRetryable: false })
  expect(sound.server.files.size).toBe(0)
})

test('the message for an address without files says what to do', async () => {
  const { failure, addMedium } = await connect({ hasNoFiles: true })
  const { class: name, message } = await failure([{ type: 'video', media: await addMedium(video) }])
  expect(name).toBe('invalid_request')
  expect(message).toContain('max_inline_mb')
})

test('does not upload media that the provider fetches itself, nor media of small requests', async () => {
  const { ask, addMedium, names } = await connect({}, { media_as: 'url' })
  await ask([{ type: 'video', media: await addMedium(video), url: 'https://data.example/a.mp4' }])
  const inline = await connect({}, { max_inline_mb: 20 })
  await inline.ask([{ type: 'video', media: await inline.addMedium(video) }])
  expect([names(), inline.names()]).toEqual([[generate], [generate]])
})

test('reports a wrong key as such, even if an upload encountered it first', async () => {
  const { addMedium, server } = await connect()
  await addMedium(video)
  const other = await askBackend(gemini, { model: 'm', base_url: server.url, max_inline_mb: 1 }, {})
  const failure = await other.failure([{ type: 'video', media: await other.addMedium(video) }])
  expect(failure).toMatchObject({ isAccess: true, isRetryable: false })
})
