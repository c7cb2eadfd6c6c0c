import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'

const libraryName = '@huggingface/transformers'

/** A tensor of the library. */
export interface Tensor {
  readonly data: Float32Array | BigInt64Array
  readonly dims: readonly number[]
  to(type: 'float32'): Tensor
}

export type Tensors = Readonly<Record<string, Tensor>>

/** A picture of the library: rows from the top, the channels of a pixel together. */
export type LibraryPicture = object

export interface Tokenizer {
  (
    text: string,
    options?: { readonly add_special_tokens?: boolean; readonly padding?: boolean | 'max_length' },
  ): Tensors
  encode(text: string, options?: { readonly add_special_tokens?: boolean }): readonly number[]
  decode(ids: readonly number[] | readonly bigint[], options: { readonly skip_special_tokens: boolean }): string
  apply_chat_template(
    messages: readonly object[],
    options: { readonly add_generation_prompt: true; readonly tokenize: false },
  ): string
  readonly chat_template?: unknown
  readonly bos_token_id?: number | null
  readonly eos_token_id?: number | null
  readonly model_max_length?: number
}

/** Converts texts and pictures into a model's inputs. The order of arguments depends on the class. */
export interface Processor {
  (first: unknown, second?: unknown): Promise<Tensors>
  readonly tokenizer?: Tokenizer
  readonly chat_template?: unknown
  readonly feature_extractor?: { readonly config: { readonly sampling_rate: number } }
}

export interface LoadedModel {
  (inputs: Readonly<Record<string, unknown>>): Promise<Tensors>
  generate(options: Readonly<Record<string, unknown>>): Promise<Tensor>
  dispose(): Promise<unknown>
  readonly sessions: Readonly<Record<string, { readonly inputNames: readonly string[] }>>
  readonly generation_config?: {
    readonly eos_token_id?: number | readonly number[] | null
    readonly max_new_tokens?: number | null
  } | null
  /** Positions of models that number the parts of pictures, too. */
  readonly get_rope_index?: unknown
}

export interface SpeechPipeline {
  (audio: Float32Array, options: Readonly<Record<string, unknown>>): Promise<{ readonly text: string }>
  readonly processor: Processor
  dispose(): Promise<unknown>
}

export interface EmbeddingPipeline {
  (text: string, options: { readonly pooling: string; readonly normalize: true }): Promise<Tensor>
  readonly tokenizer: Tokenizer
  dispose(): Promise<unknown>
}

interface LoadOptions {
  readonly dtype: string
  readonly device: string
  readonly session_options: { readonly intraOpNumThreads: number; readonly interOpNumThreads: 1 }
}

interface ModelClass {
  supports(modelType: string): boolean
  from_pretrained(name: string, options: LoadOptions): Promise<LoadedModel>
}

/** The part of `@huggingface/transformers` that is used. It is described here because the package is an optional peer. */
export interface TransformersLibrary {
  readonly env: { allowRemoteModels: boolean; localModelPath: string; useFSCache: boolean }
  readonly AutoProcessor: { from_pretrained(name: string): Promise<Processor> }
  readonly AutoTokenizer: { from_pretrained(name: string): Promise<Tokenizer> }
  readonly AutoModel: ModelClass
  readonly AutoModelForImageTextToText: ModelClass
  readonly AutoModelForVision2Seq: ModelClass
  readonly AutoModelForCausalLM: ModelClass
  readonly AutoModelForMaskedLM: ModelClass
  readonly AutoModelForSpeechSeq2Seq: ModelClass
  readonly AutoModelForCTC: ModelClass
  readonly RawImage: new (data: Uint8Array, width: number, height: number, channels: number) => LibraryPicture
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor
  pipeline(task: 'automatic-speech-recognition', name: string, options: LoadOptions): Promise<SpeechPipeline>
  pipeline(task: 'feature-extraction', name: string, options: LoadOptions): Promise<EmbeddingPipeline>
}

/** Loads the library. @throws PipelineError if it is not installed */
export function loadLibrary(): TransformersLibrary {
  return createRequire(import.meta.url)(findLibrary()) as TransformersLibrary
}

/** Returns the version of the installed library, without loading it. @throws PipelineError if it is not installed */
export function readLibraryVersion(): string {
  const main = findLibrary()
  const file = join(main.slice(0, main.lastIndexOf(join(libraryName)) + libraryName.length), 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version
}

/** Node looks from here upwards, then in the folders of NODE_PATH. */
function findLibrary(): string {
  try {
    return createRequire(import.meta.url).resolve(libraryName)
  } catch (error) {
    throw new PipelineError(
      'config',
      'transformers_js computes with the package @huggingface/transformers, which is not installed. Install it where pipeline is installed: npm install @huggingface/transformers@4 --ignore-scripts',
      { reason: 'lacking-here', cause: error },
    )
  }
}
