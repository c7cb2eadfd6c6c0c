import { shellWord } from '../../../base/text/shell-word.js'
import type { EvalSettings } from '../../config/settings.js'

type VariedSettings = Pick<
  EvalSettings,
  'model' | 'modelArgs' | 'configFile' | 'limit' | 'offset' | 'subset' | 'samples' | 'docs' | 'shard'
>

/** A command that evaluates a local full-precision model in eight bits. */
export function variantLine({ model, modelArgs, configFile, limit, ...others }: VariedSettings): string | undefined {
  if (model !== 'onnx_vlm' || configFile === undefined || (modelArgs['dtype'] ?? 'fp32') !== 'fp32') return undefined
  if (
    typeof limit === 'object' ||
    others.offset !== undefined ||
    others.subset !== undefined ||
    others.samples !== undefined ||
    others.docs !== undefined ||
    others.shard !== undefined
  )
    return undefined
  const selection = limit === undefined ? '' : ` --limit ${limit}`
  return `pipeline eval --config ${shellWord(configFile)}${selection} --model-args dtype=int8`
}
