import { createBrotliDecompress, createUnzip } from 'node:zlib'
import type { Transform } from 'node:stream'
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
    case 'deflate':
      return createUnzip()
    case 'br':
      return createBrotliDecompress()
    default:
      throw malformed(`answered in the encoding ${encoding}, which nobody asked for`)
  }
}
