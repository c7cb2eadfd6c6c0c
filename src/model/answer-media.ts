import { sniffMediaType } from '../../base/media/media-type.js'
import type { MediaPart } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { BatchClient } from '../../stages/model/batch/batch-client.js'
import { AttemptError, type Model, type ModelAnswer } from '../../stages/model/model.js'

type MediaStore = Pick<Store['media'], 'addBytes'>

/** Stores the media of each answer of a model, and names them in the answer by their digests. */
export const keepingMedia = (model: Model, media: MediaStore): Model => ({
  ...model,
  answer: async (request, ...others) => keepMedia(await model.answer(request, ...others), media),
})

/** Stores the media of each answer of a batch. */
export function keepingMediaOfBatches(client: BatchClient, media: MediaStore): BatchClient {
  const results = client.results.bind(client)
  return Object.assign(client, {
    async *results(id: string, signal: AbortSignal) {
      for await (const result of results(id, signal))
        yield { ...result, keep: (answer: ModelAnswer) => keepMedia(answer, media) }
    },
  })
}

/** The media are durable before the answer is committed, so that no stored answer names a medium that is missing. */
async function keepMedia({ media = [], ...answer }: ModelAnswer, store: MediaStore): Promise<ModelAnswer> {
  if (media.length === 0) return answer
  const parts: MediaPart[] = []
  for (const bytes of media) {
    const type = sniffMediaType(bytes)
    if (type === undefined) throw makeUnknownFormatError(bytes, answer)
    parts.push({ type: type.kind, media: (await store.addBytes(bytes)).digest })
  }
  return { ...answer, body: { ...answer.body, content: [...(answer.body.content ?? []), ...parts] } }
}

const makeUnknownFormatError = (bytes: Uint8Array, { usage }: ModelAnswer): AttemptError =>
  new AttemptError(
    'media',
    `the answer holds a medium of unknown format (${bytes.length} bytes). Sound without a header (pcm16) can't be stored: request another format, such as wav`,
    { isRetryable: false, usage },
  )
