/** `pipeline.yaml`: defaults of all commands that are typed in its folder. */
import { basename, dirname, resolve } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { inOrderOfPlaces } from '../../../base/errors/place-order.js'
import { readText } from '../../../base/files/files.js'
import { checkMapping, resolvePaths } from '../file/checked-mapping.js'
import type { Config } from '../file/config-schema.js'
import { inFolder, isMapping, makeInnerMapping, mergeMappings, type ConfigMapping } from '../file/config-mapping.js'
import { parseYamlMapping } from '../file/yaml-mapping.js'

/** The defaults of a folder. */
export interface FolderDefaults {
  /** The name of the file. */
  readonly file: string
  /** The keys of the file, in its order. */
  readonly keys: readonly string[]
  /** The keys of a run, without those in `environment`. */
  readonly mapping: ConfigMapping
  /** The same, checked. */
  readonly config: Config
  /** The models that have names, each with the keys of a run that uses it. */
  readonly models: ReadonlyMap<string, ConfigMapping>
  /** Values for variables of the shell, which has precedence. */
  readonly environment: Readonly<Record<string, { readonly value: string; readonly place: string }>>
}

/** Keys that can apply to any run of a folder. Keys that define one run belong in a configuration file. */
export const folderKeys = [
  'store',
  'models',
  'model',
  'judge_model',
  'judge_args',
  'judge_for',
  'prices',
  'track',
  'webhook',
  'include_path',
  'plugin',
  'python',
  'output_path',
  'concurrency',
  'max_concurrency',
] as const

const byVariable = { store: 'PIPELINE_STORE', python: 'PIPELINE_PYTHON' } as const

/**
 * Reads the defaults of a folder.
 *
 * @param path the path of `pipeline.yaml`
 * @returns a note if the file has no key of this program and may belong to another tool
 * @throws PipelineError that names every mistake with file:line:column
 */
export async function readFolderDefaults(path: string): Promise<FolderDefaults | string> {
  const file = basename(path)
  const text = await readText(path)
  if (!hasOurKeys.test(text))
    return `${file} is ignored: it has no key of this program (docs/cli/configuration.md#defaults-of-a-folder)`
  const fileMapping = inFolder(parseYamlMapping(text, file), resolve(dirname(path)))
  // Merging spells keys with underscores.
  const mapping = mergeMappings([fileMapping], fileMapping)
  const { store, python } = mapping.value
  const models = readModels(mapping)
  const isOfRun = ([key]: readonly [string, unknown]): boolean => key !== 'models' && !(key in byVariable)
  const runKeys = Object.fromEntries(Object.entries(mapping.value).filter(isOfRun))
  const environment = { store, python }
  const checks = [{ ...mapping, value: { ...runKeys, ...environment } }, ...models.values()].map(checkMapping)
  const problems = [...refuseKeys(mapping, file), ...refuseModels(mapping), ...checks.flatMap(check => check.problems)]
  if (problems.length > 0) throw new PipelineError('config', inOrderOfPlaces([...new Set(problems)]))
  const config = resolvePaths(checks[0]?.config ?? {}, mapping)
  return {
    file,
    keys: Object.keys(mapping.value),
    mapping: { ...mapping, value: runKeys },
    config,
    models,
    environment: Object.fromEntries(
      Object.entries(byVariable).flatMap(([key, variable]) => {
        const value = config[key as keyof typeof byVariable]
        return value === undefined ? [] : [[variable, { value, place: mapping.placeOf([key]) }] as const]
      }),
    ),
  }
}

/** A line that begins with one of the keys. Other tools have files of this name, which may hold several documents. */
const hasOurKeys = new RegExp(`^(${folderKeys.map(key => key.replace('_', '[-_]')).join('|')})\\s*:`, 'm')

function readModels(mapping: ConfigMapping): ReadonlyMap<string, ConfigMapping> {
  const { models } = mapping.value
  if (!isMapping(models)) return new Map()
  return new Map(
    Object.entries(models).flatMap(([name, keys]) =>
      isMapping(keys)
        ? [[name, makeInnerMapping(mapping, { model_name: name, ...keys }, path => ['models', name, ...path])] as const]
        : [],
    ),
  )
}

const refuseKeys = (mapping: ConfigMapping, file: string): readonly string[] =>
  Object.keys(mapping.value)
    .filter(key => !(folderKeys as readonly string[]).includes(key))
    .map(
      key =>
        `${mapping.placeOfKey(key)}  ${key}: is no default of a folder. Write it into a configuration file (--config); ${file} takes ${folderKeys.join(', ')}`,
    )

function refuseModels(mapping: ConfigMapping): readonly string[] {
  const { models } = mapping.value
  if (models === undefined || models === null) return []
  if (!isMapping(models))
    return [`${mapping.placeOf(['models'])}  models: expected names, each with the keys of a model`]
  return Object.entries(models).flatMap(([name, keys]) => {
    const place = mapping.placeOf(['models', name])
    if (name.includes('/')) return [`${place}  models.${name}: a name cannot contain "/"`]
    return isMapping(keys) && typeof keys['model'] === 'string'
      ? []
      : [
          `${place}  models.${name}: expected the keys of a model, such as {model: openai, model_args: {model: gpt-4.1-mini}}`,
        ]
  })
}
