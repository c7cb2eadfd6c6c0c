/** `extends` of a configuration file: the keys of another file below its own. */
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { PipelineError, messageOf } from '../../../base/errors/errors.js'
import { readText } from '../../../base/files/files.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { inFolder, mergeMappings, type ConfigMapping } from './config-mapping.js'
import { parseYamlMappings } from './yaml-mapping.js'

/**
 * Merges a mapping over the files that it extends, and drops the key `extends`.
 *
 * @param file the file of the mapping
 * @throws PipelineError if a file cannot be read, holds a list of runs, or extends itself
 */
export async function readExtended(mapping: ConfigMapping, file: string): Promise<ConfigMapping> {
  const layers = await collectLayers(mapping, [realPath(file)])
  return layers.length === 1 ? mapping : mergeMappings(layers, mapping)
}

/** The mapping and all that it extends, the lowest first. */
async function collectLayers(mapping: ConfigMapping, chain: readonly string[]): Promise<readonly ConfigMapping[]> {
  const { extends: name, ...value } = mapping.value
  if (name === undefined || name === null) return [mapping]
  const refuse = (problem: string, cause?: unknown): PipelineError =>
    new PipelineError('config', `${mapping.placeOf(['extends'])}  extends: ${problem}`, { cause })
  if (typeof name !== 'string' || name === '') throw refuse('expected the path of a configuration file')
  const file = resolve(mapping.folderOf(['extends']), name)
  const text = await readText(file).catch((error: unknown) => {
    throw refuse(`${shownPath(file)}: ${messageOf(error)}`, error)
  })
  const path = realPath(file)
  if (chain.includes(path))
    throw refuse(
      `these files extend each other: ${[...chain, path].map(shownPath).join(' → ')}. Take the key out of one of them`,
    )
  const [base, ...others] = parseYamlMappings(text, shownPath(file))
  if (base === undefined || others.length > 0)
    throw refuse(`${shownPath(file)} holds a list of runs. Extend a file with one mapping`)
  return [...(await collectLayers(inFolder(base, dirname(file)), [...chain, path])), { ...mapping, value }]
}

function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return resolve(file)
  }
}
