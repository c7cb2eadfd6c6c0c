import { emptyTable } from '../../base/named-values.js'
import { z } from 'zod'
import { PipelineError, messageOf } from '../../base/errors.js'
import { readTextSync } from '../../base/files.js'
import type { JsonObject } from '../../cache/records.js'
import type { Selection, Shard } from '../../stages/input/selection.js'
import { namedRecord } from './named-record.js'
import { present } from '../../base/present.js'

/** Which docs are evaluated, as a line or file says it. */
export type SelectionSettings = Omit<Selection, 'firstSample'>

const amount = z.union([z.int().positive(), z.literal(-1), z.number().gt(0).lt(1)])
/** Docs by task: indices, and ids as texts. */
export const namedDocs = namedRecord(z.array(z.union([z.int().nonnegative(), z.string()])))

/** The keys of a configuration file. */
export const selectionKeys = {
  limit: z
    .union([amount, namedRecord(amount)])
    .describe('a whole number of docs, a share between 0 and 1, -1 for all, or these by task')
    .optional(),
  offset: z.int().nonnegative().describe('a whole number, 0 or more').optional(),
  subset: z
    .union([z.int().positive(), z.number().gt(0).lt(1)])
    .describe('a whole number of docs, or a share between 0 and 1')
    .optional(),
  subset_seed: z.int().nonnegative().describe('a whole number, 0 or more').optional(),
  samples: z
    .union([z.string(), namedDocs])
    .describe('a JSON file, or a mapping of tasks to lists of indices and ids')
    .optional(),
  shard: z
    .string()
    .regex(/^\d+\/\d+$/)
    .describe('i/n, such as 2/4')
    .optional(),
}

/** As flags give it: `samples` is a file, or its content. */
export interface SelectionFlags {
  readonly limit?: Selection['limit']
  readonly offset?: number
  readonly subset?: number
  readonly subsetSeed?: number
  readonly samples?: string
  readonly shard?: Shard
}

/** A flag wins over the file. @throws PipelineError where the file of samples can't be read. */
export function selectionSettings(
  flags: SelectionFlags,
  config: z.output<z.ZodObject<typeof selectionKeys>>,
): SelectionSettings {
  const limit = settled(flags.limit ?? config.limit)
  const samples = flags.samples ?? config.samples
  const shard = flags.shard ?? (config.shard === undefined ? undefined : shardIn(config.shard))
  return present({
    limit,
    offset: flags.offset ?? config.offset,
    subset: flags.subset ?? config.subset,
    subsetSeed: flags.subsetSeed ?? config.subset_seed,
    samples: typeof samples === 'string' ? readSamples(samples) : samples,
    shard,
  })
}

/** One number where it is that of all tasks; none where that is all docs. */
function settled(limit: Selection['limit']): Selection['limit'] {
  if (typeof limit !== 'object') return limit === -1 ? undefined : limit
  const [only, ...others] = Object.entries(limit)
  return only?.[0] === '*' && others.length === 0 ? settled(only[1]) : limit
}

/** In the words of a configuration file, and of what a run was asked; what is usual is left out. */
export function writtenSelection({ limit, offset, subset, subsetSeed, samples, shard }: SelectionSettings): JsonObject {
  return present({
    limit,
    offset: offset === 0 ? undefined : offset,
    subset,
    subset_seed: subsetSeed === 0 ? undefined : subsetSeed,
    samples,
    shard: shard === undefined ? undefined : `${shard.index}/${shard.of}`,
  })
}

/** Which docs a run is about, as it was asked. */
export function readSelection(asked: JsonObject): Selection {
  const { firstSample } = asked
  const parsed = z.object(selectionKeys).safeParse(asked)
  if (!parsed.success)
    throw new PipelineError('store', 'the run was asked for docs that this version does not know how to choose')
  return {
    ...selectionSettings({}, parsed.data),
    ...(typeof firstSample === 'number' ? { firstSample } : {}),
  }
}

/** Reads `--limit`: a number of docs, a share of all, -1 for all; `task=…` for one task, with commas between. */
export function limitFlag(text: string, before?: Selection['limit']): Selection['limit'] {
  const given = Object.assign(
    emptyTable<number>(),
    typeof before === 'object' ? before : before === undefined ? {} : { '*': before },
  )
  for (const part of text.split(',')) {
    const [, name = '*', value = ''] = /^(?:(.+)=)?(.*)$/.exec(part.trim()) ?? []
    given[name] = amountIn('--limit', value, true)
  }
  const [only] = Object.entries(given)
  return Object.keys(given).length === 1 && only?.[0] === '*' ? only[1] : given
}

/** Reads a number of docs or a share of them. */
export function amountIn(flag: string, text: string, hasAll = false): number {
  const value = Number(text)
  const isShare = /^0?\.\d+$/.test(text) && value > 0
  const isNumber = /^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value)
  if (isShare || isNumber || (hasAll && text === '-1')) return value
  const all = hasAll ? ', or -1 for all' : ''
  throw new PipelineError(
    'usage',
    `${flag}: expected a whole number of docs, a share between 0 and 1${all}, given "${text}"`,
  )
}

/** Reads `i/n`. */
export function shardIn(text: string): Shard {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  const shard = { index: Number(index), of: Number(of) }
  if (shard.index >= 1 && shard.index <= shard.of) return shard
  throw new PipelineError('usage', `--shard: expected i/n with i from 1 to n, such as 2/4, given "${text}"`)
}

/** The docs that a JSON file names, or the text itself where it is the JSON. */
function readSamples(given: string): NonNullable<Selection['samples']> {
  const text = given.trimStart().startsWith('{') ? given : textOf(given)
  try {
    return namedDocs.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? 'tasks must lead to lists of indices (from 0) and ids' : messageOf(error)
    throw new PipelineError('usage', `--samples ${given}: expected JSON such as {"mmlu": [0, 5, "id-7"]}: ${why}`, {
      cause: error,
    })
  }
}

/** A million docs by their ids. */
const mostBytes = 64 * 2 ** 20

function textOf(path: string): string {
  try {
    return readTextSync(path, mostBytes)
  } catch (error) {
    throw new PipelineError('usage', `--samples ${path}: ${messageOf(error)}`, { cause: error })
  }
}
