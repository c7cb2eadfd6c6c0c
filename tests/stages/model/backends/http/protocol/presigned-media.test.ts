import { expect, onTestFinished, test } from 'vitest'
import type { MediaDigest } from '../../../../../../cache/digest.js'
import type { MediaPart } from '../../../../../../cache/records.js'
import type { PresignOptions } from '../../../../../../cache/store.js'
import { anthropic } from '../../../../../../stages/model/backends/anthropic.js'
import { gemini } from '../../../../../../stages/model/backends/gemini.js'
import { openaiResponses } from '../../../../../../stages/model/backends/openai-responses.js'
import { openai } from '../../../../../../stages/model/backends/openai.js'
import type { AnyBackend } from '../../../../../../stages/model/define-backend.js'
import { askBackend } from '../../../../../support/backend-client.js'
import { claudeMessage } from '../../../../../support/fake-anthropic.js'
import { geminiAnswer } from '../../../../../support/fake-gemini.js'
import { completion } from '../../../../../support/fake-openai.js'
import { startFakeProvider, type Reply } from '../../../../../support/fake-provider.js'
import { picture } from '../../../../../support/own-task.js'

const responded = {
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'yes' }] }],
}

/** Opens a backend beside a store whose media have addresses. */
async function connect(
  backend: AnyBackend,
  args: Readonly<Record<string, unknown>>,
  { reply, origin = 'https://s3.example' }: { readonly reply: Reply; readonly origin?: string },
) {
  const server = await startFakeProvider(() => reply)
  onTestFinished(() => server.close())
  const asked: PresignOptions[] = []
  const presignMedia = (digest: MediaDigest, options: PresignOptions): Promise<string> => {
    asked.push(options)
    return Promise.resolve(
      `${origin}/b/${digest.slice(7, 15)}?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=5ec4e7${asked.length}`,
    )
  }
  const all = { model: 'm', base_url: server.url, api_key: 'sk-of-a-test-0123', max_retries: 0, ...args }
  const client = await askBackend(backend, all, {}, { presignMedia })
  const media = await client.addMedium(await picture(9))
  const image: MediaPart = { type: 'image', media }
  return { ...client, image, asked, bodies: () => server.seen.map(({ body }) => JSON.stringify(body)) }
}

const places: readonly (readonly [AnyBackend, object, RegExp])[] = [
  [openai, completion('yes'), /"image_url":\{"url":"(https:[^"]*)"/],
  [openaiResponses, responded, /"image_url":"(https:[^"]*)"/],
  [anthropic, claudeMessage('yes'), /"source":\{"type":"url","url":"(https:[^"]*)"/],
  [gemini, geminiAnswer('yes'), /"file_data":\{"mime_type":"image\/png","file_uri":"(https:[^"]*)"/],
]

test.each(places.map(([backend, body, place]) => [backend.id, backend, body, place] as const))(
  '%s downloads media from presigned addresses that are new for each attempt and outlive it',
  async (_, backend, body, place) => {
    const { ask, image, asked, bodies } = await connect(
      backend,
      { media_presigned: 'https', timeout: 900 },
      { reply: { body } },
    )
    await ask([image])
    await ask([image])
    const urls = bodies().map(text => place.exec(text)?.[1])
    expect(urls[0]).toMatch(/^https:\/\/s3\.example\/b\/\w{8}\?.*X-Amz-Signature=/)
    expect(urls[1]).not.toBe(urls[0])
    expect(bodies().join()).not.toContain('base64')
    expect(asked.slice(1)).toEqual([
      { seconds: 1500, type: 'image/png' },
      { seconds: 1500, type: 'image/png' },
    ])
  },
)

test('without media_presigned, sends media as bytes and signs no address', async () => {
  const { ask, image, asked, bodies } = await connect(openai, {}, { reply: { body: completion('yes') } })
  await ask([image])
  expect(bodies()[0]).toContain('data:image/png;base64,')
  expect(asked).toEqual([])
})

test('media_as=url takes precedence for data with an address, because it is part of the key', async () => {
  const args = { media_as: 'url', media_presigned: 'https' }
  const { ask, image, bodies } = await connect(openai, args, { reply: { body: completion('yes') } })
  await ask([{ ...image, url: 'https://data.example/a.png' }, image])
  expect(bodies()[0]).toContain('"url":"https://data.example/a.png"')
  expect(bodies()[0]).toContain('"url":"https://s3.example/b/')
})

test('rejects an endpoint without TLS unless the user allows it', async () => {
  const plain = { reply: { body: completion('yes') }, origin: 'http://10.0.0.7:9000' }
  await expect(connect(openai, { media_presigned: 'https' }, plain)).rejects.toThrow(
    'media_presigned: http://10.0.0.7:9000 has no TLS',
  )
  const { ask, image, bodies } = await connect(openai, { media_presigned: 'any' }, plain)
  await ask([image])
  expect(bodies()[0]).toContain('"url":"http://10.0.0.7:9000/b/')
})

test('a store whose media have no address rejects the argument', async () => {
  const args = { model: 'm', base_url: 'http://127.0.0.1:9', api_key: 'k', media_presigned: 'any' }
  await expect(askBackend(openai, args)).rejects.toThrow('the media of this store are files, to which no address leads')
})

test('removes the signature from failures and answers if the server repeats the address', async () => {
  const said = 'cannot download https://s3.example/b/1?X-Amz-Credential=AKIA%2F1&X-Amz-Signature=5ec4e72'
  const refused = { status: 400, body: { error: { message: said } } }
  const failing = await connect(openai, { media_presigned: 'https' }, { reply: refused })
  const { message } = await failing.failure([failing.image])
  expect(message).toContain('cannot download https://s3.example/b/1?X-Amz-Credential=***&X-Amz-Signature=***')
  const repeating = await connect(openai, { media_presigned: 'https' }, { reply: { body: completion(said) } })
  const { body } = await repeating.ask([repeating.image])
  expect(body.text).toContain('X-Amz-Signature=***')
  expect(JSON.stringify(body)).not.toContain('5ec4e7')
})
