import { basename } from 'node:path'
import { command, option } from '../../../../base/errors/option-words.js'
import { didYouMean } from '../../../../base/text/suggest.js'
import { describeIssue } from '../read-config.js'
import { makeYamlLayer, type ResolvedYaml, resolveYaml } from '../yaml/resolve-yaml.js'
import { doubledRules, describeExpected, type GroupConfig, groupKeys, groupSchema, taskKeys } from '../schema.js'
import type { TaskIndex } from './task-index.js'
import type { CodeTask } from '../task-value.js'
import type { YamlFile } from '../yaml/yaml-file.js'

/** A task that is not loaded yet: layers of keys, where earlier layers win. */
export interface TaskSource {
  readonly name: string
  readonly layers: readonly (string | YamlFile)[]
}

/** A group: its file and its members in order. */
export interface GroupSource {
  readonly name: string
  readonly config: GroupConfig
  readonly yaml: ResolvedYaml
  readonly members: readonly TaskNode[]
  /** True if the group is described inline within another group. */
  readonly isWithin?: boolean
}

export type TaskNode =
  { readonly type: 'task'; readonly task: TaskSource } | { readonly type: 'group'; readonly group: GroupSource }

export interface Expanding {
  readonly index: TaskIndex
  /** Keys by which the surrounding groups override those of their tasks, outermost first. */
  readonly over: readonly YamlFile[]
  /** Names of the surrounding groups. */
  readonly chain: readonly string[]
  /** Collects problems. */
  readonly problems: string[]
  /** `file:line:column  task` of the name; absent for names from the command line. */
  readonly location?: string
}

/** Expands a name to a task, a group, or all tasks of a tag. Unknown names are reported in `problems`. */
export async function expandName(name: string, context: Expanding): Promise<readonly TaskNode[]> {
  const { index, over } = context
  context.problems.push(...(index.ambiguous.get(name)?.problems ?? []))
  const indexedTask = index.tasks.get(name)
  if (indexedTask !== undefined) return [taskNode(name, [...over, await loadLayer(indexedTask)])]
  const group = index.groups.get(name)
  if (group !== undefined) return expandGroup(await resolveYaml(group.file), context)
  const tagged = index.tags.get(name)
  if (tagged !== undefined) return (await Promise.all(tagged.map(task => expandName(task, context)))).flat()
  context.problems.push(`${context.location === undefined ? '' : `${context.location}: `}${unknownTask(name, index)}`)
  return []
}

/**
 * Expands a group as lmms-eval does: keys that are not a group's own override those of its tasks, and an outer
 * group's override an inner one's.
 */
export async function expandGroup(yaml: ResolvedYaml, context: Expanding): Promise<readonly TaskNode[]> {
  const config = readGroup(yaml, context.problems)
  if (config === undefined) return []
  if (context.chain.includes(config.group)) {
    context.problems.push(
      `${yaml.at(['task'])}  task: goes in a circle: ${[...context.chain, config.group].join(' → ')}`,
    )
    return []
  }
  const inner: Expanding = {
    ...context,
    over: [...context.over, ...ownLayers(yaml)],
    chain: [...context.chain, config.group],
  }
  // A plain name refers to the unchanged task, wherever it is in the list.
  const countsByName = new Map(
    config.task.flatMap(member => (typeof member === 'string' ? [[member, 1] as const] : [])),
  )
  const members: TaskNode[] = []
  for (const [at, member] of config.task.entries()) {
    const location = `${yaml.at(['task', at])}  task`
    const nodes =
      typeof member === 'string'
        ? await expandName(member, { ...inner, location })
        : await expandInline(makeYamlLayer(yaml, ['task', at], member), { ...inner, location }, countsByName)
    members.push(...nodes)
  }
  return [{ type: 'group', group: { name: config.group, config, yaml, members } }]
}

/** Expands an inline member: a group, a known name with further keys, or a task that exists only here. */
async function expandInline(
  part: YamlFile,
  context: Expanding,
  countsByName: Map<string, number>,
): Promise<readonly TaskNode[]> {
  const { task: name } = part.values
  const { index, over, problems, location = '' } = context
  if (typeof name !== 'string') return (await expandGroup(await resolveYaml(part), context)).map(asWithin)
  const layer = { ...part, values: withoutName(part.values) }
  const indexedTask = index.tasks.get(name)
  if (indexedTask === undefined && (index.groups.has(name) || index.tags.has(name)))
    return expandName(name, { ...context, over: [...over, layer] })
  if (indexedTask === undefined && !['dataset_path', 'include', 'doc_to_text'].some(key => key in part.values)) {
    problems.push(`${location}: ${unknownTask(name, index)}`)
    return []
  }
  problems.push(...(index.ambiguous.get(name)?.problems ?? []))
  const before = countsByName.get(name) ?? 0
  countsByName.set(name, before + 1)
  const own = before === 0 ? name : `${name}-${before}`
  const called = { ...part, values: { task: own } }
  return [taskNode(own, [called, ...over, layer, ...(indexedTask === undefined ? [] : [await loadLayer(indexedTask)])])]
}

const loadLayer = async (task: string | CodeTask): Promise<string | YamlFile> =>
  typeof task === 'string' ? task : task.layer()

const asWithin = (node: TaskNode): TaskNode =>
  node.type === 'group' ? { type: 'group', group: { ...node.group, isWithin: true } } : node

const taskNode = (name: string, layers: TaskSource['layers']): TaskNode => ({ type: 'task', task: { name, layers } })

const withoutName = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([key]) => key !== 'task'))

/** Returns the keys by which a group overrides its tasks, each with the file that it comes from. */
const ownLayers = (yaml: ResolvedYaml): readonly YamlFile[] =>
  [...yaml.origins].flatMap(([key, origin]) =>
    groupKeys.includes(key) || key === 'include' ? [] : [{ ...origin, values: { [key]: origin.values[key] } }],
  )

function readGroup(yaml: ResolvedYaml, problems: string[]): GroupConfig | undefined {
  const knownKeys = [...groupKeys, ...taskKeys]
  const unknown = Object.keys(yaml.values).filter(key => !knownKeys.includes(key))
  for (const problem of yaml.problems) problems.push(problem)
  for (const key of unknown.slice(0, 100))
    problems.push(
      `${yaml.origins.get(key)?.atKey([key]) ?? yaml.at([key])}  ${key}: no such key.${didYouMean(key, knownKeys)}`,
    )
  const own = Object.entries(yaml.values).filter(([key, value]) => groupKeys.includes(key) && value !== null)
  const parsed = groupSchema.safeParse(Object.fromEntries(own), { reportInput: true })
  // Every key is missing where the file cannot be read.
  if (!parsed.success && yaml.problems.length > 0 && Object.keys(yaml.values).length === 0) return undefined
  if (parsed.success) {
    const doubled = doubledRules(parsed.data).map(
      index =>
        `${yaml.at(['aggregate_metric_list', index])}  aggregate_metric_list.${index}: a number of this metric after these filters is there already`,
    )
    problems.push(...doubled)
    return unknown.length + doubled.length > 0 ? undefined : parsed.data
  }
  const words = { keys: knownKeys, expectedOf: (key: string) => describeExpected(key, groupSchema) }
  problems.push(...parsed.error.issues.flatMap(issue => describeIssue(issue, yaml, words)))
  return undefined
}

export function unknownTask(name: string, { tasks, groups, tags }: TaskIndex): string {
  const guess = didYouMean(name, [...tasks.keys(), ...groups.keys(), ...tags.keys()])
  return `no task "${name}".${guess === '' ? ` ${furtherTasks}` : guess}   (${command('tasks list')})`
}

/** The hint for an unknown name, which may be a task of lmms-eval. */
const furtherTasks = `Tasks of lmms-eval are read from its folder: ${option('includePaths', 'DIR/lmms_eval/tasks')}, where DIR is a checkout of github.com/EvolvingLMMs-Lab/lmms-eval, or the unpacked package lmms-eval of PyPI`

/**
 * Makes names of nested groups unique. Several groups may contain a group of the same name (`stem` in each form of
 * MMLU), and lmms-eval runs one of them at a time. Where several are evaluated at once, the surrounding group's name
 * becomes a prefix, and tables show the short name.
 */
function groupsApart(nodes: readonly TaskNode[]): readonly TaskNode[] {
  const places = new Map<string, Set<string>>()
  for (const { name, yaml } of groupsIn(nodes)) places.set(name, (places.get(name) ?? new Set()).add(yaml.at([])))
  const apart = (node: TaskNode, around?: string): TaskNode => {
    if (node.type === 'task') return node
    const { group } = node
    const isShared = group.isWithin === true && (places.get(group.name)?.size ?? 0) > 1
    const renamedGroup = isShared && around !== undefined ? within(around, group) : group
    return {
      type: 'group',
      group: { ...renamedGroup, members: group.members.map(member => apart(member, renamedGroup.name)) },
    }
  }
  return nodes.map(node => apart(node))
}

const within = (around: string, group: GroupSource): GroupSource => ({
  ...group,
  name: `${around}/${group.name}`,
  config: { ...group.config, group_alias: group.config.group_alias ?? group.name },
})

const groupsIn = (nodes: readonly TaskNode[]): readonly GroupSource[] =>
  nodes.flatMap(node => (node.type === 'group' ? [node.group, ...groupsIn(node.group.members)] : []))

/** Lists each task and group once, with the problems of names that refer to two tasks. */
export function flattenNodes(nodes: readonly TaskNode[]): {
  readonly tasks: readonly TaskSource[]
  readonly groups: readonly GroupSource[]
  readonly problems: readonly string[]
} {
  const tasks = new Map<string, TaskSource>()
  const groups = new Map<string, GroupSource>()
  const problems: string[] = []
  const visit = (node: TaskNode): void => {
    const [sourcesByName, name] = node.type === 'task' ? [tasks, node.task.name] : [groups, node.group.name]
    const before = sourcesByName.get(name)
    if (node.type === 'task') tasks.set(name, tasks.get(name) ?? node.task)
    else groups.set(name, groups.get(name) ?? node.group)
    const now = node.type === 'task' ? node.task : node.group
    if (before !== undefined && makeFormKey(before) !== makeFormKey(now))
      problems.push(
        `${node.type} "${name}" is named twice, in two forms: ${formatLocations(before)} and ${formatLocations(now)}. Give one of them another name.`,
      )
    if (node.type === 'group') node.group.members.forEach(visit)
  }
  groupsApart(nodes).forEach(visit)
  return { tasks: [...tasks.values()], groups: [...groups.values()], problems }
}

/** Flattens each of the nodes alone: two groups may hold one task in two forms, as long as they are not evaluated together. */
export function flattenedApart(nodes: readonly TaskNode[]): ReturnType<typeof flattenNodes> {
  const flattened = nodes.map(node => flattenNodes([node]))
  const once = <T extends TaskSource | GroupSource>(sources: readonly T[]): readonly T[] => [
    ...new Map(sources.map(source => [`${source.name} ${makeFormKey(source)}`, source])).values(),
  ]
  return {
    tasks: once(flattened.flatMap(part => part.tasks)),
    groups: once(flattened.flatMap(part => part.groups)),
    problems: flattened.flatMap(part => part.problems),
  }
}

/** Makes a key that distinguishes two sources of one name. */
const makeFormKey = (source: TaskSource | GroupSource): string =>
  JSON.stringify(
    'layers' in source
      ? source.layers.map(layer => (typeof layer === 'string' ? layer : layer.at([])))
      : source.yaml.at([]),
  )

const formatLocations = (source: TaskSource | GroupSource): string =>
  'layers' in source
    ? source.layers.map(layer => (typeof layer === 'string' ? basename(layer) : layer.at([]))).join(' over ')
    : source.yaml.at([])
