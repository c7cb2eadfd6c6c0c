/** Defines what a local model does within its worker process. */
import type { MediaDigest } from '../../../../cache/digest.js'
import type { MediumFile } from '../../../../cache/store.js'
import type { BackendContext } from '../../define-backend.js'
import type { Model } from '../../model.js'

export type ReadMedia = (digest: MediaDigest) => Promise<Uint8Array>

/** Opens a file with a medium's bytes, for other programs. It stays until it is disposed of. */
export type OpenMediaFile = (digest: MediaDigest) => Promise<MediumFile>

/** The media that a worker's parent has. */
export type ParentMedia = Pick<BackendContext, 'readMedia' | 'openMediaFile'>

/** A loaded model that computes in this process. */
export interface Engine extends Model {
  close(): Promise<void>
}

/** Loads a model. @throws PipelineError `config` if the files are not those of such a model */
export type OpenEngine<Settings> = (
  settings: Settings,
  readMedia: ReadMedia,
  openMediaFile: OpenMediaFile,
) => Promise<Engine>
