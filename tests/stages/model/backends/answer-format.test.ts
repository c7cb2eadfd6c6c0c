import { describe, expect, onTestFinished, test } from 'vitest'
import type { GenerationKwargs, JsonObject } from '../../../../cache/records.js'
import { anthropic } from '../../../../stages/model/backends/anthropic.js'
import { gemini } from '../../../../stages/model/backends/gemini.js'
import { ollama } from '../../../../stages/model/backends/ollama.js'
import { openai } from '../../../../stages/model/backends/openai.js'
import { openaiResponses } from '../../../../stages/model/backends/openai-responses.js'
import type { AnyBackend } from '../../../../stages/model/define-backend.js'
import { askBackend } from '../../../support/backend-client.js'
import { startFakeProvider } from '../../../support/fake-provider.js'

const schema: JsonObject = { type: 'object', properties: { right: { type: 'integer' } }, required: ['right'] }
const withSchema: GenerationKwargs = {
  response_format: { type: 'json_schema', json_schema: { name: 'verdict', schema, strict: true } },
}
const withObject: GenerationKwargs = { response_format: { type: 'json_object' } }
const withText: GenerationKwargs = { response_format: { type: 'text' } }

/** Returns the body that a backend sends for generation kwargs. What the server replies does not matter. */
async function readSentBody(backend: AnyBackend, generation: GenerationKwargs): Promise<JsonObject> {
  const server = await startFakeProvider(({ method }) => ({ body: method === 'GET' ? { version: '0.12.6' } : {} }))
  onTestFinished(() => server.close())
  const { ask } = await askBackend(backend, { model: 'm', base_url: server.url, api_key: 'k' })
  const failed = await ask('Hi', generation).catch((error: unknown) => error)
  const body = server.seen.at(-1)?.body
  if (body === undefined || server.seen.at(-1)?.method === 'GET') throw failed
  return body as JsonObject
}

describe.each<readonly [string, AnyBackend, JsonObject, JsonObject | string]>([
  [
    'openai',
    openai,
    { response_format: withSchema['response_format'] },
    { response_format: withObject['response_format'] },
  ],
  [
    'openai_responses',
    openaiResponses,
    { text: { format: { type: 'json_schema', name: 'verdict', schema, strict: true } } },
    { text: { format: { type: 'json_object' } } },
  ],
  ['anthropic', anthropic, { output_config: { format: { type: 'json_schema', schema } } }, 'takes a json_schema'],
  [
    'gemini',
    gemini,
    { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } },
    { generationConfig: { responseMimeType: 'application/json' } },
  ],
  ['ollama', ollama, { format: schema }, { format: 'json' }],
])('%s', (_, backend, forSchema, forObject) => {
  test('sends a schema in the field of its protocol', async () => {
    expect(await readSentBody(backend, withSchema)).toMatchObject(forSchema)
  })

  test('sends JSON without a schema in the field of its protocol, or rejects it', async () => {
    if (typeof forObject === 'string') await expect(readSentBody(backend, withObject)).rejects.toThrow(forObject)
    else expect(await readSentBody(backend, withObject)).toMatchObject(forObject)
  })

  test('sends no additional field for plain text', async () => {
    const fields = Object.keys(await readSentBody(backend, withText)).filter(name => name !== 'response_format')
    expect(fields).toEqual(Object.keys(await readSentBody(backend, {})))
  })
})

test.each([{ type: 'regex' }, { type: 'json_schema', json_schema: { name: 'a' } }, 'json'])(
  'rejects a format that OpenAI does not define: %j',
  async format => {
    await expect(readSentBody(gemini, { response_format: format })).rejects.toThrow('response_format: expected')
  },
)
