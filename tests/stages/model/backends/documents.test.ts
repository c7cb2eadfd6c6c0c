import { expect, onTestFinished, test } from 'vitest'
import type { MediaPart } from '../../../../cache/records.js'
import { anthropic } from '../../../../stages/model/backends/anthropic.js'
import { gemini } from '../../../../stages/model/backends/gemini.js'
import { openai } from '../../../../stages/model/backends/openai.js'
import { openaiResponses } from '../../../../stages/model/backends/openai-responses.js'
import { deepseek, openrouter } from '../../../../stages/model/backends/openai/presets.js'
import type { AnyBackend } from '../../../../stages/model/define-backend.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import { askBackend, contextOf } from '../../../support/backend-client.js'
import { claudeMessage } from '../../../support/fake-anthropic.js'
import { geminiAnswer } from '../../../support/fake-gemini.js'
import { completion, openaiResponse } from '../../../support/fake-openai.js'
import { startFakeProvider } from '../../../support/fake-provider.js'

const env = { OPENAI_API_KEY: 'k', OPENROUTER_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' }

/** One question with media, as a provider gets it. */
async function sentTo(
  backend: AnyBackend,
  { answer, media, args = {} }: { answer: object; media: readonly Medium[]; args?: Record<string, unknown> },
): Promise<unknown> {
  const server = await startFakeProvider(() => ({ body: answer }))
  onTestFinished(() => server.close())
  const { ask, addMedium } = await askBackend(backend, { model: 'm', base_url: `${server.url}/v1`, ...args }, env)
  const parts: MediaPart[] = []
  for (const { type, bytes, url } of media)
    parts.push({ type, media: await addMedium(bytes), ...(url === undefined ? {} : { url }) })
  await ask([...parts, { type: 'text', text: 'What does it say?' }])
  return server.seen[0]!.body
}

interface Medium {
  readonly type: MediaPart['type']
  readonly bytes: Buffer
  readonly url?: string
}

const pdf: Medium = { type: 'file', bytes: Buffer.from('%PDF-1.7\n1 0 obj\n%%EOF\n') }
const base64 = pdf.bytes.toString('base64')
const longPdf: Medium = { type: 'file', bytes: Buffer.concat([pdf.bytes, Buffer.alloc(900_000, 'x')]) }
const url = 'https://data.example/a"b.pdf?x=1&y=2'
const atUrl = { ...pdf, url }
const png: Medium = {
  type: 'image',
  bytes: Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  url: 'https://data.example/a.png',
}

test('chat completions send a PDF as a file part, with any preset', async () => {
  for (const backend of [openai, openrouter]) {
    const file = { filename: 'document.pdf', file_data: `data:application/pdf;base64,${base64}` }
    expect(await sentTo(backend, { answer: completion('yes'), media: [pdf] })).toEqual({
      model: 'm',
      temperature: 0,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', file },
            { type: 'text', text: 'What does it say?' },
          ],
        },
      ],
    })
  }
})

test('chat completions send a PDF as bytes even with media_as=url, and a picture by its address', async () => {
  const sent = await sentTo(openai, { answer: completion('yes'), media: [atUrl, png], args: { media_as: 'url' } })
  expect(sent).toMatchObject({
    messages: [
      {
        content: [
          { type: 'file', file: { filename: 'document.pdf', file_data: `data:application/pdf;base64,${base64}` } },
          { type: 'image_url', image_url: { url: png.url } },
          { type: 'text' },
        ],
      },
    ],
  })
})

test('the Responses API sends a PDF as an input file, as bytes or by its address', async () => {
  const answer = openaiResponse('yes')
  const contentOf = async (media: Medium, args = {}) => {
    const body = (await sentTo(openaiResponses, { answer, media: [media], args })) as {
      input: readonly [{ content: readonly unknown[] }]
    }
    return body.input[0].content[0]
  }
  expect(await contentOf(longPdf)).toEqual({
    type: 'input_file',
    filename: 'document.pdf',
    file_data: `data:application/pdf;base64,${longPdf.bytes.toString('base64')}`,
  })
  expect(await contentOf(atUrl, { media_as: 'url', detail: 'low' })).toEqual({
    type: 'input_file',
    detail: 'low',
    file_url: url,
  })
  expect(await contentOf(png, { media_as: 'url' })).toEqual({
    type: 'input_image',
    detail: 'auto',
    image_url: png.url,
  })
})

test('Claude gets a PDF as a document, and media by their addresses', async () => {
  const answer = claudeMessage('yes')
  expect(await sentTo(anthropic, { answer, media: [pdf, png] })).toEqual({
    model: 'm',
    max_tokens: 4096,
    temperature: 0,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.bytes.toString('base64') } },
          { type: 'text', text: 'What does it say?' },
        ],
      },
    ],
  })
  expect(await sentTo(anthropic, { answer, media: [atUrl, png, pdf], args: { media_as: 'url' } })).toMatchObject({
    messages: [
      {
        content: [
          { type: 'document', source: { type: 'url', url } },
          { type: 'image', source: { type: 'url', url: png.url } },
          { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: base64 } },
          { type: 'text' },
        ],
      },
    ],
  })
})

test('Gemini gets a PDF like other media, and media by their addresses', async () => {
  const answer = geminiAnswer('yes')
  expect(await sentTo(gemini, { answer, media: [pdf] })).toMatchObject({
    contents: [
      {
        role: 'user',
        parts: [{ inline_data: { mime_type: 'application/pdf', data: base64 } }, { text: 'What does it say?' }],
      },
    ],
  })
  expect(await sentTo(gemini, { answer, media: [atUrl, png], args: { media_as: 'url' } })).toMatchObject({
    contents: [
      {
        parts: [
          { file_data: { mime_type: 'application/pdf', file_uri: url } },
          { file_data: { mime_type: 'image/png', file_uri: png.url } },
          { text: 'What does it say?' },
        ],
      },
    ],
  })
})

test('sends no request with a PDF to a provider that does not accept it', async () => {
  const { failure, addMedium } = await askBackend(
    deepseek,
    { model: 'm', base_url: 'http://127.0.0.1:9/v1', api_key: 'k' },
    {},
  )
  const { class: name, message } = await failure([{ type: 'file', media: await addMedium(pdf.bytes) }])
  expect(`${name}: ${message}`).toBe('invalid_request: deepseek: file is not supported')
})

test.each([anthropic, gemini, openaiResponses])(
  'the keys of $id contain media_as only if it is not bytes',
  async backend => {
    const identityOf = (args: Record<string, unknown>) =>
      backend.identify(parseModelArgs(backend, { model: 'm', ...args }) as never, contextOf(env))
    expect((await identityOf({ media_as: 'bytes' })).args).toEqual({ model: 'm' })
    expect((await identityOf({ media_as: 'url' })).args).toEqual({ model: 'm', media_as: 'url' })
  },
)
