import { Readable } from 'node:stream'
import type { HeldBody } from './held-media.js'
import type { Body } from './media-body.js'

/** Callbacks for the progress of a body. */
export interface BodyWatch {
  readonly onSent: (bytes: number) => void
  readonly onEnd: () => void
}

const longestAtOnce = 256 * 1024

/** Converts a body to the form that undici needs. Large bodies are sent in pieces, so that a stall is noticed. */
export function sentBody(body: Body | HeldBody, watch: BodyWatch): Buffer | Readable {
  if ('parts' in body) return sentParts(body.parts, body.length, watch)
  const { content } = body
  if (typeof content !== 'string') return Readable.from(watchPieces(content, watch), { highWaterMark: 1 })
  const bytes = Buffer.from(content)
  return sentParts([bytes], bytes.length, watch)
}

function sentParts(parts: readonly Buffer[], length: number, watch: BodyWatch): Buffer | Readable {
  const [only] = parts
  if (length > longestAtOnce) return new PartsStream(parts, watch)
  return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts, length)
}

/** Streams buffers in pieces. It takes a third of the time of a generator in `Readable.from`. */
class PartsStream extends Readable {
  readonly #parts: readonly Buffer[]
  readonly #watch: BodyWatch
  #part = 0
  #position = 0
  #unseen = 0

  constructor(parts: readonly Buffer[], watch: BodyWatch) {
    super({ highWaterMark: 1 })
    this.#parts = parts
    this.#watch = watch
  }

  override _read(): void {
    // This call shows that the previous piece was consumed.
    if (this.#unseen > 0) this.#watch.onSent(this.#unseen)
    const part = this.#parts[this.#part]
    const piece = part?.subarray(this.#position, this.#position + longestAtOnce)
    this.#unseen = piece?.length ?? 0
    if (part === undefined || piece === undefined) {
      this.#watch.onEnd()
      this.push(null)
      return
    }
    this.#position += piece.length
    if (this.#position >= part.length) {
      this.#part += 1
      this.#position = 0
    }
    this.push(piece)
  }
}

async function* watchPieces(
  content: AsyncIterable<Uint8Array>,
  { onSent, onEnd }: BodyWatch,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    yield piece
    // The generator continues only after the piece was consumed.
    onSent(piece.length)
  }
  onEnd()
}
