import { isAbsolute, join, dirname, resolve } from 'node:path'
import type { z } from 'zod'
import { systemCode } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import { didYouMean } from '../../../base/suggest.js'
import { isGenerated, readGeneration, withDefaults } from '../generation-kwargs.js'
import { functionText, isFunctionRef } from './function-ref.js'
import { expectedOf, nullKeys, taskKeys, taskSchema, type TaskConfig } from './schema.js'
import { readYamlFile, type YamlFile } from './yaml-file.js'

/** A task file with all that it includes, and where each key comes from. */
export interface ResolvedYaml {
  readonly file: string
  readonly values: Readonly<Record<string, unknown>>
  readonly origins: ReadonlyMap<string, YamlFile>
  readonly problems: readonly string[]
  /** `file:line:column` of a value. */
  at(path: readonly PropertyKey[]): string
}

/**
 * Reads a task file and its includes: its own keys win, then the include that is listed first. A key replaces the whole
 * of the same key.
 */
export async function resolveYaml(file: string): Promise<ResolvedYaml> {
  const problems: string[] = []
  const origins = new Map<string, YamlFile>()
  const top = await collect(resolve(file), { origins, problems, chain: [] })
  const values = Object.fromEntries([...origins].map(([key, origin]) => [key, origin.values[key]]))
  const at = (path: readonly PropertyKey[]): string => (origins.get(String(path[0])) ?? top).at(path)
  return { file: top.file, values, origins, problems, at }
}

interface Collecting {
  readonly origins: Map<string, YamlFile>
  readonly problems: string[]
  readonly chain: readonly string[]
}

async function collect(file: string, into: Collecting): Promise<YamlFile> {
  const yaml = await readYamlFile(file)
  into.problems.push(...yaml.problems)
  for (const key of Object.keys(yaml.values))
    if (key !== 'include' && !into.origins.has(key)) into.origins.set(key, yaml)
  for (const [index, name] of includesOf(yaml, into.problems).entries()) {
    const path = typeof yaml.values['include'] === 'string' ? ['include'] : ['include', index]
    await include({ name, yaml, place: yaml.at(path) }, { ...into, chain: [...into.chain, file] })
  }
  return yaml
}

async function include(named: { name: string; yaml: YamlFile; place: string }, into: Collecting): Promise<void> {
  const file = isAbsolute(named.name) ? named.name : join(dirname(named.yaml.file), named.name)
  if (into.chain.includes(file)) {
    const circle = [...into.chain.slice(into.chain.indexOf(file)), file].map(shownPath)
    into.problems.push(`${named.place}  include goes in a circle: ${circle.join(' → ')}`)
    return
  }
  try {
    await collect(file, into)
  } catch (error) {
    if (systemCode(error) === undefined) throw error
    into.problems.push(`${named.place}  include: no file ${named.name} beside it`)
  }
}

function includesOf(yaml: YamlFile, problems: string[]): readonly string[] {
  const given = yaml.values['include']
  if (given === undefined) return []
  const list: readonly unknown[] = Array.isArray(given) ? given : [given]
  const names = list.filter(name => typeof name === 'string')
  if (names.length < list.length) problems.push(`${yaml.at(['include'])}  include: expected a file or a list of files`)
  return names
}

/** The configuration with all defaults, or all that is wrong with it. */
export function checkConfig(yaml: ResolvedYaml): {
  readonly config?: TaskConfig
  readonly problems: readonly string[]
} {
  const refused = refusedKeys(yaml)
  const given = Object.entries(yaml.values).filter(
    ([key, value]) => key !== 'class' && (value !== null || nullKeys.has(key)),
  )
  const parsed = taskSchema.safeParse(Object.fromEntries(given), { reportInput: true })
  if (!parsed.success)
    return { problems: inOrder([...refused, ...parsed.error.issues.flatMap(issue => describeIssue(issue, yaml))]) }
  const problems = [
    ...refused,
    ...missingParts(parsed.data).map(problem => `${yaml.at([])}  ${problem}`),
    ...kwargProblems(parsed.data, yaml),
  ]
  return problems.length > 0 ? { problems: inOrder(problems) } : { config: completed(parsed.data), problems }
}

function completed(config: TaskConfig): TaskConfig {
  const { generation_kwargs: given, fewshot_delimiter: delimiter, output_type: type, group } = config
  return {
    ...config,
    ...(group === undefined ? {} : { tag: group }),
    ...(given === undefined && !isGenerated(type) ? {} : { generation_kwargs: withDefaults(given, delimiter) }),
  }
}

/** Keys that other programs follow and this one can't. */
function refusedKeys(yaml: ResolvedYaml): readonly string[] {
  const { class: own, group, tag, dataset_kwargs: dataset } = yaml.values
  return [
    ...(own === undefined
      ? []
      : [
          isFunctionRef(own)
            ? `${yaml.at(['class'])}  class: a task is a file of keys here, with functions where needed; a class of Python is not run`
            : `${yaml.at(['class'])}  class: must be !function module.Class, and such a class is not run here either: write the task with keys and functions`,
        ]),
    ...(group !== undefined && tag !== undefined
      ? [`${yaml.at(['group'])}  group: of a task it is the old word for tag; give one of them`]
      : []),
    ...(typeof dataset === 'object' && dataset !== null && 'num_proc' in dataset
      ? [`${yaml.at(['dataset_kwargs', 'num_proc'])}  dataset_kwargs.num_proc: reserved, not for a task to set`]
      : []),
  ]
}

function kwargProblems(config: TaskConfig, yaml: ResolvedYaml): readonly string[] {
  const { generation_kwargs: own = {}, model_specific_generation_kwargs: byModel = {} } = config
  const sets = [
    { path: ['generation_kwargs'], given: own },
    ...Object.entries(byModel).map(([model, given]) => ({ path: ['model_specific_generation_kwargs', model], given })),
  ]
  return sets.flatMap(({ path, given }) => {
    if (typeof given !== 'object' || given === null || isList(given))
      return [`${yaml.at(path)}  ${path.join('.')}: expected keys and values, given ${describeValue(given)}`]
    return readGeneration(given).problems.map(
      ({ name, text }) => `${yaml.at([...path, name])}  ${[...path, name].join('.')}: ${text}`,
    )
  })
}

// Array.isArray does not narrow a readonly array out of a union.
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** By file, line and column. */
const inOrder = (problems: readonly string[]): readonly string[] =>
  [...problems].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

function missingParts(config: TaskConfig): readonly string[] {
  const problems: string[] = []
  if (config.doc_to_text === undefined && config.doc_to_messages === undefined)
    problems.push('doc_to_text: missing (or doc_to_messages)')
  if (config.output_type === 'multiple_choice' && config.doc_to_choice === undefined)
    problems.push('doc_to_choice: missing, which multiple_choice needs')
  if (config.test_split === undefined && config.validation_split === undefined && !isOneFile(config))
    problems.push('test_split: missing (or validation_split), so nothing says which split is evaluated')
  if (config.doc_to_target === undefined && config.process_results === undefined)
    problems.push('doc_to_target: missing, so there is nothing to score an answer by (or process_results)')
  if (['generate_until_multi_round', 'generate_until_agentic', 'loglikelihood_rolling'].includes(config.output_type))
    problems.push(
      `output_type: ${config.output_type} is not there yet (generate_until, loglikelihood and multiple_choice are)`,
    )
  return problems
}

/** Whether the dataset names its files, so that no split is needed to choose among them. */
const isOneFile = ({ dataset_path: path, dataset_kwargs: kwargs }: TaskConfig): boolean =>
  /\.(parquet|jsonl|ndjson|json|csv|tsv|arrow)(\.(gz|zst))?$/i.test(path) ||
  (kwargs !== undefined && kwargs !== null && ('data_files' in kwargs || 'data_dir' in kwargs))

function describeIssue(issue: z.core.$ZodIssue, yaml: ResolvedYaml): readonly string[] {
  const where = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map(key => {
      const origin = yaml.origins.get(String(issue.path[0] ?? key))
      const known = issue.path.length === 0 ? taskKeys : ['name', 'filter']
      const place = origin?.atKey([...issue.path, key]) ?? yaml.at(issue.path)
      return `${place}  ${[...issue.path, key].map(String).join('.')}: no such key.${didYouMean(key, known)}`
    })
  if (issue.input === undefined && issue.path.length === 1) return [`${yaml.at([])}  ${where}: missing`]
  const expected = issue.path.length > 1 ? expectedInside(issue) : expectedOf(where)
  const input = describeValue(issue.input)
  return [`${yaml.at(issue.path)}  ${where}: expected ${expected ?? expectedInside(issue)}, given ${input}`]
}

const expectedInside = (issue: z.core.$ZodIssue): string =>
  issue.code === 'invalid_type' ? words(issue.expected) : issue.message.replace(/^(Invalid input: )?expected /, '')

const words = (type: string): string =>
  ({ string: 'text', record: 'keys and values', object: 'keys and values', array: 'a list' })[type] ?? type

/** A value as a person would call it. */
function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'nothing (null)'
  if (isFunctionRef(value)) return `!function ${functionText(value)}`
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object') return 'keys and values'
  return typeof value === 'string' ? `the text ${JSON.stringify(value)}` : `${typeof value} ${JSON.stringify(value)}`
}
