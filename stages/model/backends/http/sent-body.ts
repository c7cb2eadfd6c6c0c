import { Readable } from 'node:stream'
import type { Body } from './media-body.js'

/** Is told what moves of a body. */
export interface BodyWatch {
  readonly onSent: (bytes: number) => void
  readonly onEnd: () => void
}

const longestAtOnce = 256 * 1024

/** A body in the form that undici takes. Large ones are sent in pieces, so that it is seen whether they move. */
export function sentBody({ content }: Body, watch: BodyWatch): Buffer | Readable {
  if (typeof content !== 'string') return Readable.from(seen(content, watch), { highWaterMark: 1 })
  const bytes = Buffer.from(content)
  if (bytes.length <= longestAtOnce) return bytes
  return Readable.from(seen(piecesOf(bytes), watch), { highWaterMark: 1 })
}

function* piecesOf(bytes: Buffer): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += longestAtOnce) yield bytes.subarray(start, start + longestAtOnce)
}

async function* seen(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { onSent, onEnd }: BodyWatch,
): AsyncGenerator<Uint8Array> {
  for await (const piece of content) {
    yield piece
    // Only now it was taken on.
    onSent(piece.length)
  }
  onEnd()
}
