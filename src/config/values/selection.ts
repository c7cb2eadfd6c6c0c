import { emptyTable } from '../../../base/values/named-values.js'
import { z } from 'zod'
import { PipelineError, messageOf } from '../../../base/errors/errors.js'
import { option as named } from '../../../base/errors/option-words.js'
import type { RunSelection, StopCondition } from '../../../cache/records.js'
import type { Selection, Shard } from '../../../stages/input/selection/selection.js'
import { namedRecord } from '../named-record.js'
import { fileKeys, option, makeGroupSettings, makeStoredSettings, type SettingsOf } from '../option.js'
import { readDocNames, readNamesFile } from './doc-names.js'
import { text, whole } from './option-values.js'
import { formatStopCondition, parseStopCondition, stopPattern } from './stop-when.js'

const amount = z.union([z.int().positive(), z.literal(-1), z.number().gt(0).lt(1)])
/** Selected docs by task: indices as numbers, ids as texts. */
const namedDocs = namedRecord(z.array(z.union([z.int().nonnegative(), z.string()])))
type NamedDocs = NonNullable<Selection['samples']>

/** The options that select docs of each task. */
export const selectionOptions = {
  /** The first docs of each task; below 1, the share of all of them; by task, with `*` for the others. @default all */
  limit: option({
    flag: '--limit <n>',
    help: 'the first n docs of each task, or this share of them; task=n for one task; -1 for all',
    read: limitFlag,
    file: z
      .union([amount, namedRecord(amount)])
      .describe('a whole number of docs, a share between 0 and 1, -1 for all, or these by task'),
    settle: settledLimit,
    isIdentity: true,
    stored: 'given',
  }),
  /** The field of the rows by whose values the docs of `limit` are drawn at random, each value with its share. */
  limitBy: option({
    flag: '--limit-by <field>',
    help: 'with --limit: draw the docs at random, so that each value of this field has its share',
    ...text('the name of a field'),
    isIdentity: true,
    stored: 'given',
  }),
  /** Index of the first doc of each task. @default 0 */
  offset: option({
    flag: '--offset <n>',
    help: 'begin at this doc of each task, counted from 0',
    ...whole(0),
    isIdentity: true,
    stored: 'unless-default',
  }),
  /** Number of docs of each task to draw at random, or the share of them. */
  subset: option({
    flag: '--subset <n>',
    help: 'n docs of each task drawn at random, or this share of them',
    read: (text: string) => amountIn('--subset', text),
    file: z
      .union([z.int().positive(), z.number().gt(0).lt(1)])
      .describe('a whole number of docs, or a share between 0 and 1'),
    isIdentity: true,
    stored: 'given',
  }),
  /** Seed of the random subset, of `limitBy`, or of the order in which `stopWhen` asks docs. @default 0 */
  subsetSeed: option({
    flag: '--subset-seed <s>',
    help: 'seed of the random subset, of --limit-by, or of the order of --stop-when (0)',
    ...whole(0),
    isIdentity: true,
    stored: 'unless-default',
  }),
  /** Only these docs, by task: indices, and ids as texts. */
  samples: option({
    flag: '--samples <file>',
    isPath: true,
    help: 'only these docs: JSON with lists of indices and ids by task',
    file: z.union([z.string(), namedDocs]).describe('a JSON file, or a mapping of tasks to lists of indices and ids'),
    program: {
      schema: namedDocs.describe('an object of tasks with lists of indices and ids'),
      read: (value: NamedDocs): NamedDocs => value,
    },
    settle: (value: string | NamedDocs): NamedDocs => (typeof value === 'string' ? readSamples(value) : value),
    isIdentity: true,
    stored: 'given',
  }),
  /** Only these docs: ids and shell patterns, `TASK/ID` for those of one task. */
  docs: option({
    flag: '--docs <docs>',
    help: "only these docs: an id or pattern (q12, 'shapes_vqa/q1*'), or a .txt file with one a line; may be repeated",
    read: (text: string, before?: string | readonly string[]): readonly string[] => [
      ...[before ?? []].flat(),
      ...readDocNames(text),
    ],
    // A file is read for a flag only: the service must not read one for a job.
    file: z.union([z.string(), z.array(z.string()).nonempty()]).describe('an id or pattern of docs, or a list of them'),
    program: {
      schema: z.array(z.string()).min(1).readonly().describe('a list of ids and patterns'),
      read: (value: readonly string[]): readonly string[] => value,
    },
    settle: (value: string | readonly string[]): readonly string[] => [value].flat(),
    isIdentity: true,
    stored: 'given',
  }),
  /** One of `of` parts of the docs, counted from 1. */
  shard: option({
    flag: '--shard <i/n>',
    help: 'the i-th of n parts of the docs, counted from 1',
    read: shardIn,
    file: z
      .string()
      .regex(/^\d+\/\d+$/)
      .transform(shardIn)
      .describe('i/n, such as 2/4'),
    program: {
      schema: z
        .strictObject({ index: z.int().positive(), of: z.int().positive() })
        .describe('a part such as { index: 2, of: 4 }'),
      read: (value: Shard): Shard => value,
    },
    isIdentity: true,
    stored: ({ index, of }: Shard) => `${index}/${of}`,
  }),
  /** Ends each task when its docs are enough: `half-width < 0.02` or `decided vs RUN`, with a metric before it. @default all docs */
  stopWhen: option({
    flag: '--stop-when <condition>',
    help: "end each task when it has enough docs: 'half-width < 0.02', 'decided vs RUN'",
    docs: "end each task when it has enough docs: `'half-width < 0.02'` or `'decided vs RUN'`, with a metric before it if it is not the first   ([stopping early](planning.md#stopping-early))",
    read: (text: string) => parseStopCondition(text),
    file: z.string().regex(stopPattern).transform(parseStopCondition).describe('a condition such as half-width < 0.02'),
    program: {
      schema: z.string().regex(stopPattern).describe('a condition such as half-width < 0.02'),
      read: (value: string): StopCondition => parseStopCondition(value),
    },
    isIdentity: true,
    stored: (condition: StopCondition) => formatStopCondition(condition),
  }),
}

/** The selection of a command line or file. */
export type SelectionSettings = SettingsOf<typeof selectionOptions>

/** Simplifies a limit to one number if it holds for all tasks, and to none if that means all docs. */
function settledLimit(limit: NonNullable<Selection['limit']>): Selection['limit'] {
  if (typeof limit !== 'object') return limit === -1 ? undefined : limit
  const [only, ...others] = Object.entries(limit)
  return only?.[0] === '*' && others.length === 0 ? settledLimit(only[1]) : limit
}

/** The stored form of a selection, without defaults. */
export const writtenSelection = (settings: SelectionSettings): RunSelection =>
  makeStoredSettings(selectionOptions, settings, '')

/** Reads the selection of a run spec. */
export function readSelection(selection: RunSelection): Selection {
  const { firstSample } = selection
  const parsed = z.object(fileKeys(selectionOptions)).safeParse(selection)
  if (!parsed.success)
    throw new PipelineError('store', 'the run was asked for docs that this version does not know how to choose')
  return {
    ...makeGroupSettings(selectionOptions, {}, parsed.data),
    ...(firstSample === undefined ? {} : { firstSample }),
  }
}

/** Reads `--limit`: a number of docs, a share of all, -1 for all; `task=…` for one task, with commas between. */
export function limitFlag(text: string, before?: Selection['limit']): NonNullable<Selection['limit']> {
  const limits = Object.assign(
    emptyTable<number>(),
    typeof before === 'object' ? before : before === undefined ? {} : { '*': before },
  )
  for (const part of text.split(',')) {
    const [, name = '*', value = ''] = /^(?:(.+)=)?(.*)$/.exec(part.trim()) ?? []
    limits[name] = amountIn('--limit', value, { hasAll: true })
  }
  const [only] = Object.entries(limits)
  return Object.keys(limits).length === 1 && only?.[0] === '*' ? only[1] : limits
}

/** Reads a number of docs or a share of them. */
export function amountIn(flag: string, text: string, { hasAll = false } = {}): number {
  const value = Number(text)
  const isShare = /^0?\.\d+$/.test(text) && value > 0
  const isNumber = /^\d+$/.test(text) && value >= 1 && Number.isSafeInteger(value)
  if (isShare || isNumber || (hasAll && text === '-1')) return value
  const allHint = hasAll ? ', or -1 for all' : ''
  throw new PipelineError(
    'usage',
    `${flag}: expected a whole number of docs, a share between 0 and 1${allHint}, given "${text}"`,
  )
}

/** Reads `i/n`. */
export function shardIn(text: string): Shard {
  const [, index, of] = /^(\d+)\/(\d+)$/.exec(text) ?? []
  const shard = { index: Number(index), of: Number(of) }
  if (shard.index >= 1 && shard.index <= shard.of) return shard
  throw new PipelineError('usage', `--shard: expected i/n with i from 1 to n, such as 2/4, given "${text}"`)
}

/** Reads the docs that a JSON file names; the text may be the JSON itself. */
function readSamples(fileOrText: string): NonNullable<Selection['samples']> {
  const text = fileOrText.trimStart().startsWith('{') ? fileOrText : readNamesFile('samples', fileOrText)
  try {
    return namedDocs.parse(JSON.parse(text))
  } catch (error) {
    const why = error instanceof z.ZodError ? 'tasks must lead to lists of indices (from 0) and ids' : messageOf(error)
    throw new PipelineError(
      'usage',
      `${named('samples')} ${fileOrText}: expected JSON such as {"mmlu": [0, 5, "id-7"]}: ${why}`,
      {
        cause: error,
      },
    )
  }
}
