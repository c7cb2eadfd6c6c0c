import type { GenerationKwargs, Input, MediaPart } from '../../../cache/records.js'

/** An estimate of a number of tokens: the likely value, and nearly certain bounds. */
export interface TokenRange {
  readonly low: number
  readonly likely: number
  readonly high: number
}

/** The range of nothing. */
export const noTokens: TokenRange = { low: 0, likely: 0, high: 0 }

/** Adds two estimates, bound by bound. */
export const addRanges = (a: TokenRange, b: TokenRange): TokenRange => ({
  low: a.low + b.low,
  likely: a.likely + b.likely,
  high: a.high + b.high,
})

/** UTF-8 bytes for each token: four in English, and nearly as many in scripts with more bytes a letter. */
const bytesPerToken = { low: 5, likely: 4, high: 3 }
/** The tokens that frame one message of a conversation. */
const tokensPerMessage = 4
/**
 * The tokens of one medium of unknown size. The bounds stand for a small and a large image by the rules of the large
 * providers, seconds and minutes of audio and video, and one and fifty pages of a document.
 */
const tokensPerMedium: Readonly<Record<MediaPart['type'], TokenRange>> = {
  image: { low: 85, likely: 800, high: 1_600 },
  audio: { low: 50, likely: 500, high: 5_000 },
  video: { low: 500, likely: 8_000, high: 100_000 },
  file: { low: 250, likely: 10_000, high: 150_000 },
}

/** Returns the tokens of an image, if model and image size are known. */
export type KnownTokens = (part: MediaPart) => number | undefined

/**
 * Estimates the input tokens of a request from its text and media. Tokenizers and the prices of images differ.
 *
 * @param knownTokens returns the tokens of images for the model
 */
export function estimateInput({ messages, continuation = '', tools }: Input, knownTokens?: KnownTokens): TokenRange {
  let bytes = Buffer.byteLength(continuation)
  if (tools !== undefined) bytes += Buffer.byteLength(JSON.stringify(tools))
  const media = { low: 0, likely: 0, high: 0 }
  for (const { content } of messages)
    for (const part of content) {
      if (part.type === 'text') bytes += Buffer.byteLength(part.text)
      else {
        const tokens = exactly(knownTokens?.(part)) ?? tokensPerMedium[part.type]
        media.low += tokens.low
        media.likely += tokens.likely
        media.high += tokens.high
      }
    }
  const frame = messages.length * tokensPerMessage
  return {
    low: Math.ceil(bytes / bytesPerToken.low) + media.low,
    likely: Math.ceil(bytes / bytesPerToken.likely) + media.likely + frame,
    high: Math.ceil(bytes / bytesPerToken.high) + media.high + 2 * frame,
  }
}

const exactly = (tokens: number | undefined): TokenRange | undefined =>
  tokens === undefined ? undefined : { low: tokens, likely: tokens, high: tokens }

/** The maximum number of output tokens that backends request if the task sets none. */
const defaultMaximum = 1_024

/** Returns the maximum number of output tokens, as far as the request states it. */
export const mostOutput = ({ type }: Pick<Input, 'type'>, { max_new_tokens: most }: GenerationKwargs): number =>
  type.startsWith('loglikelihood') ? 1 : (most ?? defaultMaximum)
