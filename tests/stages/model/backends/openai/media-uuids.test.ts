import { expect, onTestFinished, test } from 'vitest'
import type { MediaPart } from '../../../../../cache/records.js'
import { openMediaUuids } from '../../../../../stages/model/backends/openai/media-uuids.js'
import { openai } from '../../../../../stages/model/backends/openai.js'
import { AttemptError, type Model } from '../../../../../stages/model/model.js'
import { askBackend } from '../../../../support/backend-client.js'
import { completion } from '../../../../support/fake-openai.js'
import { startFakeProvider, type Reply } from '../../../../support/fake-provider.js'
import { picture } from '../../../../support/own-task.js'

async function connect(args: Readonly<Record<string, unknown>>, reply: (body: string) => Reply) {
  const server = await startFakeProvider(({ body }) => reply(JSON.stringify(body)))
  onTestFinished(() => server.close())
  const client = await askBackend(openai, { model: 'm', base_url: server.url, api_key: 'k', ...args })
  const media = await client.addMedium(await picture(9))
  const image: MediaPart = { type: 'image', media }
  return { ...client, image, bodies: () => server.seen.map(({ body }) => JSON.stringify(body)) }
}

const answered = (): Reply => ({ body: completion('yes') })

test('sends the digest of a medium as uuid only if requested', async () => {
  for (const media_uuid of [true, false]) {
    const { ask, image, bodies } = await connect({ media_uuid }, answered)
    await ask([image, { type: 'text', text: 'Blue?' }])
    expect(bodies()).toHaveLength(1)
    if (media_uuid) expect(bodies()[0]).toContain(`"uuid":"${image.media}"`)
    else expect(bodies()[0]).not.toContain('uuid')
  }
})

test('sends no uuid for media that the server fetches by address', async () => {
  const { ask, image, bodies } = await connect({ media_uuid: true, media_as: 'url' }, answered)
  await ask([{ ...image, url: 'https://example.com/a.png' }])
  expect(bodies()[0]).not.toContain('uuid')
})

test('if the server rejects the field, sends this and all later requests without it', async () => {
  const { ask, image, bodies } = await connect({ media_uuid: true }, body =>
    body.includes('"uuid"')
      ? { status: 400, body: { error: { message: "Unrecognized request argument supplied: 'uuid'" } } }
      : answered(),
  )
  const { body } = await ask([image])
  expect(body.text).toBe('yes')
  await ask([image])
  expect(bodies().map(text => text.includes('"uuid"'))).toEqual([true, false, false])
})

test('notes once that the server rejects the field, and keeps other failures', async () => {
  const notes: string[] = []
  const uuids = openMediaUuids(true, { note: text => notes.push(text) })
  const failWith = (message: string): Model => ({
    answer: () => Promise.reject(new AttemptError('invalid_request', message, { isRetryable: false })),
  })
  const image: MediaPart = { type: 'image', media: `sha256:${'0'.repeat(64)}` as MediaPart['media'] }
  const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content: [image] }] }
  const ask = (message: string) =>
    uuids.wrap(failWith(message)).answer({ input, generation: {}, sample: 0 }, new AbortController().signal)
  await expect(ask('400 too many images')).rejects.toThrow('too many images')
  expect([uuids.isSent(), notes]).toEqual([true, []])
  await expect(ask('400 unknown field uuid')).rejects.toThrow('uuid')
  await expect(ask('400 unknown field uuid')).rejects.toThrow('uuid')
  expect([uuids.isSent(), notes.length]).toEqual([false, 1])
})
