import { messageOf } from '../../../../base/errors/errors.js'
import type { ChatMessage, ContentPart } from '../../../../cache/records.js'
import type { BackendContext } from '../../define-backend.js'
import { type Model, type ModelRequest, showingModel } from '../../model.js'
import { makeMediaError, mediaHeads } from '../http/wire/media-body.js'
import type { MediaForm } from './conversion-arguments.js'
import { takesFormat, type MediaApi } from './taken-formats.js'

/** The API, and what it is sent of pictures and sounds. */
export interface Conversion {
  readonly api: MediaApi
  readonly media: MediaForm
}

type ConvertRequest = (request: ModelRequest, signal: AbortSignal) => Promise<ModelRequest>

/** The format of what is made. PNG and WAV lose nothing that a model sees; `rgb` is a PNG without transparency. */
const targets = { image: 'png', audio: 'wav' } as const

const lmmsNote =
  'pictures are sent as lmms-eval sends them: PNG in RGB of 8 bits, the first frame, without transparency   (docs/models/media.md)'

/** Wraps a model so that pictures and sounds in formats that its API does not take are converted. */
export function convertingModel(inner: Model, conversion: Conversion, context: BackendContext): Model {
  return showingModel(inner, convertedRequests(conversion, context) ?? (request => Promise.resolve(request)))
}

/**
 * Returns a function that converts the pictures and sounds of a request, each once for all runs. A note at the first one of a format
 * in a run tells it.
 *
 * @returns undefined if media are sent as they are
 */
export function convertedRequests(conversion: Conversion, context: BackendContext): ConvertRequest | undefined {
  if (conversion.media === 'original' || context.deriveMedia === undefined) return undefined
  const deriveMedia = context.deriveMedia.bind(context)
  const readHead = mediaHeads(context, conversion.api)
  const convertPart = async (part: ContentPart, signal: AbortSignal): Promise<ContentPart> => {
    if ((part.type !== 'image' && part.type !== 'audio') || part.derive !== undefined) return part
    const { type } = await readHead(part)
    const isRgb = conversion.media === 'lmms' && part.type === 'image'
    if (!isRgb && takesFormat(conversion.api, type)) return part
    const to = isRgb ? 'rgb' : targets[part.type]
    // Earlier versions made transparent pixels black, and stores have their pictures.
    const form = isRgb && type.format === 'gif' ? { transparent: 'palette' } : {}
    const names = [type.format, to].map(name => name.toUpperCase())
    context.noteOnce?.(
      isRgb
        ? lmmsNote
        : `${conversion.api} does not take ${names[0]}: it is sent as ${names[1]}   (docs/models/media.md)`,
    )
    const make: Parameters<typeof deriveMedia>[2] = async (folder, stopped) => {
      const { convertFile } = await import('./convert-file.js')
      await using medium = await context.openMediaFile(part.media)
      try {
        return { files: [await convertFile(medium.path, { type, to, folder, signal: stopped })], about: {} }
      } catch (error) {
        stopped.throwIfAborted()
        throw makeMediaError(part.media, `${type.format.toUpperCase()} can't be converted: ${messageOf(error)}`, error)
      }
    }
    const { media } = await deriveMedia(part.media, { converted: to, ...form }, make, signal)
    return media[0] === undefined ? part : { type: part.type, media: media[0] }
  }
  return async (request, signal) => {
    const messages: ChatMessage[] = []
    for (const message of request.input.messages) {
      const content: ContentPart[] = []
      for (const part of message.content) content.push(await convertPart(part, signal))
      messages.push({ ...message, content })
    }
    return { ...request, input: { ...request.input, messages } }
  }
}
