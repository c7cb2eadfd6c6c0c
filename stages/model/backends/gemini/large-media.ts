import type { MediaDigest } from '../../../../cache/digest.js'
import { base64Length } from '../../../../cache/media/encode-medium.js'
import type { ContentPart, MediaPart } from '../../../../cache/records.js'
import type { BackendContext } from '../../define-backend.js'
import { AttemptError, type Model, type ModelRequest } from '../../model.js'
import type { SendingArgs } from '../http/protocol/api-backend.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { findMediaUrl } from '../http/protocol/request-parts.js'
import { mediaHeads, listMedia, type MediumHead } from '../http/wire/media-body.js'
import { convertMime, type PlacedPart } from './content-request.js'
import { openFileCalls } from './file-calls.js'
import { Uploads } from './uploads.js'

export interface LargeMediaOptions {
  readonly uploads: Uploads
  readonly context: BackendContext
  /** The maximum number of bytes of media inside one request. */
  readonly mostInline: number
  /** Tells whether the provider downloads a medium itself. */
  readonly isElsewhere: (part: MediaPart) => boolean
}

/** Wraps a model so that the largest media of a request that is too large are uploaded first, and sent by address. */
function withLargeMedia(inner: Model, options: LargeMediaOptions): Model {
  const headOf = mediaHeads(options.context, 'gemini')
  return {
    async answer(request, signal, watch, further) {
      const large = await largest(request, headOf, options)
      if (large.size === 0) return inner.answer(request, signal, watch, further)
      const fileUris = await unlessAborted(() => uploadMedia(large, options.uploads), signal)
      try {
        return await inner.answer(addFileUris(request, fileUris), signal, watch, further)
      } catch (error) {
        if (!(error instanceof AttemptError && error.isAccess)) throw error
        // An uploaded file is kept for two days. A missing one is reported like a wrong key.
        if (await options.uploads.areThere([...fileUris.keys()], signal)) throw error
        throw new AttemptError('server', error.message, { isRetryable: true, cause: error })
      }
    },
    async close() {
      await options.uploads.close()
      await inner.close?.()
    },
  }
}

/** Selects the largest media, as few as possible, until the rest of the request is small enough. */
async function largest(
  request: ModelRequest,
  headOf: (part: MediaPart) => Promise<MediumHead>,
  { mostInline, isElsewhere }: LargeMediaOptions,
): Promise<ReadonlyMap<MediaDigest, MediumHead>> {
  const media = listMedia(request).filter(part => !isElsewhere(part))
  const heads: (readonly [MediaDigest, MediumHead])[] = []
  for (const part of media) heads.push([part.media, await headOf(part)])
  const computeInlineSize = ({ bytes }: MediumHead): number => base64Length(bytes)
  let inline = heads.reduce((sum, [, head]) => sum + computeInlineSize(head), 0)
  const chosen = new Map<MediaDigest, MediumHead>()
  for (const [digest, head] of heads.sort(([, a], [, b]) => b.bytes - a.bytes)) {
    if (inline <= mostInline) break
    chosen.set(digest, head)
    inline -= computeInlineSize(head)
  }
  return chosen
}

async function uploadMedia(
  media: ReadonlyMap<MediaDigest, MediumHead>,
  uploads: Uploads,
): Promise<ReadonlyMap<MediaDigest, string>> {
  const fileUris = new Map<MediaDigest, string>()
  for (const [digest, { bytes, type }] of media)
    fileUris.set(digest, await uploads.place({ digest, bytes, mime: convertMime(digest, type) }))
  return fileUris
}

/** Waits for shared work. An aborted signal ends only the wait, since others may need the work. */
async function unlessAborted<T>(begin: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const ended = new AbortController()
  const aborted = new Promise<void>(resolve => {
    signal.addEventListener('abort', () => resolve(), { once: true, signal: ended.signal })
  })
  try {
    const work = begin()
    await Promise.race([work, aborted])
    signal.throwIfAborted()
    return await work
  } finally {
    ended.abort()
  }
}

function addFileUris(request: ModelRequest, fileUris: ReadonlyMap<MediaDigest, string>): ModelRequest {
  const addFileUri = (part: ContentPart): ContentPart => {
    if (part.type === 'text') return part
    const fileUri = fileUris.get(part.media)
    const at: PlacedPart = fileUri === undefined ? part : { ...part, fileUri }
    return at
  }
  const messages = request.input.messages.map(message => ({ ...message, content: message.content.map(addFileUri) }))
  return { ...request, input: { ...request.input, messages } }
}

interface UploadArguments extends SendingArgs {
  readonly max_inline_mb: number
  readonly media_as: 'bytes' | 'url'
  readonly media_presigned: 'off' | 'https' | 'any'
}

/** Applies {@link withLargeMedia} according to a backend's arguments. */
export function uploadingModel(
  inner: Model,
  {
    max_inline_mb: most,
    media_as: mediaAs,
    media_presigned: presigned,
    timeout,
    stall_timeout: stall,
  }: UploadArguments,
  { endpoint, context }: { readonly endpoint: Endpoint; readonly context: BackendContext },
): Model {
  const calls = openFileCalls(endpoint, stall * 1000)
  const uploads = new Uploads({ calls, endpoint, context, timeoutMs: timeout * 1000 })
  return withLargeMedia(inner, {
    uploads,
    context,
    mostInline: most * 1e6,
    isElsewhere: part => presigned !== 'off' || findMediaUrl(part, mediaAs) !== undefined,
  })
}
