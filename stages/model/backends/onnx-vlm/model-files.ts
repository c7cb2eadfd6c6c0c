import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { readPathKind } from '../../../../base/files/path-kinds.js'

/** The number formats of the networks, with the suffix of their files. */
const dtypeSuffix = { fp32: '', int8: '_quantized' } as const

export type Dtype = keyof typeof dtypeSuffix

const networkNames = ['vision_encoder', 'embed_tokens', 'decoder_model_merged'] as const
export type NetworkName = (typeof networkNames)[number]

const configFiles = [
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'chat_template.jinja',
  'preprocessor_config.json',
  'processor_config.json',
] as const

/** Returns the path of a network's file within the model folder. */
export const networkFile = (name: NetworkName, dtype: Dtype): string => `onnx/${name}${dtypeSuffix[dtype]}.onnx`

/**
 * Lists the files of a model with this dtype, relative to its folder: configuration, tokenizer, networks, and separate
 * weight files of networks.
 *
 * @throws PipelineError `config` with the folder, or with all missing files
 */
export async function modelFiles(dir: string, dtype: Dtype): Promise<readonly string[]> {
  if ((await readPathKind(dir)) !== 'folder') {
    throw new PipelineError(
      'config',
      `model=${dir}: no such folder. Give the folder that holds the model's config.json`,
    )
  }
  const required = [...configFiles, ...networkNames.map(name => networkFile(name, dtype))]
  const kinds = await Promise.all(required.map(file => readPathKind(join(dir, file))))
  const missing = required.filter((_, i) => kinds[i] !== 'file')
  if (missing.length > 0) throw await missingFiles(dir, missing)

  const outside = networkNames.map(name => `${networkFile(name, dtype)}_data`)
  const outsideKinds = await Promise.all(outside.map(file => readPathKind(join(dir, file))))
  return [...required, ...outside.filter((_, i) => outsideKinds[i] === 'file')]
}

async function missingFiles(dir: string, missing: readonly string[]): Promise<PipelineError> {
  const dtypes = await presentDtypes(dir)
  const hint = dtypes.length > 0 ? ` (in the folder: dtype=${dtypes.join(', dtype=')})` : ''
  return new PipelineError(
    'config',
    missing.map(file => `model=${dir}: ${file} is missing${file.startsWith('onnx/') ? hint : ''}`),
  )
}

/** Lists the dtypes for which all networks exist. */
async function presentDtypes(dir: string): Promise<readonly string[]> {
  const onnx = join(dir, 'onnx')
  if ((await readPathKind(onnx)) !== 'folder') return []
  const files = new Set(await readdir(onnx))
  return Object.entries(dtypeSuffix).flatMap(([dtype, suffix]) =>
    networkNames.every(name => files.has(`${name}${suffix}.onnx`)) ? [dtype] : [],
  )
}
