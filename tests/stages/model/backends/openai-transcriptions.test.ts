import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import { makeLastingFile } from '../../../../cache/media/lasting-file.js'
import type { ContentPart, GenerationKwargs } from '../../../../cache/records.js'
import { openaiTranscriptions } from '../../../../stages/model/backends/openai-transcriptions.js'
import { openTranscriptions } from '../../../../stages/model/backends/openai/transcription-client.js'
import type { AnyBackend, BackendContext } from '../../../../stages/model/define-backend.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import { startFakeOpenai, type FakeOptions } from '../../../support/fake-openai.js'
import { temporaryFolder } from '../../../support/store.js'
import { silentWav } from '../../../support/wav.js'

const sound = silentWav(16)
const media = sha256<'media'>(sound)
const recording: ContentPart = { type: 'audio', media }

async function connect(options: FakeOptions, args: Record<string, unknown> = {}, bytes: Uint8Array = sound) {
  const server = await startFakeOpenai({ keepBodies: true, ...options })
  const backend: AnyBackend = openaiTranscriptions
  const file = join(await temporaryFolder(), 'sound')
  await writeFile(file, bytes)
  const context = {
    env: {},
    openMediaFile: () => Promise.resolve(makeLastingFile(file)),
  } as unknown as BackendContext
  const given = { model: 'whisper-1', base_url: server.url, api_key: 'sk-secret', max_retries: 0, ...args }
  const model = await backend.open(parseModelArgs(backend, given), context)
  onTestFinished(async () => {
    await model.close?.()
    await server.close()
  })
  return {
    server,
    ask: (content: readonly ContentPart[] = [recording], generation: GenerationKwargs = {}) =>
      model.answer(
        { input: { type: 'generate_until', messages: [{ role: 'user', content }] }, generation, sample: 0 },
        new AbortController().signal,
      ),
  }
}

test('sends a recording as a form, and returns its words as the answer', async () => {
  const usage = { type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 }
  const { server, ask } = await connect(
    { answer: () => ({ text: 'Good evening. STOP', usage }) },
    { language: 'en', hint: 'Brno' },
  )
  const answer = await ask([recording, { type: 'text', text: 'has no effect' }], {
    until: [' STOP'],
    max_new_tokens: 9,
  })
  expect(answer).toEqual({
    body: { text: 'Good evening.', finishReason: 'stop' },
    usage: { inputTokens: 14, outputTokens: 5 },
  })
  const { path, headers, text } = server.seen[0]!
  expect(path).toBe('/v1/audio/transcriptions')
  expect(headers).toMatchObject({ authorization: 'Bearer sk-secret' })
  const [, boundary = ''] = /^multipart\/form-data; boundary=(.+)$/.exec(String(headers['content-type'])) ?? []
  const parts = text.split(`--${boundary}`)
  expect(parts.slice(1, 6)).toEqual(
    Object.entries({
      model: 'whisper-1',
      response_format: 'json',
      language: 'en',
      prompt: 'Brno',
      temperature: '0',
    }).map(([name, value]) => `\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
  )
  expect(parts[6]).toMatch(
    /^\r\nContent-Disposition: form-data; name="file"; filename="audio.wav"\r\nContent-Type: audio\/wav\r\n\r\nRIFF/,
  )
  expect(parts.slice(7)).toEqual(['--\r\n'])
  expect(text).not.toContain('has no effect')
})

test.each<[string, readonly ContentPart[], GenerationKwargs, string]>([
  ['no recording', [{ type: 'text', text: 'hello' }], {}, 'invalid_request'],
  ['two recordings', [recording, recording], {}, 'invalid_request'],
  ['a picture', [{ type: 'image', media }], {}, 'invalid_request'],
  ['beams', [recording], { num_beams: 4 }, 'invalid_request'],
])('rejects a request with %s before it is sent', async (_, content, generation, failure) => {
  const { server, ask } = await connect({})
  await expect(ask(content, generation)).rejects.toMatchObject({ class: failure, isRetryable: false })
  expect(server.seen).toHaveLength(0)
})

test('sends a recording in chunks, and aborts if the stored one is damaged', async () => {
  const long = silentWav(900_000)
  const { server, ask } = await connect({ answer: () => ({ text: 'silence' }) }, {}, long)
  const media = sha256<'media'>(long)
  expect((await ask([{ type: 'audio', media }])).body.text).toBe('silence')
  expect(server.seen[0]?.text.length).toBeGreaterThan(long.length)
  await expect(ask()).rejects.toMatchObject({ class: 'media', message: expect.stringContaining('damaged') as string })
  expect(server.stats().requests).toBe(1)
})

test("rejects a recording above the provider's limit, with its size", async () => {
  const file = join(await temporaryFolder(), 'sound')
  await writeFile(file, sound)
  const model = openTranscriptions({
    endpoint: { backend: 'b', origin: 'http://127.0.0.1:1', path: '/v1', apiKey: undefined, keyVariable: 'KEY' },
    fields: {},
    patience: { timeoutMs: 1_000, stallMs: 1_000 },
    context: { openMediaFile: () => Promise.resolve(makeLastingFile(file)) } as unknown as BackendContext,
    mostBytes: sound.length - 1,
  })
  onTestFinished(() => model.close?.())
  const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content: [recording] }] }
  const asked = model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal)
  await expect(asked).rejects.toMatchObject({ class: 'media', message: expect.stringContaining('Shorten') as string })
})

test('a medium that is not a sound, an error, and a reply without a transcript are failures', async () => {
  const broken = await connect({}, {}, Buffer.from('no sound'))
  await expect(broken.ask()).rejects.toMatchObject({ class: 'media' })
  const silent = await connect({ answer: () => ({ words: [] }) })
  await expect(silent.ask()).rejects.toMatchObject({ class: 'server', isRetryable: true })
  const refusing = await connect({ fault: () => ({ status: 401, body: { error: { message: 'bad key sk-secret' } } }) })
  await expect(refusing.ask()).rejects.toThrow(/bad key (?!sk-secret)/)
  const empty = await connect({ answer: () => ({ text: '' }) })
  expect(await empty.ask()).toEqual({ body: { text: '', finishReason: 'stop' } })
})
