import { startFakeProvider, type FakeProvider, type ProviderRequest, type Reply } from './fake-provider.js'

/** An answer in the format of `generateContent`. */
export const geminiAnswer = (
  parts: string | readonly object[],
  candidate: object = {},
  fields: object = {},
): object => ({
  candidates: [
    {
      content: { role: 'model', parts: typeof parts === 'string' ? [{ text: parts }] : parts },
      finishReason: 'STOP',
      index: 0,
      ...candidate,
    },
  ],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 3, totalTokenCount: 10 },
  modelVersion: 'gemini-fake',
  responseId: 'mAitaLmkHPPlz7IPvtfUqQ4',
  ...fields,
})

/** An error in the format of Google's APIs. */
export const googleError = (code: number, status: string, details: readonly object[] = []): object => ({
  error: { code, message: `told to answer ${status}`, status, details },
})

/** A fake of the Gemini API that validates requests as strictly. */
export const startFakeGemini = (
  reply: (request: ProviderRequest) => Reply = () => ({ body: geminiAnswer('yes') }),
): Promise<FakeProvider> =>
  startFakeProvider(request => {
    const { method, path, headers } = request
    if (method !== 'POST' || !/^\/v1(beta|alpha)?\/(models|tunedModels)\/[^/:]+:generateContent$/.test(path))
      return { status: 404, body: googleError(404, 'NOT_FOUND') }
    if (headers['x-goog-api-key'] === undefined) return { status: 403, body: googleError(403, 'PERMISSION_DENIED') }
    return reply(request)
  })
