import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../../../base/errors/errors.js'
import { readText } from '../../../../base/files/files.js'
import { isFile, isFolder, readPathKind } from '../../../../base/files/path-kinds.js'

/** The number formats of networks, with the suffix of their files. Source: `utils/dtypes.js` of the library. */
const dtypeSuffix = {
  fp32: '',
  fp16: '_fp16',
  int8: '_int8',
  uint8: '_uint8',
  q8: '_quantized',
  q4: '_q4',
  q4f16: '_q4f16',
  bnb4: '_bnb4',
} as const

export type Dtype = keyof typeof dtypeSuffix
export const dtypes = Object.keys(dtypeSuffix) as [Dtype, ...Dtype[]]

/** Ways in which the vectors of a text's tokens become one vector. */
export const poolings = ['mean', 'cls', 'last_token'] as const
export type Pooling = (typeof poolings)[number]

const count = z.number().int().positive().nullish()
const configSchema = z.looseObject({
  model_type: z.string(),
  max_position_embeddings: count,
  text_config: z.looseObject({ max_position_embeddings: count }).nullish(),
})

/** The facts of a model's config.json that decide how it is used. */
export interface FolderConfig {
  readonly modelType: string
  readonly maxPositions: number
  /** The maximum number of tokens of a text that the folder states for embeddings. */
  readonly maxTokens: number
  /** The pooling that the folder states. Only folders of embedding models do. */
  readonly pooling?: Pooling
}

/** @throws PipelineError `config` if the file is missing or is not that of a model */
export async function readFolderConfig(dir: string): Promise<FolderConfig> {
  const file = join(dir, 'config.json')
  try {
    const config = configSchema.parse(JSON.parse(await readText(file, 2 ** 24)))
    const maxPositions = config.text_config?.max_position_embeddings ?? config.max_position_embeddings
    return {
      modelType: config.model_type,
      maxPositions: maxPositions ?? Infinity,
      ...(await readSentenceSettings(dir)),
    }
  } catch (error) {
    throw new PipelineError(
      'config',
      `${file}: it is not the configuration of a model: ${messageOf(error)}. Give a folder in the layout of transformers.js: config.json, tokenizer.json, onnx/…`,
      { cause: error },
    )
  }
}

const poolingFile = join('1_Pooling', 'config.json')
const lengthSchema = z.looseObject({ max_seq_length: count })
const modulesSchema = z.array(z.looseObject({ type: z.string() }))

/** Reads what a folder of sentence-transformers says of its vectors. @throws Error if they are not made as here */
async function readSentenceSettings(dir: string): Promise<Pick<FolderConfig, 'maxTokens' | 'pooling'>> {
  const [modes, length, modules] = await Promise.all([
    readOptional(join(dir, poolingFile), z.record(z.string(), z.unknown())),
    readOptional(join(dir, 'sentence_bert_config.json'), lengthSchema),
    readOptional(join(dir, 'modules.json'), modulesSchema),
  ])
  const other = modules?.find(({ type }) => !/\.(Transformer|Pooling|Normalize)$/.test(type))
  if (other !== undefined) throw new Error(`modules.json names ${other.type}, which is in no network of onnx/`)
  const maxTokens = length?.max_seq_length ?? Infinity
  if (modes === undefined) return { maxTokens }
  const chosen = Object.keys(modes).filter(mode => mode.startsWith('pooling_mode_') && modes[mode] === true)
  const pooling = chosen.length === 1 ? poolings.find(name => chosen[0] === poolingMode[name]) : undefined
  if (pooling !== undefined) return { maxTokens, pooling }
  throw new Error(`${poolingFile} chooses ${chosen.join(', ')}. The poolings are ${poolings.join(', ')}`)
}

/** The names of the poolings in sentence-transformers. */
const poolingMode = {
  mean: 'pooling_mode_mean_tokens',
  cls: 'pooling_mode_cls_token',
  last_token: 'pooling_mode_lasttoken',
} as const

async function readOptional<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
): Promise<z.infer<Schema> | undefined> {
  return (await isFile(file)) ? schema.parse(JSON.parse(await readText(file, 2 ** 24))) : undefined
}

/**
 * Lists the files of a model that can change an answer, relative to its folder: the JSON files and templates, and the
 * networks of this dtype with their separate weights.
 *
 * @throws PipelineError `config` if the folder, its configuration or its networks are missing
 */
export async function listModelFiles(dir: string, dtype: Dtype): Promise<readonly string[]> {
  if (!(await isFolder(dir)))
    throw new PipelineError(
      'config',
      `model=${dir}: no such folder. Give the folder that holds the model's config.json`,
    )
  const missing = await listMissing(dir)
  if (missing.length > 0) throw new PipelineError('config', missing)
  const settings = (await readdir(dir)).filter(file => /\.(json|jinja|txt|model)$/.test(file))
  const onnx = join(dir, 'onnx')
  const networks = ((await isFolder(onnx)) ? await readdir(onnx) : []).filter(file => /\.onnx(_data.*)?$/.test(file))
  const chosen = networks.filter(file => readDtype(file) === dtype)
  if (chosen.length === 0) {
    const there = [...new Set(networks.map(readDtype))].map(name => `dtype=${name}`).join(', ')
    throw new PipelineError(
      'config',
      `model=${dir}: it has no networks for dtype=${dtype} in onnx/${there === '' ? '' : ` (in the folder: ${there})`}`,
    )
  }
  const pooling = (await isFile(join(dir, poolingFile))) ? [poolingFile] : []
  return [...settings, ...pooling, ...chosen.map(file => `onnx/${file}`)].sort()
}

/** The files without which the library loads no model, of any kind. It names none of them. */
const requiredFiles = ['config.json', 'tokenizer.json', 'tokenizer_config.json'] as const

async function listMissing(dir: string): Promise<readonly string[]> {
  const isThere = await Promise.all(requiredFiles.map(async name => (await readPathKind(join(dir, name))) === 'file'))
  return requiredFiles
    .filter((_, index) => isThere[index] !== true)
    .map(
      name => `model=${dir}: ${name} is missing. It belongs to the model: download it from where the others came from`,
    )
}

function readDtype(file: string): Dtype {
  const stem = file.replace(/\.onnx(_data.*)?$/, '')
  return dtypes.find(dtype => dtype !== 'fp32' && stem.endsWith(dtypeSuffix[dtype])) ?? 'fp32'
}
