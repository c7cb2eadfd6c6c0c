import type { Duplex } from 'node:stream'
import { messageOf } from '../../../../../base/errors.js'
import { AttemptError } from '../../../define-backend.js'
import { decoderOf } from './content-encoding.js'
import { EventStream, type ServerEvent } from './event-stream.js'
import { LineStream } from './line-stream.js'
import { headerText } from '../protocol/rate-limits.js'
import { jsonOf, malformed, type Headers } from '../protocol/failure.js'
import type { StreamedAnswer } from '../protocol/streaming.js'

/** Makes a text of the bytes of an answer. Both methods throw an AttemptError where that cannot be. */
export interface BodyReader {
  write(bytes: Buffer): void
  end(): string | Promise<string>
}

/** Who waits for an answer in pieces, and what is done when its first text comes. */
export interface PieceByPiece {
  readonly answer: StreamedAnswer
  readonly onText: () => void
}

/** What reads the body of an answer with these headers. @param pieces where one in pieces was asked for */
export function bodyReader(headers: Headers, pieces: PieceByPiece | undefined): BodyReader {
  const isStream = /event-stream|ndjson|jsonlines/.test(headerText(headers['content-type']))
  const reader =
    pieces === undefined ? wholeReader() : isStream ? eventReader(pieces) : undeclaredReader(wholeReader(), pieces)
  const decoder = decoderOf(headerText(headers['content-encoding']))
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

/** Some servers answer in one piece whatever was asked, and some say another type of what are events. */
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

/** Several values of JSON, one a line, are no JSON; neither are events. */
const looksStreamed = (text: string, { format }: StreamedAnswer): boolean =>
  format === 'lines' ? jsonOf(text) === undefined : /^\s*(data|event|id|retry)?:/.test(text)

const longestDecoded = 64 * 1024 * 1024

function decodingReader(decoder: Duplex, reader: BodyReader): BodyReader {
  const ended = new Promise<void>((resolve, reject) => {
    let bytes = 0
    decoder.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      try {
        if (bytes > longestDecoded) throw malformed('the answer is larger than 64 MB')
        reader.write(chunk)
      } catch (error) {
        decoder.destroy(error instanceof Error ? error : new Error(messageOf(error)))
      }
    })
    decoder.once('end', resolve)
    decoder.once('error', reject)
  })
  // Heard of at the end; until then it is no failure of nobody's.
  ended.catch(() => undefined)
  return {
    write: bytes => void decoder.write(bytes),
    async end() {
      decoder.end()
      await ended.catch((error: unknown) => {
        throw error instanceof AttemptError ? error : malformed(`the encoded answer is broken: ${messageOf(error)}`)
      })
      return reader.end()
    },
  }
}
