import { join } from 'node:path'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { pathText, schemaMistakes } from '../../../../base/errors/schema-mistakes.js'
import { fileTrouble, readText } from '../../../../base/files/files.js'

/** Settings that turn images into the vision encoder's input. */
export interface PictureConfig {
  /** The width and height that the encoder needs, in pixels. */
  readonly size: number
  readonly longestEdge: number
  readonly rescaleFactor: number
  readonly mean: readonly number[]
  readonly deviation: readonly number[]
}

/** The configuration in the model's own files. */
export interface VlmConfig {
  readonly picture: PictureConfig
  /** The number of tokens that stand for one image. */
  readonly imageTokens: number
  readonly imageTokenId: number
  readonly eosTokenIds: ReadonlySet<number>
  readonly maxPositions: number
  readonly maxNewTokens: number
  readonly keyValueHeads: number
  readonly headSize: number
}

/** The default maximum length of an answer in tokens, if neither request nor model states one. */
const defaultMaxNewTokens = 24

const count = z.number().int().positive()
const tokenIds = z.union([z.number().int(), z.array(z.number().int())]).nullish()

const modelSchema = z.object({
  model_type: z.literal('idefics3'),
  image_token_id: z.number().int(),
  eos_token_id: tokenIds,
  text_config: z.object({
    hidden_size: count,
    num_attention_heads: count,
    num_key_value_heads: count,
    head_dim: count.nullish(),
    max_position_embeddings: count,
    eos_token_id: tokenIds,
  }),
})

const generationSchema = z.object({ eos_token_id: tokenIds, max_new_tokens: count.nullish() })

// Each literal excludes other image processing that is not implemented here. It is better rejected than ignored.
const preprocessorSchema = z.object({
  do_convert_rgb: z.literal(true),
  do_resize: z.literal(true),
  do_rescale: z.literal(true),
  do_normalize: z.literal(true),
  do_image_splitting: z.literal(false),
  resample: z.literal(2),
  size: z.object({ longest_edge: count }),
  max_image_size: z.object({ longest_edge: count }),
  rescale_factor: z.number().positive(),
  image_mean: z.array(z.number()).length(3),
  image_std: z.array(z.number().positive()).length(3),
})

const processorSchema = z.object({ image_seq_len: count })

/**
 * Reads the configuration files of a model folder.
 *
 * @throws PipelineError `config` with file and field if this backend does not support the model
 */
export async function readVlmConfig(dir: string): Promise<VlmConfig> {
  const model = await readJson(join(dir, 'config.json'), modelSchema)
  const generation = await readJson(join(dir, 'generation_config.json'), generationSchema)
  const preprocessor = await readJson(join(dir, 'preprocessor_config.json'), preprocessorSchema)
  const processor = await readJson(join(dir, 'processor_config.json'), processorSchema)
  const text = model.text_config
  return {
    picture: {
      size: preprocessor.max_image_size.longest_edge,
      longestEdge: preprocessor.size.longest_edge,
      rescaleFactor: preprocessor.rescale_factor,
      mean: preprocessor.image_mean,
      deviation: preprocessor.image_std,
    },
    imageTokens: processor.image_seq_len,
    imageTokenId: model.image_token_id,
    eosTokenIds: new Set([generation.eos_token_id ?? model.eos_token_id ?? text.eos_token_id ?? []].flat()),
    maxPositions: text.max_position_embeddings,
    maxNewTokens: generation.max_new_tokens ?? defaultMaxNewTokens,
    keyValueHeads: text.num_key_value_heads,
    headSize: text.head_dim ?? text.hidden_size / text.num_attention_heads,
  }
}

/** @throws PipelineError `config` with the file and the invalid field */
export async function readJson<S extends z.ZodType>(file: string, schema: S): Promise<z.output<S>> {
  const text = await readModelText(file)
  const value = runParser(file, 'it is not JSON', () => JSON.parse(text) as unknown)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new PipelineError(
    'config',
    schemaMistakes(result.error.issues, value, { from: 'json' }).map(
      ({ path, text }) =>
        `${file}: ${path.length > 0 ? `${pathText(path)}: ` : ''}onnx_vlm cannot run this model: ${text}`,
    ),
  )
}

/** The maximum size of a text file. Tokenizers have some ten megabytes. Weights are in separate files. */
const mostBytes = 256 * 2 ** 20

/** @throws PipelineError `config` with the file if it cannot be read as text */
export async function readModelText(file: string): Promise<string> {
  try {
    return await readText(file, mostBytes)
  } catch (error) {
    throw new PipelineError('config', `${file}: ${fileTrouble(error) ?? messageOf(error)}`, { cause: error })
  }
}

/**
 * Runs a library's parser on the content of a file.
 *
 * @throws PipelineError `config` with the file and what to do, if the library throws
 */
export function runParser<T>(file: string, problem: string, make: () => T): T {
  try {
    return make()
  } catch (error) {
    throw new PipelineError(
      'config',
      `${file}: ${problem}: ${messageOf(error)}. The file is cut short or damaged: copy or download it again`,
      { cause: error },
    )
  }
}
