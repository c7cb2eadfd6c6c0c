import { z } from 'zod'
import { sha256 } from '../../../../cache/digest.js'
import type { MediaPart } from '../../../../cache/records.js'
import type { BackendContext } from '../../define-backend.js'
import type { AttemptWatch, Model, ModelAnswer, ModelRequest } from '../../model.js'
import { type Endpoint, shownBaseUrl } from '../http/protocol/endpoint.js'
import {
  answerMask,
  field,
  impossible,
  makeMalformedError,
  maskedFailure,
  parseJson,
  type ReceivedAnswer,
  shownText,
} from '../http/protocol/failure.js'
import { cutAtStop, refuseBeams } from '../http/protocol/request-parts.js'
import { openConnection } from '../http/wire/connection.js'
import { makeMediaError, mediaHeads, type MediumHead, readPieces } from '../http/wire/media-body.js'
import type { AttemptTimeouts } from '../http/wire/watchdog.js'
import { keyHeaders } from './chat-completions.js'
import { answerFailure } from './failure.js'

interface TranscriptionOptions {
  readonly endpoint: Endpoint
  /** The fields of each form beside the recording. */
  readonly fields: Readonly<Record<string, string>>
  readonly patience: AttemptTimeouts
  readonly context: BackendContext
  /** The maximum size of a recording, in bytes. @default the server decides */
  readonly mostBytes?: number | undefined
}

/**
 * Opens the transcriptions API: a form with one recording, and its words as the answer. Of the generation kwargs, the temperature is sent, and stop
 * sequences end the answer here.
 *
 * See https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
export function openTranscriptions({ endpoint, fields, patience, context, mostBytes }: TranscriptionOptions): Model {
  const readHead = mediaHeads(context, 'openai_transcriptions')
  const connection = openConnection({
    endpoint,
    headers: keyHeaders(endpoint.apiKey),
    contentType: `multipart/form-data; boundary=${boundary}`,
    patience,
    failure: answer => answerFailure(answer, endpoint),
  })
  const mask = answerMask(endpoint)
  return {
    async answer(request, signal, watch?: AttemptWatch) {
      const recording = findRecording(request)
      refuseBeams(request.generation)
      const { temperature = 0 } = request.generation
      const head = await readHead(recording)
      if (mostBytes !== undefined && head.bytes > mostBytes)
        throw makeMediaError(
          recording.media,
          `has ${Math.ceil(head.bytes / 2 ** 20)} MB, and ${shownBaseUrl(endpoint)} takes recordings of at most ${mostBytes / 2 ** 20} MB. Shorten or compress it`,
        )
      const form = writeForm({ ...fields, temperature: String(temperature) }, head)
      const body = { length: form.length, content: form.stream(readPieces(recording.media, context)) }
      try {
        const received = await connection.post(`${endpoint.path}/audio/transcriptions`, body, { signal, watch })
        return readTranscript(mask(received), request, endpoint)
      } catch (error) {
        throw maskedFailure(error, endpoint)
      }
    },
    close: () => connection.close(),
  }
}

/** @throws AttemptError `invalid_request` if the request is not about one recording */
function findRecording({ input }: ModelRequest): MediaPart {
  const media = input.messages.flatMap(({ content }) => content.filter(part => part.type !== 'text'))
  const [recording] = media
  if (input.type === 'generate_until' && recording?.type === 'audio' && media.length === 1 && input.tools === undefined)
    return recording
  throw impossible('openai_transcriptions writes down the speech of one recording (generate_until)')
}

/** Parts the fields of forms. A recording that contains it by chance is as likely as an equal digest. */
const boundary = `pipeline-${sha256('the boundary of forms with a recording').slice(-32)}`

interface Form {
  readonly length: number
  /** Writes the form around the pieces of its recording. */
  stream(recording: AsyncIterable<Buffer>): AsyncIterable<Uint8Array>
}

/**
 * Writes a form with the recording as its file. Servers tell the format by the file's name.
 *
 * See RFC 7578.
 */
function writeForm(fields: Readonly<Record<string, string>>, { bytes, type }: MediumHead): Form {
  const part = (disposition: string): string => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  const texts = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}\r\n${value}\r\n`)
  const file = `${part(`name="file"; filename="audio.${type.format}"`)}Content-Type: ${type.mime}\r\n\r\n`
  const [before, after] = [Buffer.from(texts.join('') + file), Buffer.from(`\r\n--${boundary}--\r\n`)]
  return {
    length: before.length + bytes + after.length,
    async *stream(recording) {
      yield before
      // A socket may hold a piece for longer than the piece is valid.
      for await (const piece of recording) yield Buffer.from(piece)
      yield after
    },
  }
}

const count = z.int().min(0)
const countedTokens = z.object({ input_tokens: count, output_tokens: count })

/** @throws AttemptError if the reply is an error or no transcript */
function readTranscript(received: ReceivedAnswer, { generation }: ModelRequest, endpoint: Endpoint): ModelAnswer {
  const body = parseJson(received, endpoint)
  if (field(body, 'error') != null) throw answerFailure({ ...received, status: 500 }, endpoint)
  const text = field(body, 'text')
  if (typeof text !== 'string')
    throw makeMalformedError(`answered with something else than a transcript: ${shownText(received.text, endpoint)}`)
  const usage = countedTokens.safeParse(field(body, 'usage'))
  return {
    body: { text: cutAtStop(text, generation), finishReason: 'stop' },
    ...(usage.success && { usage: { inputTokens: usage.data.input_tokens, outputTokens: usage.data.output_tokens } }),
  }
}
