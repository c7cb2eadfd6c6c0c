import type { MediaDigest } from '../../../../cache/digest.js'
import type { ContentPart } from '../../../../cache/records.js'
import { AttemptError, type ModelRequest } from '../../model.js'
import type { OpenMediaFile, ReadMedia } from '../local-models/engine.js'
import { decodePicture } from '../onnx-vlm/picture.js'
import type { LibraryPicture, TransformersLibrary } from './library.js'
import type { Dtype, FolderConfig, Pooling } from './model-folder.js'

/** The parts that each kind of model is opened with. */
export interface Opening {
  readonly library: TransformersLibrary
  readonly config: FolderConfig
  /** The name by which the library finds the folder. */
  readonly name: string
  readonly options: {
    readonly dtype: Dtype
    readonly device: string
    readonly session_options: { readonly intraOpNumThreads: number; readonly interOpNumThreads: 1 }
  }
  readonly language: string | undefined
  readonly pooling: Pooling | undefined
  readonly readMedia: ReadMedia
  readonly openMediaFile: OpenMediaFile
}

/** Makes the error of a request that this model can never answer. */
export const refuse = (why: string): AttemptError =>
  new AttemptError('invalid_request', `transformers_js: ${why}`, { isRetryable: false })

/** @throws AttemptError if the request has tools or media of another kind than `kind` */
export function listMedia({ input }: Pick<ModelRequest, 'input'>, kind: 'image' | 'audio'): readonly MediaDigest[] {
  if (input.tools !== undefined) throw refuse('it has no tools')
  return input.messages.flatMap(({ content }) => content).flatMap(part => readMedium(part, kind))
}

function readMedium(part: ContentPart, kind: 'image' | 'audio'): readonly MediaDigest[] {
  if (part.type === 'text') return []
  if (part.type !== kind || part.derive !== undefined)
    throw refuse(`this model takes text and ${kind}, not ${part.type}`)
  return [part.media]
}

/** The texts of all messages, one after the other. */
export const joinTexts = ({ input }: Pick<ModelRequest, 'input'>): string =>
  input.messages
    .flatMap(({ content }) => content)
    .map(part => (part.type === 'text' ? part.text : ''))
    .join('')

/** Reads a picture as people see it: turned as its metadata say, without transparency. */
export async function readPicture(
  digest: MediaDigest,
  { library, readMedia }: Pick<Opening, 'library' | 'readMedia'>,
): Promise<LibraryPicture> {
  const { bytes, width, height } = await decodePicture(await readMedia(digest), `image ${digest}`)
  return new library.RawImage(bytes, width, height, 3)
}
