import type { GenerationKwargs, Input, MediaPart } from '../../../cache/records.js'

/** About how many tokens something has: most likely, and between which numbers it nearly always is. */
export interface TokenRange {
  readonly low: number
  readonly likely: number
  readonly high: number
}

/** Bytes of UTF-8 a token: four of English, and nearly as many of what has more bytes a letter. */
const bytesPerToken = { low: 5, likely: 4, high: 3 }
/** What the turns of a conversation are framed by. */
const tokensPerMessage = 4
/**
 * Tokens of one medium, where nothing is known of its size: a small picture and a large one by the rules of the larger providers,
 * seconds and minutes of sound and video, a page and fifty of a document.
 */
export const tokensPerMedium: Readonly<Record<MediaPart['type'], TokenRange>> = {
  image: { low: 85, likely: 800, high: 1_600 },
  audio: { low: 50, likely: 500, high: 5_000 },
  video: { low: 500, likely: 8_000, high: 100_000 },
  file: { low: 250, likely: 10_000, high: 150_000 },
}

/** How many tokens a picture is, where that is known of the model and the picture. */
export type KnownTokens = (part: MediaPart) => number | undefined

/**
 * How many tokens a request's input has, guessed from its text and media. Tokenizers differ; so do prices of pictures.
 *
 * @param known what pictures are to the model that is asked
 */
export function estimateInput({ messages, continuation = '', tools }: Input, known?: KnownTokens): TokenRange {
  let bytes = Buffer.byteLength(continuation)
  if (tools !== undefined) bytes += Buffer.byteLength(JSON.stringify(tools))
  const media = { low: 0, likely: 0, high: 0 }
  for (const { content } of messages)
    for (const part of content) {
      if (part.type === 'text') bytes += Buffer.byteLength(part.text)
      else {
        const one = exactly(known?.(part)) ?? tokensPerMedium[part.type]
        media.low += one.low
        media.likely += one.likely
        media.high += one.high
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

/** What backends ask for where a task does not say how long an answer may be. */
const usualMaximum = 1_024

/** The most tokens that the answer may have, as far as the request says it. */
export const mostOutput = ({ type }: Pick<Input, 'type'>, { max_new_tokens: most }: GenerationKwargs): number =>
  type.startsWith('loglikelihood') ? 1 : (most ?? usualMaximum)
