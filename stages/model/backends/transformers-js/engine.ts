import { basename, dirname, sep } from 'node:path'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import type { Engine, OpenMediaFile, ReadMedia } from '../local-models/engine.js'
import { openEmbeddingModel } from './embedding-model.js'
import { openImageTextMatcher, matcherTypes } from './image-text-matcher.js'
import { loadLibrary, type TransformersLibrary } from './library.js'
import { type Dtype, type FolderConfig, type Pooling, readFolderConfig } from './model-folder.js'
import type { Opening } from './request-content.js'
import { openSpeechModel } from './speech-model.js'
import { openTextModel } from './text-model.js'

export interface EngineSettings {
  /** The model's folder. */
  readonly dir: string
  readonly dtype: Dtype
  readonly device: string
  readonly threads: number
  readonly language?: string
  readonly pooling?: Pooling
}

/**
 * Opens a model with `@huggingface/transformers`. The type in its config.json decides what it does.
 *
 * @throws PipelineError `config` if the library or the model cannot be loaded
 */
export async function openEngine(
  settings: EngineSettings,
  readMedia: ReadMedia,
  openMediaFile: OpenMediaFile,
): Promise<Engine> {
  const { dir, dtype, device, threads, language, pooling } = settings
  const config = await readFolderConfig(dir)
  const library = loadLibrary()
  library.env.allowRemoteModels = false
  library.env.useFSCache = false
  library.env.localModelPath = `${dirname(dir)}${sep}`
  const open = chooseKind(library, config, pooling)
  if (open === undefined)
    throw new PipelineError(
      'config',
      `model=${dir}: transformers_js does not run models of the type "${config.modelType}". It runs language models, vision-language models, speech recognition, CLIP or SigLIP, and embeddings of texts`,
    )
  const options = { dtype, device, session_options: { intraOpNumThreads: threads, interOpNumThreads: 1 } } as const
  try {
    return await open({ library, config, name: basename(dir), options, language, pooling, readMedia, openMediaFile })
  } catch (error) {
    if (error instanceof PipelineError) throw error
    throw new PipelineError('config', `model=${dir}: the library cannot load it: ${messageOf(error)}`, { cause: error })
  }
}

function chooseKind(
  library: TransformersLibrary,
  { modelType: type, pooling: ownPooling }: FolderConfig,
  pooling: Pooling | undefined,
): ((opening: Opening) => Promise<Engine>) | undefined {
  if (matcherTypes.has(type)) return openImageTextMatcher
  // Some language models are trained for embeddings, and their type does not tell.
  if ((pooling ?? ownPooling) !== undefined) return openEmbeddingModel
  if (library.AutoModelForSpeechSeq2Seq.supports(type) || library.AutoModelForCTC.supports(type)) return openSpeechModel
  const seeing = [library.AutoModelForImageTextToText, library.AutoModelForVision2Seq].find(it => it.supports(type))
  if (seeing !== undefined) return opening => openTextModel(opening, seeing)
  if (library.AutoModelForCausalLM.supports(type)) return openTextModel
  return encoderTypes.has(type) || library.AutoModelForMaskedLM.supports(type) ? openEmbeddingModel : undefined
}

/** Types of models that only turn texts into vectors, which the library has no other class for. */
const encoderTypes: ReadonlySet<string> = new Set(['nomic_bert'])
