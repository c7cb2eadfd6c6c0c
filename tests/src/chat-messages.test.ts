import { basename } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { MediaDigest } from '../../cache/digest.js'
import type { ChatMessage, ContentPart, JsonObject } from '../../cache/records.js'
import { readMessages } from '../../stages/input/render/messages.js'
import { openai } from '../../stages/model/backends/openai.js'
import { AttemptError } from '../../stages/model/model.js'
import { askBackend, type AskedBackend } from '../support/backend-client.js'
import { startFakeOpenai } from '../support/fake-openai.js'
import { goldenRows } from '../support/golden.js'

interface Row {
  readonly id: string
  readonly kind: string
  readonly input: unknown
  /** What the messages become for each form of a server's protocol; the one where a video is sent as it is has them all. */
  readonly expected: { readonly openai_pass_video_url: Body | { readonly error: JsonObject } }
}

type Body = readonly { readonly role: string; readonly content: readonly JsonObject[] }[]

const rows = goldenRows<Row>('tasks/machinery.jsonl.gz').filter(({ kind }) => kind === 'chat_messages')
const row = (number: number): Row => rows.find(({ id }) => id.endsWith(`/${number}`))!
const given = ({ expected: { openai_pass_video_url: body } }: Row): Body | undefined =>
  'error' in body ? undefined : body

const media: Readonly<Record<string, { readonly type: 'audio' | 'video'; readonly bytes: Buffer }>> = {
  'v.mp4': { type: 'video', bytes: Buffer.concat([Buffer.from([0, 0, 0, 16]), Buffer.from('ftypisom\0\0\0\0')]) },
  'a.wav': { type: 'audio', bytes: Buffer.from('RIFF\x24\0\0\0WAVEfmt ') },
}
const inBase64 = (name: string): string => media[name]!.bytes.toString('base64')

/** The messages that the server is sent for what a task's `doc_to_messages` gave. */
async function sent(messages: unknown, args: JsonObject = {}): Promise<{ body: Body; paths: readonly string[] }> {
  const server = await startFakeOpenai()
  onTestFinished(() => server.close())
  const backend = await askBackend(openai, { model: 'm', base_url: server.url, ...args }, { OPENAI_API_KEY: 'sk-x' })
  const { stored, digests } = await storedMessages(messages, backend)
  await backend.answer({ type: 'generate_until', messages: stored })
  const { messages: body } = JSON.parse(server.seen[0]!.text) as { readonly messages: Body }
  return { body, paths: digests.map(digest => digest.slice('sha256:'.length)) }
}

/** As the input stage stores them: media by their bytes, and the address that one was named by. */
async function storedMessages(messages: unknown, { addMedium }: AskedBackend) {
  const digests: MediaDigest[] = []
  const stored: ChatMessage[] = []
  for (const { role, content } of readMessages(messages)) {
    const parts: ContentPart[] = []
    for (const part of content) {
      if (part.type === 'text') {
        parts.push(part)
        continue
      }
      const source = part.source as string
      const { type, bytes } = media[basename(source)]!
      const digest = await addMedium(bytes)
      digests.push(digest)
      const url = source.startsWith('https:') ? { url: source } : {}
      parts.push({ type, media: digest, ...url, ...(part.derive === undefined ? {} : { derive: part.derive }) })
    }
    stored.push({ role, content: parts })
  }
  return { stored, digests }
}

/** Expected differences from lmms-eval: a single text is a text, and media are sent as bytes. */
function meant(body: Body): unknown {
  return body.map(({ role, content }) => {
    const [only] = content
    if (content.length === 1 && only?.['type'] === 'text') return { role, content: only['text'] }
    return { role, content: content.map(meantPart) }
  })
}

function meantPart(part: JsonObject): JsonObject {
  if (part['type'] === 'audio_url')
    return { type: 'input_audio', input_audio: { data: inBase64('a.wav'), format: 'wav' } }
  if (part['type'] === 'video_url')
    return { type: 'video_url', video_url: { url: `data:video/mp4;base64,${inBase64('v.mp4')}` } }
  return part
}

describe('a chat server gets what lmms-eval sends', () => {
  it('roles, order, texts and kinds of parts are equal; a single text is a text, and media are sent as bytes', async () => {
    const same = rows.filter(({ id }) => ['/0', '/3', '/5', '/6', '/8', '/9', '/16'].some(end => id.endsWith(end)))
    expect(same).toHaveLength(7)
    for (const { id, input, expected } of same)
      expect((await sent(input)).body, id).toEqual(meant(expected.openai_pass_video_url as Body))
  })

  it('media_as sends a video by its file or its address, if the server reads both', async () => {
    const { body, paths } = await sent(row(3).input, { media_as: 'file' })
    const url = JSON.stringify(body).match(/file:\/\/[^"]*/)?.[0]
    expect(basename(url!)).toBe(paths[0])
    expect(body).toEqual(JSON.parse(JSON.stringify(given(row(3))).replace('file://<ABS>/v.mp4', url!)))
    expect((await sent(row(5).input, { media_as: 'url' })).body).toEqual(given(row(5)))
  })

  it('sends the requested part of a video, and never the whole instead', async () => {
    expect(given(row(4))).toEqual(given(row(3)))
    const error: unknown = await sent(row(4).input).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(AttemptError)
    expect(String(error)).toMatch(/sends media as they are, without start, end/)
  })

  it('rejects a value that is not a message, as lmms-eval does', () => {
    for (const [number, reason] of [
      [10, 'role must be system, user or assistant'],
      [12, 'a part must be text, image, audio, video or file'],
    ] as const) {
      expect(given(row(number))).toBeUndefined()
      expect(() => readMessages(row(number).input)).toThrow(reason)
    }
  })

  it('accepts a text in place of parts, which lmms-eval rejects', async () => {
    expect(given(row(11))).toBeUndefined()
    expect((await sent(row(11).input)).body).toEqual([{ role: 'user', content: 'plain string' }])
  })

  it('accepts sound as a file or bytes, not as a list of samples', () => {
    expect(() => readMessages(row(7).input)).toThrow(
      'expected media ({bytes, path}, bytes or a path), given {"array":[0]',
    )
  })

  it('covers every row', () => {
    expect(rows.map(({ id }) => Number(id.split('/').at(-1)))).toEqual([0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16])
  })
})
