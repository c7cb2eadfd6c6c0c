import { distance } from 'fastest-levenshtein'
import { z } from 'zod'
import type { Json } from '../../../base/values/canonical-json.js'
import { givenText } from '../../../base/errors/given-text.js'
import { ownMessage } from '../../../base/errors/issue-text.js'
import { pathText, schemaMistakes } from '../../../base/errors/schema-mistakes.js'
import { PipelineError } from '../../../base/errors/errors.js'
import type { Task } from '../tasks/task.js'
import { readSplitFiles, type ReadSplitFiles } from './layout/repository-card.js'

const patterns = z.union(
  [z.string().transform(text => [text]), z.array(z.string())],
  'a pattern of archives, or a list of them',
)

const character = z.string('one character').length(1, 'one character')
const columns = z.array(z.string(), 'the names of the columns').min(1, 'the names of the columns')

const anyCount = 'a whole number, 0 or more'
const count = z.int(anyCount).min(0, anyCount)

/** The supported keys of `dataset_kwargs`. */
const schema = z.looseObject({
  /** A folder within the dataset. */
  data_dir: z.string('a folder within the dataset').optional(),
  /** For Hub repositories. */
  revision: z.string('a branch, tag or commit').optional(),
  load_from_disk: z.boolean('true or false').default(false),
  /** Archives that contain the media. */
  archives: patterns.optional(),
  /** As in lmms-eval: all archives contain media. */
  video: z.boolean('true or false').default(false),
  /** A folder with the media, relative to the task file. */
  media_root: z.string('a folder').optional(),
  /** The folder where lmms-eval unpacks media, below `HF_HOME`. */
  cache_dir: z.string('the name of a folder').optional(),
  /** Options for CSV, with the names of `datasets` and pandas. */
  sep: character.optional(),
  delimiter: character.nullish(),
  names: columns.optional(),
  column_names: columns.optional(),
  /** For JSON: the key that holds the rows. */
  field: z.string('the key under which the rows stand').nullish(),
  header: z.union([count, z.literal('infer')], `${anyCount}, or null`).nullish(),
  skiprows: count.nullish(),
  nrows: count.nullish(),
  quotechar: character.optional(),
  skipinitialspace: z.boolean('true or false').default(false),
  encoding: z.string('the name of an encoding').nullish(),
  keep_default_na: z.boolean('true or false').default(true),
  na_filter: z.boolean('true or false').default(true),
  // A token in a task file would be stored with every run.
  token: z.boolean('true or false: a token itself is given in HF_TOKEN').nullish(),
})

export interface DatasetKwargs extends z.output<typeof schema> {
  readonly dataFiles?: ReadSplitFiles
}

/** Options for reading files, which a card may state as well. */
const ofFiles = (
  'sep delimiter names column_names field header skiprows nrows quotechar skipinitialspace encoding ' +
  'keep_default_na na_filter'
).split(' ')

/** Options of `datasets` that are not supported, with the value at which they change nothing. */
const notFollowed: Readonly<Record<string, Json>> = {
  index_col: null,
  usecols: null,
  converters: null,
  true_values: null,
  false_values: null,
  na_values: null,
  skip_blank_lines: true,
  thousands: null,
  decimal: '.',
  lineterminator: null,
  quoting: 0,
  escapechar: null,
  comment: null,
  dialect: null,
  skipfooter: 0,
  doublequote: true,
  encoding_errors: 'strict',
  on_bad_lines: 'error',
  drop_labels: null,
  drop_metadata: null,
  columns: null,
  filters: null,
  features: null,
  sample_by: 'line',
  keep_linebreaks: false,
}

/**
 * Reads `dataset_kwargs`.
 *
 * @param ofCard options that the dataset's card states; the task's own override them
 * @throws PipelineError with the YAML line of every invalid key.
 */
export function readDatasetKwargs(
  task: Pick<Task, 'config' | 'at'>,
  ofCard: Readonly<Record<string, unknown>> = {},
): DatasetKwargs {
  const ofConfig = Object.fromEntries(ofFiles.filter(key => key in ofCard).map(key => [key, ofCard[key]]))
  const kwargs: Readonly<Record<string, unknown>> = { ...ofConfig, ...task.config.dataset_kwargs }
  const parsed = schema.safeParse(kwargs)
  const problem = (name: string, expected: string): string =>
    `${task.at(['dataset_kwargs', name])}  dataset_kwargs.${name}: expected ${expected}, given ${givenText(kwargs[name])}`
  const dataFiles = kwargs['data_files'] === undefined ? undefined : readSplitFiles(kwargs['data_files'])
  const problems = [
    ...(parsed.error?.issues ?? []).flatMap(issue =>
      schemaMistakes([issue], kwargs, {
        expected: path => (path.length === issue.path.length ? ownMessage(issue) : undefined),
      }).map(
        ({ path, text }) =>
          `${task.at(['dataset_kwargs', ...path.map(String)])}  dataset_kwargs.${pathText(path)}: ${text}`,
      ),
    ),
    ...Object.entries(kwargs).flatMap(([name, value]) => {
      const why = describeUnknownKey(name, value)
      return why === undefined ? [] : [`${task.at(['dataset_kwargs', name])}  dataset_kwargs.${name}: ${why}`]
    }),
    ...(kwargs['data_files'] !== undefined && dataFiles === undefined
      ? [problem('data_files', 'a file, a list of files, or these by split')]
      : []),
  ]
  if (!parsed.success || problems.length > 0) throw new PipelineError('config', problems)
  return { ...parsed.data, ...(dataFiles === undefined ? {} : { dataFiles }) }
}

/** Unknown keys are ignored, unless they look like a misspelt known one. */
function describeUnknownKey(name: string, value: unknown): string | undefined {
  if (Object.hasOwn(schema.shape, name) || name === 'data_files') return undefined
  if (Object.hasOwn(notFollowed, name))
    return value === notFollowed[name]
      ? undefined
      : 'is not followed here. Change the file itself, or give its rows to process_docs'
  const meant = [...Object.keys(schema.shape), 'data_files'].find(key => key.length > 4 && distance(key, name) <= 2)
  return meant === undefined ? undefined : `no such key. Did you mean "${meant}"?`
}
