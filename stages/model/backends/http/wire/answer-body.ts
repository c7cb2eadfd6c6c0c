import { Duplex, Transform } from 'node:stream'
import { createBrotliDecompress, createInflate, createInflateRaw, createUnzip } from 'node:zlib'
import { messageOf } from '../../../../../base/errors/errors.js'
import { unzstandard } from '../../../../../base/files/zstandard.js'
import { AttemptError } from '../../../model.js'
import { tryParseJson, makeMalformedError } from '../protocol/failure.js'
import type { StreamedAnswer } from '../protocol/protocol.js'
import { type Headers, headerText } from '../protocol/rate-limits.js'
import { EventStream, LineStream, type ServerEvent } from './event-stream.js'

/** Turns the bytes of a response into text. Both methods throw an AttemptError if that fails. */
export interface BodyReader {
  write(bytes: Buffer): void
  end(): string | Promise<string>
}

/** The assembler of a streamed answer, and a callback for its first text. */
interface PieceByPiece {
  readonly answer: StreamedAnswer
  readonly onText: () => void
}

/** Selects a reader by the response's headers. @param pieces set if a stream was requested */
export function bodyReader(headers: Headers, pieces: PieceByPiece | undefined): BodyReader {
  const isStream = /event-stream|ndjson|jsonlines/.test(headerText(headers['content-type']))
  const reader =
    pieces === undefined ? wholeReader() : isStream ? eventReader(pieces) : undeclaredReader(wholeReader(), pieces)
  const decoder = makeDecoder(headerText(headers['content-encoding']))
  return decoder === undefined ? reader : decodingReader(decoder, reader)
}

function wholeReader(): BodyReader {
  const chunks: Buffer[] = []
  return {
    write: bytes => void chunks.push(bytes),
    end() {
      const [only] = chunks
      const text = (chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks)).toString()
      return text.startsWith('\uFEFF') ? text.slice(1) : text
    },
  }
}

function eventReader({ answer, onText }: PieceByPiece): BodyReader {
  const take = (event: ServerEvent): void => {
    if (answer.take(event)) onText()
  }
  const events = answer.format === 'lines' ? new LineStream(take) : new EventStream(take)
  return {
    write: bytes => events.write(bytes),
    end() {
      events.end()
      return answer.end()
    },
  }
}

/** Detects a stream by its content. Some servers never stream, and some give events another content type. */
function undeclaredReader(whole: BodyReader, pieces: PieceByPiece): BodyReader {
  return {
    write: bytes => whole.write(bytes),
    async end() {
      const text = await whole.end()
      if (!looksStreamed(text, pieces.answer)) return text
      const events = eventReader(pieces)
      events.write(Buffer.from(text))
      return events.end()
    },
  }
}

/** Neither events nor several JSON values, one a line, are valid JSON. */
const looksStreamed = (text: string, { format }: StreamedAnswer): boolean =>
  format === 'lines' ? tryParseJson(text) === undefined : /^\s*(data|event|id|retry)?:/.test(text)

const longestDecoded = 64 * 1024 * 1024

function decodingReader(decoder: Duplex, reader: BodyReader): BodyReader {
  const ended = new Promise<void>((resolve, reject) => {
    let bytes = 0
    decoder.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      try {
        if (bytes > longestDecoded) throw makeMalformedError('the answer is larger than 64 MB')
        reader.write(chunk)
      } catch (error) {
        decoder.destroy(error instanceof Error ? error : new Error(messageOf(error)))
      }
    })
    decoder.once('end', resolve)
    decoder.once('error', reject)
  })
  // `end` reports the rejection. Without this handler, it would count as unhandled until then.
  ended.catch(() => undefined)
  return {
    write: bytes => void decoder.write(bytes),
    async end() {
      decoder.end()
      await ended.catch((error: unknown) => {
        throw error instanceof AttemptError
          ? error
          : makeMalformedError(`the encoded answer is broken: ${messageOf(error)}`)
      })
      return reader.end()
    },
  }
}

/**
 * Returns a decoder for the response's content encoding, since some gateways compress unasked. Undefined if there is
 * none.
 *
 * @throws AttemptError if the encoding is unknown
 */
function makeDecoder(encoding: string): Duplex | undefined {
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
      throw makeMalformedError(`answered in the encoding ${encoding}, which nobody asked for`)
  }
}

/** `deflate` means zlib's format, but some servers send raw deflate data. The first byte tells which. */
function inflater(): Transform {
  let inner: Transform | undefined
  return new Transform({
    transform(chunk: Buffer, _, done) {
      inner ??= pipeInflater(((chunk[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw(), this)
      inner.write(chunk, () => done())
    },
    flush(done) {
      if (inner === undefined) return done()
      inner.once('end', () => done())
      inner.end()
    },
  })
}

function pipeInflater(inner: Transform, outer: Transform): Transform {
  inner.on('data', (chunk: Buffer) => outer.push(chunk))
  inner.once('error', error => outer.destroy(error))
  return inner
}

async function* buffers(compressed: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of unzstandard(compressed))
    yield Buffer.from(buffer, byteOffset, byteLength)
}
