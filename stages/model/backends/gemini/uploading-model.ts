import type { BackendContext, Model } from '../../define-backend.js'
import type { SendingArgs } from '../http/protocol/api-arguments.js'
import type { Endpoint } from '../http/protocol/endpoint.js'
import { addressOf } from '../http/protocol/media-address.js'
import { openFileCalls } from './file-calls.js'
import { withLargeMedia } from './large-media.js'
import { Uploads } from './uploads.js'

interface UploadArguments extends SendingArgs {
  readonly max_inline_mb: number
  readonly media_as: 'bytes' | 'url'
}

/** {@link withLargeMedia} by a backend's arguments. */
export function uploadingModel(
  inner: Model,
  { max_inline_mb: most, media_as: mediaAs, timeout, stall_timeout: stall }: UploadArguments,
  { endpoint, context }: { readonly endpoint: Endpoint; readonly context: BackendContext },
): Model {
  const calls = openFileCalls(endpoint, stall * 1000)
  const uploads = new Uploads({ calls, endpoint, context, timeoutMs: timeout * 1000 })
  return withLargeMedia(inner, {
    uploads,
    context,
    mostInline: most * 1e6,
    isElsewhere: part => addressOf(part, mediaAs) !== undefined,
  })
}
