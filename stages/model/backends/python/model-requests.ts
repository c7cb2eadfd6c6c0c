import { open } from 'node:fs/promises'
import { fileSource } from '../../../../base/media/byte-source.js'
import { sniffLength, sniffMediaType } from '../../../../base/media/media-type.js'
import { systemCode } from '../../../../base/errors/errors.js'
import type { ContentPart } from '../../../../cache/records/messages.js'
import type { GenerationKwargs } from '../../../../cache/records.js'
import type { MediaFiles } from '../../media-files.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../model.js'

/** A part of a message as the Python process gets it. */
type PythonPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio' | 'video' | 'file'; readonly path: string; readonly format?: string }

/** A request as the Python process gets it. */
export interface PythonRequest {
  readonly type: string
  readonly messages: readonly { readonly role: string; readonly content: readonly PythonPart[] }[]
  readonly continuation?: string
  readonly generation: GenerationKwargs
  /** The number of the sample, by which draws of one prompt differ. */
  readonly sample: number
}

/** The answer of the Python process to one request. */
export interface PythonAnswer {
  readonly text?: string
  readonly usage?: ModelAnswer['usage']
  readonly logprob?: number
  readonly isGreedy?: boolean
  readonly continuationTokens?: number
}

/** Writes a request for the Python process, with the paths of its media. @throws AttemptError for what no class takes */
export async function pythonRequest(
  { input, generation, sample }: ModelRequest,
  files: Pick<MediaFiles, 'find'>,
): Promise<PythonRequest> {
  if (input.tools !== undefined) throw makeRequestError('models in Python cannot call tools')
  const messages = await Promise.all(
    input.messages.map(async ({ role, content }) => ({
      role,
      content: await Promise.all(content.map(part => pythonPart(part, files))),
    })),
  )
  const { type, continuation } = input
  return { type, messages, ...(continuation !== undefined && { continuation }), generation, sample }
}

async function pythonPart(part: ContentPart, files: Pick<MediaFiles, 'find'>): Promise<PythonPart> {
  if (part.type === 'text') return part
  if (part.derive !== undefined && Object.keys(part.derive).length > 0)
    throw makeRequestError(`models in Python cannot derive ${Object.keys(part.derive).join(', ')} of a medium`)
  const path = files.find(part.media)
  const format = await sniffFormat(path)
  return { type: part.type, path, ...(format !== undefined && { format }) }
}

/** The format of a medium, from its first bytes. */
async function sniffFormat(path: string): Promise<string | undefined> {
  const file = await open(path).catch((error: unknown) => {
    if (systemCode(error) !== 'ENOENT') throw error
    throw new AttemptError('media', `the medium ${path} is missing`, { isRetryable: false })
  })
  try {
    const { size } = await file.stat()
    const { buffer, bytesRead } = await file.read(Buffer.alloc(sniffLength), 0, sniffLength, 0)
    const head = buffer.subarray(0, bytesRead)
    return sniffMediaType(head, fileSource(file, head, size))?.format
  } finally {
    await file.close()
  }
}

/** Reads the answer to a request. */
export function modelAnswer(answer: PythonAnswer): ModelAnswer {
  const { text = '', usage, logprob, isGreedy, continuationTokens } = answer
  return {
    body: {
      text,
      finishReason: 'stop',
      ...(logprob !== undefined && { logprob }),
      ...(isGreedy !== undefined && { isGreedy }),
      ...(continuationTokens !== undefined && { continuationTokens }),
    },
    ...(usage !== undefined && Object.keys(usage).length > 0 && { usage }),
  }
}

const makeRequestError = (why: string) => new AttemptError('invalid_request', why, { isRetryable: false })
