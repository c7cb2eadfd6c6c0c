import { z } from 'zod'
import { PipelineError } from '../../../../../base/errors/errors.js'
import type { MediaDigest } from '../../../../../cache/digest.js'
import type { ContentPart, MediaPart } from '../../../../../cache/records.js'
import { transport } from '../../../backend-args.js'
import type { BackendContext } from '../../../define-backend.js'
import type { ModelRequest } from '../../../model.js'
import type { MediumHead } from '../wire/media-body.js'

/** Declares whether media in object storage are sent by addresses from which the provider downloads them. */
export const mediaPresignedArg = transport(
  z
    .enum(['off', 'https', 'any'])
    .default('off')
    .describe(
      'media in object storage are sent by presigned addresses, which the server downloads; any: also by http, in a network that you trust',
    ),
)

/** A medium with an address that whoever has it can read for a while. It is part of one attempt, and of nothing that is stored. */
export interface SignedPart extends MediaPart {
  readonly signedUrl?: string
}

export interface PresigningArgs {
  readonly media_presigned?: 'off' | 'https' | 'any'
}

/** Adds addresses to the media of a request. */
export type SignMedia = (request: ModelRequest, heads: ReadonlyMap<MediaDigest, MediumHead>) => Promise<ModelRequest>

/** The time that an address outlives the attempt, in seconds, because clocks differ. */
const reserve = 600

/**
 * Makes the function that adds addresses to the media of a request.
 *
 * @returns undefined if media are sent as bytes
 * @throws PipelineError if no address leads to the media of the store, or if it would be read on the way
 */
export async function openPresigning(
  { media_presigned: mode = 'off', timeout }: PresigningArgs & { readonly timeout: number },
  { presignMedia }: Pick<BackendContext, 'presignMedia'>,
): Promise<SignMedia | undefined> {
  if (mode === 'off') return undefined
  if (presignMedia === undefined)
    throw new PipelineError(
      'config',
      'media_presigned: the media of this store are files, to which no address leads. Use a store with media=s3://bucket/prefix, or media_presigned=off.',
    )
  const seconds = Math.ceil(timeout) + reserve
  const { origin, protocol } = new URL(await presignMedia(noMedium, { seconds: 1 }))
  if (mode === 'https' && protocol !== 'https:')
    throw new PipelineError(
      'config',
      `media_presigned: ${origin} has no TLS, so that others could read the media on their way. Use an endpoint with https, or media_presigned=any in a network that you trust.`,
    )
  return async ({ input, ...request }, heads) => {
    const addUrl = async (part: ContentPart): Promise<ContentPart> => {
      if (part.type === 'text') return part
      const type = heads.get(part.media)?.type.mime
      const signedUrl = await presignMedia(part.media, { seconds, ...(type !== undefined && { type }) })
      const signed: SignedPart = { ...part, signedUrl }
      return signed
    }
    const messages = input.messages.map(async message => ({
      ...message,
      content: await Promise.all(message.content.map(addUrl)),
    }))
    return { ...request, input: { ...input, messages: await Promise.all(messages) } }
  }
}

/** Stands for any medium where only the server's address matters. */
const noMedium = `sha256:${'0'.repeat(64)}` as MediaDigest
