import { Transform } from 'node:stream'
import { createBrotliDecompress, createInflate, createInflateRaw, createUnzip } from 'node:zlib'
import { messageOf } from '../../../../base/errors.js'
import { malformed } from './failure.js'

/**
 * What undoes the encoding of an answer that nobody asked for and some gateways choose all the same; undefined where there
 * is none. @throws AttemptError where it is not known.
 */
export function decoderOf(encoding: string): Transform | undefined {
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
      return unzstandard()
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

function unzstandard(): Transform {
  let push: ((bytes: Uint8Array, isLast: boolean) => void) | undefined
  const take = async (outer: Transform, bytes: Uint8Array, isLast: boolean): Promise<void> => {
    if (push === undefined) {
      const { Decompress } = await import('fzstd')
      const decompress = new Decompress(chunk => {
        outer.push(chunk)
      })
      push = (some, last) => {
        decompress.push(some, last)
      }
    }
    push(bytes, isLast)
  }
  return new Transform({
    transform(chunk: Buffer, _, done) {
      settle(take(this, chunk, false), done)
    },
    flush(done) {
      settle(take(this, new Uint8Array(), true), done)
    },
  })
}

/** Tells a stream what became of its work. */
function settle(work: Promise<void>, done: (error?: Error) => void): void {
  work.then(
    () => done(),
    (error: unknown) => done(error instanceof Error ? error : new Error(messageOf(error))),
  )
}
