import { Duplex, Transform } from 'node:stream'
import { createBrotliDecompress, createInflate, createInflateRaw, createUnzip } from 'node:zlib'
import { unzstandard } from '../../../../../base/zstandard.js'
import { malformed } from '../protocol/failure.js'

/**
 * What undoes the encoding of an answer that nobody asked for and some gateways choose all the same; undefined where there
 * is none. @throws AttemptError where it is not known.
 */
export function decoderOf(encoding: string): Duplex | undefined {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createUnzip()
    case 'deflate':
      return inflater()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return Duplex.from(buffers)
    default:
      throw malformed(`answered in the encoding ${encoding}, which nobody asked for`)
  }
}

/** The word means zlib's format; some servers send what is within it alone, which begins otherwise. */
function inflater(): Transform {
  let inner: Transform | undefined
  return new Transform({
    transform(chunk: Buffer, _, done) {
      inner ??= opened(((chunk[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw(), this)
      inner.write(chunk, () => done())
    },
    flush(done) {
      if (inner === undefined) return done()
      inner.once('end', () => done())
      inner.end()
    },
  })
}

function opened(inner: Transform, outer: Transform): Transform {
  inner.on('data', (chunk: Buffer) => outer.push(chunk))
  inner.once('error', error => outer.destroy(error))
  return inner
}

async function* buffers(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of unzstandard(compressed))
    yield Buffer.from(buffer, byteOffset, byteLength)
}
