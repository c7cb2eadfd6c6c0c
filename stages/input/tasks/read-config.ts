import { isAbsolute, join, dirname, resolve } from 'node:path'
import type { z } from 'zod'
import { systemCode } from '../../../base/errors.js'
import { shownPath } from '../../../base/shown-path.js'
import { didYouMean } from '../../../base/suggest.js'
import { readGeneration } from '../generation-kwargs.js'
import { functionText, isFunctionRef } from './function-ref.js'
import { expectedOf, taskKeys, taskSchema, type TaskConfig } from './schema.js'
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

/** The configuration, or all that is wrong with it. */
export function checkConfig(yaml: ResolvedYaml): {
  readonly config?: TaskConfig
  readonly problems: readonly string[]
} {
  const parsed = taskSchema.safeParse(yaml.values, { reportInput: true })
  if (!parsed.success) return { problems: inOrder(parsed.error.issues.flatMap(issue => describeIssue(issue, yaml))) }
  const problems = [
    ...missingParts(parsed.data).map(problem => `${yaml.at([])}  ${problem}`),
    ...readGeneration(parsed.data.generation_kwargs).problems.map(
      ({ name, text }) => `${yaml.at(['generation_kwargs', name])}  generation_kwargs.${name}: ${text}`,
    ),
  ]
  return problems.length > 0 ? { problems } : { config: parsed.data, problems }
}

/** By file, line and column. */
const inOrder = (problems: readonly string[]): readonly string[] =>
  [...problems].sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))

function missingParts(config: TaskConfig): readonly string[] {
  const problems: string[] = []
  if (config.doc_to_text === undefined && config.doc_to_messages === undefined)
    problems.push('doc_to_text: missing (or doc_to_messages)')
  if (config.output_type === 'multiple_choice' && config.doc_to_choice === undefined)
    problems.push('doc_to_choice: missing, which multiple_choice needs')
  if (config.doc_to_target === undefined && config.process_results === undefined)
    problems.push('doc_to_target: missing, so there is nothing to score an answer by (or process_results)')
  if (['generate_until_multi_round', 'generate_until_agentic', 'loglikelihood_rolling'].includes(config.output_type))
    problems.push(
      `output_type: ${config.output_type} is not there yet (generate_until, loglikelihood and multiple_choice are)`,
    )
  return problems
}

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
