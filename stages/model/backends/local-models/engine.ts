/** Defines what a local model does within its worker process. */
import type { MediaDigest } from '../../../../cache/digest.js'
import type { Model } from '../../model.js'

export type ReadMedia = (digest: MediaDigest) => Promise<Uint8Array>

/** A loaded model that computes in this process. */
export interface Engine extends Model {
  close(): Promise<void>
}

/** Loads a model. @throws PipelineError `config` if the files are not those of such a model */
export type OpenEngine<Settings> = (settings: Settings, readMedia: ReadMedia) => Promise<Engine>
