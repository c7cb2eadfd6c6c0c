import { ownValue } from '../../../base/values/named-values.js'
import type { StopCondition } from '../../../cache/records.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { docNames } from '../doc-names.js'
import { ofIndices, type DocRange } from './doc-range.js'
import { findNamedDocs } from './named-docs.js'
import type { PreparedTask } from '../prepare-task.js'
import { rankDocs } from './rank-docs.js'
import { drawStratified } from './stratified-docs.js'

/** Part `index`, counted from 1, of `of` parts of the docs. */
export interface Shard {
  readonly index: number
  readonly of: number
}

/** Selects the docs of a task that are evaluated. */
export interface Selection {
  /**
   * Number of docs; below 1, a share of all docs, rounded up. By task name, `*` for tasks that are not named.
   * @default all docs
   */
  readonly limit?: number | Readonly<Record<string, number>>
  /** The row field for a stratified draw: each value keeps its share of the docs. */
  readonly limitBy?: string
  /** Number of docs that are skipped at the start. @default 0 */
  readonly offset?: number
  /** Number of docs drawn at random; below 1, a share of all docs. */
  readonly subset?: number
  /** Seed of the draw, or of the order of docs with `stopWhen`. @default 0 */
  readonly subsetSeed?: number
  /** The only docs to evaluate, by task: indices as numbers, ids as texts. */
  readonly samples?: Readonly<Record<string, readonly (number | string)[]>>
  /** The only docs to evaluate: ids and shell patterns, `TASK/ID` for those of one task. */
  readonly docs?: readonly string[]
  /** The part that is evaluated of the docs selected so far. */
  readonly shard?: Shard
  /** The condition under which a task has enough docs. They are then asked in a seeded order. */
  readonly stopWhen?: StopCondition
  /** Index of each doc's first sample. A value above 0 makes new samples of requests that have answers. */
  readonly firstSample?: number
}

/** The limit of a task without a limit among tasks with one. */
const allDocs = -1

/** Lists the problems of a selection that do not depend on the docs, one line each. */
export function selectionProblems(selection: Selection, tasks: readonly string[]): readonly string[] {
  const { limit, offset = 0, subset, subsetSeed, samples, docs, limitBy, shard, stopWhen } = selection
  const limits = typeof limit === 'object' ? Object.values(limit).filter(value => value !== allDocs) : [limit ?? 1]
  const describeUnknownTasks = (name: string, names: readonly string[]): readonly string[] =>
    names
      .filter(task => task !== '*' && !tasks.includes(task))
      .map(task => `${option(name)}: no task "${task}" is evaluated.${didYouMean(task, tasks)}`)
  const otherOptions = [limit !== undefined && 'limit', offset > 0 && 'offset', subset !== undefined && 'subset']
  const chooser = samples !== undefined ? 'samples' : docs !== undefined ? 'docs' : undefined
  const both =
    chooser === undefined
      ? []
      : [...otherOptions, chooser === 'samples' && docs !== undefined && 'docs'].filter(name => name !== false)
  return [
    ...limits.filter(value => !isAmount(value)).map(value => `${option('limit', value)}: ${amount}`),
    ...(subset !== undefined && !isAmount(subset) ? [`${option('subset', subset)}: ${amount}`] : []),
    ...(isWhole(offset, 0) ? [] : [`${option('offset', offset)}: expected a whole number from 0`]),
    ...(subsetSeed === undefined || isWhole(subsetSeed, 0)
      ? []
      : [`${option('subsetSeed', subsetSeed)}: expected a whole number from 0`]),
    ...(stopWhen !== undefined && shard !== undefined
      ? [
          `${option('stopWhen')} and ${option('shard')}: a part cannot know when all parts have enough docs; give one of them`,
        ]
      : []),
    ...(subsetSeed !== undefined && subset === undefined && stopWhen === undefined && limitBy === undefined
      ? [`${option('subsetSeed')}: also give ${option('subset')} N, which it decides`]
      : []),
    ...(limitBy !== undefined && limit === undefined
      ? [`${option('limitBy')}: also give ${option('limit')} N, the number of docs`]
      : []),
    ...(limitBy !== undefined && offset > 0
      ? [`${option('limitBy')} draws from all docs: leave ${option('offset')} out`]
      : []),
    ...(limit !== undefined && subset !== undefined
      ? [`${option('limit')} and ${option('subset')}: both say how many docs; give one of them`]
      : []),
    ...(docs?.every(text => text.trim() === '') === true ? [`${option('docs')}: no docs are named`] : []),
    ...both.map(name => `${option(chooser ?? 'samples')} says which docs are evaluated: leave ${option(name)} out`),
    ...(shard === undefined || isShard(shard)
      ? []
      : [`${shardOption(shard)}: expected i/n with i from 1 to n, such as 2/4`]),
    ...(typeof limit === 'object' ? describeUnknownTasks('limit', Object.keys(limit)) : []),
    ...(samples === undefined
      ? []
      : [...describeUnknownTasks('samples', Object.keys(samples)), ...describeUnnamedTasks(samples, tasks)]),
  ]
}

const amount = 'expected a whole number from 1, or a share between 0 and 1'
const isWhole = (value: number, least: number): boolean => Number.isSafeInteger(value) && value >= least
const isAmount = (value: number): boolean => value > 0 && (value < 1 || isWhole(value, 1))
const shardOption = ({ index, of }: Shard): string => option('shard', `${index}/${of}`)
const isShard = ({ index, of }: Shard): boolean => isWhole(of, 1) && isWhole(index, 1) && index <= of

const describeUnnamedTasks = (
  samples: NonNullable<Selection['samples']>,
  tasks: readonly string[],
): readonly string[] =>
  tasks
    .filter(task => (ownValue(samples, task) ?? samples['*'] ?? []).length === 0)
    .map(task => `${option('samples')}: no docs of the task ${task} are named`)

/**
 * Returns the indices of the selected docs. Docs are counted, or searched for ids, only where the selection needs it.
 *
 * @throws PipelineError where a named doc does not exist.
 */
export async function computeDocRange(selection: Selection, prepared: PreparedTask, task: string): Promise<DocRange> {
  return takeShard(await computeWholeRange(selection, prepared, task), selection.shard)
}

/** Returns the indices that all shards of a selection have together. */
export async function computeWholeRange(selection: Selection, prepared: PreparedTask, task: string): Promise<DocRange> {
  const { limit: limitOption, limitBy, offset = 0, subset, samples, docs: names } = selection
  if (samples !== undefined)
    return ofIndices(await namedIndices(ownValue(samples, task) ?? samples['*'] ?? [], prepared, task))
  if (names !== undefined) return ofIndices(await findNamedDocs(names, prepared))
  if (subset !== undefined)
    return ofIndices(drawIndices(offset, await countDocs(prepared), { subset, seed: selection.subsetSeed ?? 0 }))
  const limit = typeof limitOption === 'object' ? (ownValue(limitOption, task) ?? limitOption['*']) : limitOption
  if (limit === undefined || limit === allDocs) return { start: offset, end: Infinity }
  if (limitBy !== undefined)
    return ofIndices(await drawStratified(prepared, { field: limitBy, limit, seed: selection.subsetSeed ?? 0, task }))
  const docs = limit < 1 ? Math.ceil(limit * (await countDocs(prepared))) : limit
  return { start: offset, end: offset + docs }
}

/** Takes every `of`-th of the selected docs, so that parts are alike in size and kind. */
export function takeShard({ start, end, only }: DocRange, shard: Shard | undefined): DocRange {
  if (shard === undefined) return { start, end, ...(only === undefined ? {} : { only }) }
  const isOwn = (position: number): boolean => position % shard.of === shard.index - 1
  if (only === undefined) return { start, end, only: { has: index => isOwn(index - start) } }
  const chosen = Array.from({ length: end - start }, (_, position) => start + position).filter(index => only.has(index))
  return ofIndices(chosen.filter((_, position) => isOwn(position)))
}

/**
 * Draws the indices from `offset` up to `count` whose digests with the seed are smallest, in order. Tasks with the
 * same number of docs get the same draw, and docs added later change little of it.
 */
function drawIndices(
  offset: number,
  count: number,
  { subset, seed }: { readonly subset: number; readonly seed: number },
): readonly number[] {
  const docs = subset < 1 ? Math.ceil(subset * count) : subset
  const indices = Array.from({ length: Math.max(0, count - offset) }, (_, position) => offset + position)
  return rankDocs(indices, seed)
    .slice(0, docs)
    .sort((a, b) => a - b)
}

/** Lists the selected docs in ascending order. */
export async function listDocs(selection: Selection, prepared: PreparedTask, task: string): Promise<readonly number[]> {
  const { start, end, only } = await computeDocRange(selection, prepared, task)
  const last =
    Number.isFinite(end) && prepared.count === undefined ? await countUpTo(prepared, end) : await countDocs(prepared)
  const length = Math.max(0, Math.min(end, last) - start)
  const indices = Array.from({ length }, (_, position) => start + position)
  return only === undefined ? indices : indices.filter(index => only.has(index))
}

async function namedIndices(
  names: readonly (number | string)[],
  prepared: PreparedTask,
  task: string,
): Promise<readonly number[]> {
  const indices = new Set(names.filter(name => typeof name === 'number'))
  const ids = new Set(names.filter(name => typeof name === 'string'))
  const isCounted = prepared.count !== undefined && ids.size === 0
  let count = isCounted ? (prepared.count ?? 0) : 0
  const nameOf = docNames()
  if (!isCounted)
    for await (const doc of prepared.docs()) {
      const id = nameOf(doc, count)
      if (ids.delete(id)) indices.add(count)
      count++
    }
  const missing = [
    ...[...ids].map(id => `the id "${id}"`),
    ...[...indices].filter(index => index >= count).map(index => `the index ${index}`),
  ]
  if (missing.length > 0)
    throw new PipelineError(
      'usage',
      `${option('samples')}: task ${task} has no doc with ${missing.slice(0, 5).join(', ')} (it has ${count} docs, the first is 0)`,
      {
        reason: 'doc-unknown',
        data: { task, docs: count, ids: [...ids], indices: [...indices].filter(index => index >= count) },
      },
    )
  return [...indices].sort((a, b) => a - b)
}

async function countDocs(prepared: PreparedTask): Promise<number> {
  return prepared.count ?? (await prepared.findCount?.()) ?? countUpTo(prepared, Infinity)
}

/** @throws PipelineError where no doc is selected, which would otherwise look like a finished evaluation. */
export async function refuseEmptySelection(task: string, selection: Selection, prepared: PreparedTask): Promise<void> {
  const range = await computeDocRange(selection, prepared, task)
  const first = findFirstIndex(range, selection.shard?.of ?? 1)
  const count = prepared.count ?? (await countUpTo(prepared, first === undefined ? Infinity : first + 1))
  if (first !== undefined && count > first) return
  if (count === 0) throw new PipelineError('dataset', `task ${task} has no docs: its process_docs leaves none`)
  const { offset = 0, shard } = selection
  const docs = `task ${task} has ${count} docs`
  const facts = { reason: 'selection-empty', data: { task, docs: count } } as const
  if (count <= offset)
    throw new PipelineError('usage', `${option('offset', offset)}: ${docs}, and the first is 0`, facts)
  throw new PipelineError(
    'usage',
    shard === undefined
      ? `${docs}, and none is selected`
      : `${shardOption(shard)}: ${docs}, and this part has none of those that are selected`,
    facts,
  )
}

/** Returns the first index of a range; `undefined` where it is found to be empty. */
function findFirstIndex({ start, end, only }: DocRange, parts: number): number | undefined {
  if (only === undefined) return start < end ? start : undefined
  // A set begins with its first doc. The first doc of a shard is among the first N docs of a range, for N shards.
  const last = Math.min(end, start + parts)
  for (let index = start; index < last; index++) if (only.has(index)) return index
  return undefined
}

async function countUpTo(prepared: PreparedTask, enough: number): Promise<number> {
  const docs = prepared.docs()[Symbol.asyncIterator]()
  let count = 0
  while (count < enough && (await docs.next()).done !== true) count++
  await docs.return?.()
  return count
}
