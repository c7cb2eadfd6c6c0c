import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { PipelineError } from '../../../../base/errors.js'
import { isFile } from '../engines/served-model.js'
import { firstSet, type Env } from '../http/protocol/endpoint.js'

/** The folder that a server started here has its models in. */
export const modelsFolder = (given: string | undefined, env: Env): string =>
  resolve(firstSet(given, env['OLLAMA_MODELS']) ?? join(firstSet(env['HOME']) ?? homedir(), '.ollama/models'))

/**
 * The manifest of a model, which names the digests of all that it is made of.
 *
 * @throws PipelineError where it was not fetched.
 */
export async function manifestOf(model: string, folder: string): Promise<string> {
  const [, path = model, tag = 'latest'] = /^(.*?)(?::([^:/]+))?$/.exec(model) ?? []
  const parts = path.split('/')
  const [host, namespace] = ['registry.ollama.ai', 'library']
  const full = parts.length === 1 ? [host, namespace, ...parts] : parts.length === 2 ? [host, ...parts] : parts
  const file = join(folder, 'manifests', ...full, tag)
  if (await isFile(file)) return file
  throw new PipelineError(
    'config',
    `model ollama: model=${model} is not among the models in ${folder}. Fetch it (ollama pull ${model}), or name their folder with models_dir=DIR.`,
  )
}
