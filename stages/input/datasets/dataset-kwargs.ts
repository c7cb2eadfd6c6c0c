import { z } from 'zod'
import { PipelineError } from '../../../base/errors.js'
import type { Task } from '../tasks/task.js'
import { readSplitFiles, type ReadSplitFiles } from './layout/split-files.js'

const patterns = z.union(
  [z.string().transform(text => [text]), z.array(z.string())],
  'a pattern of archives, or a list of them',
)

const character = z.string('one character').length(1, 'one character')
const columns = z.array(z.string(), 'the names of the columns').min(1, 'the names of the columns')

/** The keys of `dataset_kwargs` that mean something here; the messages say what is expected. */
const schema = z.looseObject({
  /** A folder within the dataset. */
  data_dir: z.string('a folder within the dataset').optional(),
  /** Of a Hub repository. */
  revision: z.string('a branch, tag or commit').optional(),
  load_from_disk: z.boolean('true or false').default(false),
  /** The archives that hold the media. */
  archives: patterns.optional(),
  /** As lmms-eval's: whatever archives are there hold the media. */
  video: z.boolean('true or false').default(false),
  /** A folder with the media, relative to the task file. */
  media_root: z.string('a folder').optional(),
  /** Where lmms-eval has unpacked them, below `HF_HOME`. */
  cache_dir: z.string('the name of a folder').optional(),
  /** As `datasets` and pandas name them; of CSV alone. */
  sep: character.optional(),
  delimiter: character.nullish(),
  names: columns.optional(),
  column_names: columns.optional(),
  /** Of JSON: the key under which the rows stand. */
  field: z.string('the key under which the rows stand').nullish(),
  keep_default_na: z.boolean('true or false').default(true),
  na_filter: z.boolean('true or false').default(true),
  // A token in a task file would be stored with every run.
  token: z.boolean('true or false: a token itself is given in HF_TOKEN').nullish(),
})

export interface DatasetKwargs extends z.output<typeof schema> {
  /** Patterns of files. */
  readonly dataFiles?: ReadSplitFiles
}

/** What a card may say, too, of how files are read. */
const ofFiles = ['sep', 'delimiter', 'names', 'column_names', 'field', 'keep_default_na', 'na_filter'] as const

/**
 * @param ofCard what the dataset's card says of this kind, which the task's own keys win over
 * @throws PipelineError with the YAML lines of all that is not of the form that it must be.
 */
export function readDatasetKwargs(
  task: Pick<Task, 'config' | 'at'>,
  ofCard: Readonly<Record<string, unknown>> = {},
): DatasetKwargs {
  const known = Object.fromEntries(ofFiles.filter(key => key in ofCard).map(key => [key, ofCard[key]]))
  const given: Readonly<Record<string, unknown>> = { ...known, ...task.config.dataset_kwargs }
  const parsed = schema.safeParse(given)
  const problem = (name: string, expected: string): string =>
    `${task.at(['dataset_kwargs', name])}  dataset_kwargs.${name}: expected ${expected}`
  const dataFiles = given['data_files'] === undefined ? undefined : readSplitFiles(given['data_files'])
  const problems = [
    ...(parsed.error?.issues ?? []).map(({ path, message }) => problem(String(path[0]), message)),
    ...(given['data_files'] !== undefined && dataFiles === undefined
      ? [problem('data_files', 'a file, a list of files, or these by split')]
      : []),
  ]
  if (!parsed.success || problems.length > 0) throw new PipelineError('config', problems)
  return { ...parsed.data, ...(dataFiles === undefined ? {} : { dataFiles }) }
}
