import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { PipelineError } from '../../../../base/errors/errors.js'
import { readText } from '../../../../base/files/files.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { present } from '../../../../base/values/present.js'
import { refuseCircles, refuseDepth, yamlValues } from '../../../../base/values/yaml-values.js'
import type { JsonObject } from '../../../../cache/records.js'
import { fieldsIn, nameIn, numberIn } from '../loose-values.js'

/** The settings of a run in EvalScope's `configs/task_config*.yaml`. */
export interface ScopeConfig {
  readonly file?: string
  readonly version?: string
  readonly repeats: number
  readonly modelArgs?: JsonObject
  readonly generation?: JsonObject
  /** The settings of each benchmark by its name. */
  readonly benchmarks?: JsonObject
}

/** @returns a configuration that says nothing, where the folder has none. */
export async function readScopeConfig(folder: string): Promise<ScopeConfig> {
  const file = await configFile(folder)
  if (file === undefined) return { repeats: 1 }
  const text = await readText(file)
  const document = parseDocument(text, { logLevel: 'error' })
  const [error] = document.errors
  if (error !== undefined)
    throw new PipelineError('dataset', `${shownPath(file)}:${error.linePos?.[0].line ?? 1}  not YAML: ${error.message}`)
  refuseDepth(document, text)
  refuseCircles(document)
  const config = fieldsIn(yamlValues(document, text))
  const modelArgs = fieldsIn(config?.['model_args'])
  return {
    file,
    repeats: numberIn(config?.['repeats']) ?? 1,
    ...present({
      version: nameIn(config?.['evalscope_version']),
      modelArgs: modelArgs !== undefined && Object.keys(modelArgs).length > 0 ? modelArgs : undefined,
      generation: fieldsIn(config?.['generation_config']),
      benchmarks: fieldsIn(config?.['resolved_benchmarks']),
    }),
  }
}

/** A folder that was used again has a configuration for each run; the names of the later ones sort last. */
async function configFile(folder: string): Promise<string | undefined> {
  let names: readonly string[]
  try {
    names = await readdir(join(folder, 'configs'))
  } catch {
    return undefined
  }
  const last = names
    .filter(name => /^task_config.*\.ya?ml$/.test(name))
    .sort()
    .at(-1)
  return last === undefined ? undefined : join(folder, 'configs', last)
}
