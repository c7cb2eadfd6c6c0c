import type { z } from 'zod'
import { isObject, type Json } from '../../../base/values/canonical-json.js'
import { ownValue } from '../../../base/values/named-values.js'
import { givenText } from '../../../base/errors/given-text.js'
import { pathText, schemaMistakes } from '../../../base/errors/schema-mistakes.js'
import { inOrderOfPlaces } from '../../../base/errors/place-order.js'
import { isTableFile } from '../datasets/layout/file-kinds.js'
import { isGenerated, type KwargProblem, readGeneration, unknownKwargs, withDefaults } from '../generation-kwargs.js'
import { functionText, isFunctionRef } from './function-ref.js'
import type { ResolvedYaml } from './yaml/resolve-yaml.js'
import { describeExpected, nullKeys, parityKeys, type TaskConfig, taskKeys, taskSchema } from './schema.js'

/**
 * Validates a task file. Returns the configuration with all defaults, or everything that is wrong with it. A file
 * that could be read only in part is validated as far as it goes.
 */
export function checkConfig(yaml: ResolvedYaml): {
  readonly config?: TaskConfig
  readonly problems: readonly string[]
} {
  const isWhole = yaml.problems.length === 0
  const refused = refusedKeys(yaml)
  const customDataset = yaml.values['custom_dataset']
  // The function says where the docs are.
  const path = isFunctionRef(customDataset) ? { dataset_path: functionText(customDataset) } : {}
  const values: Readonly<Record<string, unknown>> = { ...path, ...yaml.values }
  const entries = Object.entries(values).filter(([key, value]) => value !== null || nullKeys.has(key))
  const parsed = taskSchema.safeParse(Object.fromEntries(entries), { reportInput: true })
  if (!parsed.success) {
    const relevantIssues = parsed.error.issues.filter(
      ({ path, input }) => isWhole || path.length !== 1 || input !== undefined,
    )
    const issues = relevantIssues.flatMap(issue =>
      describeIssue(issue, yaml, { keys: taskKeys, expectedOf: describeExpected }),
    )
    const readable = readableConfig(yaml.values)
    return { problems: inOrderOfPlaces([...refused, ...issues, ...(readable ? kwargProblems(readable, yaml) : [])]) }
  }
  const problems = [
    ...refused,
    ...(isWhole ? missingParts(parsed.data).map(problem => `${yaml.at([])}  ${problem}`) : []),
    ...kwargProblems(parsed.data, yaml),
  ]
  return problems.length > 0
    ? { problems: inOrderOfPlaces(problems) }
    : { config: completeConfig(parsed.data), problems }
}

/** Reads each valid key of an invalid configuration, so that further problems can be found. */
export function readableConfig(values: Readonly<Record<string, unknown>>): TaskConfig | undefined {
  const fields: Readonly<Record<string, z.ZodType>> = taskSchema.shape
  const readable = Object.entries(values).filter(
    ([key, value]) => value !== null && ownValue(fields, key)?.safeParse(value).success === true,
  )
  return taskSchema.safeParse({ task: '-', dataset_path: '-', ...Object.fromEntries(readable) }).data
}

function completeConfig(config: TaskConfig): TaskConfig {
  const { generation_kwargs: kwargs, fewshot_delimiter: delimiter, output_type: type, group, doc_to_image } = config
  return {
    ...config,
    ...(doc_to_image === undefined ? {} : { doc_to_visual: doc_to_image }),
    ...(group === undefined ? {} : { tag: group }),
    ...(kwargs === undefined && !isGenerated(type) ? {} : { generation_kwargs: withDefaults(kwargs, delimiter) }),
  }
}

/** Keys that other programs implement and this one cannot. */
function refusedKeys(yaml: ResolvedYaml): readonly string[] {
  const { group, tag, dataset_kwargs: dataset, doc_to_image: image, doc_to_visual: visual } = yaml.values
  const { class: ofClass, custom_dataset: custom } = yaml.values
  return [
    ...(isGiven(ofClass) && isGiven(custom)
      ? [`${yaml.at(['custom_dataset'])}  custom_dataset: class makes the docs, too; give one of them`]
      : []),
    ...(group !== undefined && tag !== undefined
      ? [`${yaml.at(['group'])}  group: of a task it is the old word for tag; give one of them`]
      : []),
    ...(isGiven(image) && isGiven(visual)
      ? [`${yaml.at(['doc_to_image'])}  doc_to_image: another word for doc_to_visual; give one of them`]
      : []),
    ...(typeof dataset === 'object' && dataset !== null && 'num_proc' in dataset
      ? [`${yaml.at(['dataset_kwargs', 'num_proc'])}  dataset_kwargs.num_proc: reserved, not for a task to set`]
      : []),
  ]
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

function kwargProblems(config: TaskConfig, yaml: ResolvedYaml): readonly string[] {
  return kwargSets(config).flatMap(({ path, given: kwargs }) =>
    isObject(kwargs)
      ? formatProblems(readGeneration(kwargs).problems, path, yaml)
      : [
          `${yaml.at(path)}  ${path.join('.')}: expected keys and values, given ${givenText(kwargs, { nameOf: functionName })}`,
        ],
  )
}

/** Returns notes on a valid file, as `file:line:column  what`. */
export const listConfigNotes = (config: TaskConfig, yaml: Pick<ResolvedYaml, 'at'>): readonly string[] =>
  kwargSets(config).flatMap(({ path, given: kwargs }) =>
    isObject(kwargs) ? formatProblems(unknownKwargs(kwargs), path, yaml) : [],
  )

function kwargSets({ generation_kwargs: own = {}, model_specific_generation_kwargs: byModel = {} }: TaskConfig) {
  return [
    { path: ['generation_kwargs'], given: own as Json | undefined },
    ...Object.entries(byModel).map(([model, kwargs]) => ({
      path: ['model_specific_generation_kwargs', model],
      given: kwargs,
    })),
  ]
}

const formatProblems = (
  problems: readonly KwargProblem[],
  path: readonly string[],
  yaml: Pick<ResolvedYaml, 'at'>,
): readonly string[] =>
  problems.map(({ name, text }) => `${yaml.at([...path, name])}  ${[...path, name].join('.')}: ${text}`)

function missingParts(config: TaskConfig): readonly string[] {
  const problems: string[] = []
  const { output_type: type } = config
  if (type !== 'loglikelihood_rolling' && config.doc_to_text === undefined && config.doc_to_messages === undefined)
    problems.push('doc_to_text: missing (or doc_to_messages)')
  if (config.output_type === 'multiple_choice' && config.doc_to_choice === undefined)
    problems.push('doc_to_choice: missing, which multiple_choice needs')
  if (config.test_split === undefined && config.validation_split === undefined && !isOneFile(config))
    problems.push('test_split: missing (or validation_split), so nothing says which split is evaluated')
  if (config.doc_to_target === undefined && config.process_results === undefined)
    problems.push('doc_to_target: missing, so there is nothing to score an answer by (or process_results)')
  if (isLed(type) && !isFunctionRef(config.doc_to_messages) && !isFunctionRef(config.doc_to_text))
    problems.push(
      `doc_to_text: must be a !function with output_type ${type}: it is asked after each answer what comes next (or doc_to_messages)`,
    )
  return problems
}

const isLed = (type: TaskConfig['output_type']): boolean =>
  type === 'generate_until_multi_round' || type === 'generate_until_agentic'

/** Returns whether the dataset names its files, so that no split is needed to choose among them. */
const isOneFile = ({ dataset_path: path, dataset_kwargs: kwargs }: TaskConfig): boolean =>
  isTableFile(path) ||
  isOtherFile(path) ||
  (kwargs !== undefined && kwargs !== null && ('data_files' in kwargs || 'data_dir' in kwargs))

/** Tells whether a path names a file that is read nowhere. The reader of data says what to do about it, rather than to ask for a split. */
const isOtherFile = (path: string): boolean =>
  /^(?:\.{0,2}\/|~\/|[a-z]:\\).*\.(?:xls[xmb]?|ods|numbers|docx?|ya?ml|toml|xml|html?|md|sqlite3?|db|pkl|pickle|np[yz]|pt|bz2|xz|lz4|7z|rar)$/i.test(
    path,
  )

/** The top-level keys of a schema, for messages. */
interface KnownKeys {
  readonly keys: readonly string[]
  /** Describes the expected value of a key. */
  expectedOf(key: string): string | undefined
}

/** Words an issue of a schema: `file:line:column  key: expected this, given that`. */
export function describeIssue(issue: z.core.$ZodIssue, yaml: ResolvedYaml, keys: KnownKeys): readonly string[] {
  if (issue.input === undefined && issue.path.length === 1 && issue.code !== 'unrecognized_keys')
    return [`${yaml.at([])}  ${pathText(issue.path)}: missing`]
  const mistakes = schemaMistakes([issue], undefined, {
    known: path => (path.length === 0 ? keys.keys : path[0] === 'parity' ? parityKeys : inner),
    expected: path => (path.length === 1 ? keys.expectedOf(String(path[0])) : undefined),
    nameOf: functionName,
  })
  return mistakes.map(({ path, text, isUnknownKey }) => {
    const origin = isUnknownKey ? yaml.origins.get(String(path[0])) : undefined
    const location = isUnknownKey ? (origin?.atKey(path) ?? yaml.at(path.slice(0, -1))) : yaml.at(path)
    return `${location}  ${pathText(path)}: ${text}`
  })
}

const functionName = (value: unknown): string | undefined =>
  isFunctionRef(value) ? `!function ${functionText(value)}` : undefined

/** Keys of entries of lists and mappings. */
const inner = [
  'name',
  'filter',
  'metric',
  'aggregation',
  'weight_by_size',
  'filter_list',
  'sampler',
  'samples',
  'split',
  'process_docs',
  'fewshot_indices',
  'doc_to_text',
  'doc_to_target',
  'doc_to_choice',
  'gen_prefix',
  'fewshot_delimiter',
  'target_delimiter',
]
