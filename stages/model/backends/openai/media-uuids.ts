import type { BackendContext } from '../../define-backend.js'
import { AttemptError, type Model } from '../../model.js'
import { listMedia } from '../http/wire/media-body.js'

/** The state of one opened model: whether its requests name media by their digests. */
export interface MediaUuids {
  readonly isSent: () => boolean
  /** Wraps the model that sends them. If the server rejects them, they are left out from then on. */
  wrap(model: Model): Model
}

/** Opens the state for a model. vLLM computes a medium once if requests name it by the same `uuid`. */
export function openMediaUuids(isAsked: boolean, { note }: Pick<BackendContext, 'note'>): MediaUuids {
  let isOn = isAsked
  const stop = (): void => {
    if (isOn) note?.('the server does not take the uuid of media: they are sent without it   (media_uuid)')
    isOn = false
  }
  return {
    isSent: () => isOn,
    wrap: inner =>
      isAsked
        ? {
            ...inner,
            async answer(request, ...others) {
              const wasOn = isOn
              try {
                return await inner.answer(request, ...others)
              } catch (error) {
                if (!wasOn || !isAboutUuid(error) || listMedia(request).length === 0) throw error
                stop()
                return inner.answer(request, ...others)
              }
            },
          }
        : inner,
  }
}

const isAboutUuid = (error: unknown): boolean =>
  error instanceof AttemptError && error.class === 'invalid_request' && /\buuid\b/i.test(error.message)
