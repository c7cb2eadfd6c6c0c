import { basename, dirname, resolve } from 'node:path'
import { canonicalJson, isObject, type Json } from '../../../base/values/canonical-json.js'
import { PipelineError, messageOf, systemCode } from '../../../base/errors/errors.js'
import { inOrderOfPlaces } from '../../../base/errors/place-order.js'
import { shownPath } from '../../../base/files/shown-path.js'
import type { CodeOptions } from '../../../cache/code/code-runtime.js'
import { sha256 } from '../../../cache/digest.js'
import type { GenerationKwargs, JsonObject, StoredScoring } from '../../../cache/records.js'
import type { DataAccess } from '../datasets/hub/hub.js'
import { isGenerated, readGeneration } from '../generation-kwargs.js'
import { isPrinted } from '../render/judge-record.js'
import { functionText, isFunctionRef } from './function-ref.js'
import { checkConfig, listConfigNotes, readableConfig } from './read-config.js'
import { makeYamlLayer, resolveYaml, type ResolvedYaml } from './yaml/resolve-yaml.js'
import type { ParityProgram, TaskConfig } from './schema.js'
import { findFunction, loadTaskCode, storedFunctions, type TaskCode, withStubs } from './task-code.js'
import { compileTaskTemplates } from '../render/template.js'
import { collectFunctions, isValueLayer } from './task-value.js'
import type { TaskSource } from './finding/task-tree.js'
import type { Task } from './task.js'

export interface LoadOptions extends CodeOptions {
  /** Access to datasets beyond the files that tasks name. */
  readonly access?: DataAccess
  /**
   * Checks scoring rules if a file has other problems, so that all problems are reported at once. The rules of a valid file are checked when its
   * scorer is made.
   */
  readonly checkScoring?: CheckScoring
  /** The program whose docs and prompts are wanted. Its keys in `parity` of a task file replace the file's own. */
  readonly parity?: ParityProgram | undefined
}

/** Returns problems of scoring rules, as `file:line:column  what`. */
export type CheckScoring = (
  scoring: StoredScoring,
  at: (path: readonly PropertyKey[]) => string,
) => Promise<readonly string[]>

/**
 * Reads a task's YAML with its includes and code. This is the entry point to how a YAML file becomes a task.
 *
 * @param source a file, or layers of keys, where earlier layers win
 * @throws PipelineError with everything that is wrong, one line each: `file:line:column  what`.
 */
export async function loadTask(source: string | TaskSource['layers'], options: LoadOptions): Promise<Task> {
  const layers = typeof source === 'string' ? [source] : source
  const yaml = await resolveWithParity(layers, options.parity).catch((error: unknown) => {
    if (systemCode(error) === undefined) throw error
    const [file = ''] = layers.filter(layer => typeof layer === 'string')
    throw new PipelineError('config', `${shownPath(file)} can't be read: ${messageOf(error)}`, { cause: error })
  })
  const { config, problems } = checkConfig(yaml)
  const valueLayer = layers.find(isValueLayer)
  const code = await loadTaskCode(yaml, { ...options, ...(valueLayer && { given: valueLayer.code }) })
  const readable = config ?? readableConfig(yaml.values)
  const templates = readable === undefined ? [] : compileTaskTemplates(readable, path => yaml.at(path))
  const allProblems = [...yaml.problems, ...problems, ...templates, ...code.problems]
  if (config === undefined || allProblems.length > 0)
    throw new PipelineError(
      'config',
      inOrderOfPlaces([...allProblems, ...(await scoringProblems(yaml, code, options))]),
    )
  // If functions come from several files, all of them are looked up in their stored code.
  const isWhole = valueLayer !== undefined && code.modules.size === valueLayer.code.modules.size
  const functions = isWhole ? { functions: collectFunctions(valueLayer) } : {}
  return {
    ...makeTask(yaml, config, code),
    ...functions,
    ...(valueLayer?.hasOwnRows === true ? { mediaFolder: dirname(valueLayer.file) } : {}),
    ...(options.access === undefined ? {} : { access: options.access }),
  }
}

/** Reads layers with their includes, and puts the keys of `parity` before those of the task's own file. Overrides and groups still win. */
async function resolveWithParity(
  layers: TaskSource['layers'],
  parity: ParityProgram | undefined,
): Promise<ResolvedYaml> {
  const yaml = await resolveYaml(...layers)
  const { parity: programs } = yaml.values
  const keys = parity !== undefined && isObject(programs) ? programs[parity] : undefined
  if (parity === undefined || !isObject(keys)) return yaml
  return resolveYaml(...layers.slice(0, -1), makeYamlLayer(yaml, ['parity', parity], keys), ...layers.slice(-1))
}

/**
 * Checks the scoring rules of a file with other problems. Unreadable rules and missing code are reported elsewhere.
 */
async function scoringProblems(
  yaml: ResolvedYaml,
  code: TaskCode,
  { checkScoring }: LoadOptions,
): Promise<readonly string[]> {
  const config = checkScoring === undefined ? undefined : readableConfig(yaml.values)
  if (checkScoring === undefined || config === undefined) return []
  const folder = dirname(yaml.file)
  const whole = code.problems.length === 0 ? code : withStubs(code, yaml.values, folder)
  return checkScoring(makeScoring(config, whole, folder), path => yaml.at(path))
}

function makeTask(yaml: ResolvedYaml, config: TaskConfig, code: TaskCode): Task {
  const folder = dirname(yaml.file)
  // In older versions, printed digits meant the text of a choice. The marker gives such tasks a new identity, so that no run mixes both meanings.
  const reading = config.doc_to_choice !== undefined && isPrinted(config) ? { targets: 'printed-index' } : {}
  const preimage = canonicalJson({ v: 1, yaml: plain(ownValues(yaml)), code: code.closure, ...reading })
  return {
    name: config.task,
    file: yaml.file,
    folder,
    config,
    generation: isGenerated(config.output_type) ? ownGeneration(yaml) : {},
    ...(code.runtime && { timeLimit: code.runtime.timeLimit, hide: code.runtime.hide }),
    functionOf: ref => findFunction(ref, code, folder),
    identity: { key: sha256(preimage), preimage },
    closure: code.closure,
    scoring: makeScoring(config, code, folder),
    at: path => yaml.at(path),
    notes: [...yaml.notes, ...listConfigNotes(config, yaml)],
    datasetFolder: dirname(yaml.origins.get('dataset_path')?.file ?? yaml.file),
    kwargsFolder: dirname(yaml.origins.get('dataset_kwargs')?.file ?? yaml.file),
  }
}

/** Returns the generation kwargs of the file, without defaults. */
function ownGeneration({ values }: ResolvedYaml): GenerationKwargs {
  const kwargs = values['generation_kwargs']
  return typeof kwargs === 'object' && kwargs !== null ? readGeneration(kwargs as JsonObject).generation : {}
}

/** Returns all keys that have an effect. The dataset's paths have a separate identity, and keys of `parity` count only where they replace others. */
function ownValues(yaml: ResolvedYaml): Record<string, unknown> {
  const { dataset_path: path } = yaml.values
  const values = Object.fromEntries(Object.entries(yaml.values).filter(([key]) => key !== 'parity'))
  return { ...values, dataset_path: typeof path === 'string' ? basename(resolve('/', path)) : path }
}

/** Converts a value to JSON, with functions by name. */
function plain(value: unknown): Json {
  if (isFunctionRef(value)) return { function: functionText(value) }
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
  return value as Json
}

/**
 * Makes the stored scoring rules of a task. `config` has `!function utils.name` as text, and `functions` maps each such text to an entry of `code`.
 */
function makeScoring(config: TaskConfig, code: TaskCode, folder: string): StoredScoring {
  const { storeReference, plain: asStored, stored } = storedFunctions(code, folder)
  const { output_type, metric_list, filter_list, breakdown, reasoning_tags, process_results } = config
  const { cluster_key, score_key, score_attempts, normalizers } = config
  const rules = {
    output_type,
    metric_list,
    filter_list,
    breakdown: convertToList(breakdown),
    reasoning_tags,
    cluster_key,
    score_key,
    score_attempts,
    normalizers,
  }
  const ruleEntries = Object.entries(rules).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, asStored(value)]],
  )
  const processing = process_results === undefined ? {} : { process_results: storeReference(process_results) }
  return {
    output_type,
    target_delimiter: config.target_delimiter,
    config: Object.fromEntries(ruleEntries) as StoredScoring['config'],
    ...processing,
    ...stored(),
  }
}

const convertToList = (value: string | readonly string[] | undefined): readonly string[] | undefined =>
  typeof value === 'string' ? [value] : value
