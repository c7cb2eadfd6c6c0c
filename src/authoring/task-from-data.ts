/** Writes a task for a data file. */
import { writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { PipelineError } from '../../base/errors/errors.js'
import { withTemporaryFolder } from '../../base/files/temporary-folder.js'
import { makeFolder } from '../../cache/make-folder.js'
import type { Json } from '../../base/values/canonical-json.js'
import { loadTask } from '../../stages/input/tasks/load-task.js'
import { makeTaskScorer } from '../judging/scoring.js'
import { readDataShape, type DataShape } from './data-shape.js'
import { describeGuesses, formatDataTask } from './data-task-text.js'
import { findNewFolder } from './task-starter.js'
import { tryTask } from './task-trial.js'

/** The task that was written. */
export interface WrittenTask extends DataTaskDraft {
  readonly file: string
}

/** The task that is about to be written. */
export interface DataTaskDraft {
  readonly shape: DataShape
  /** Notes about guesses. */
  readonly guesses: readonly string[]
  /** The first doc as a model gets it. */
  readonly preview: { readonly prompt: string; readonly target: Json }
  /** Problems of the first docs, such as a target that the metric does not read. */
  readonly problems: readonly string[]
}

/**
 * Writes a task file for a data file, which is not moved.
 *
 * @param from `dir`: the parent of the new task folder. `onDraft`: called before anything is written; the task is not written if it throws
 * @throws PipelineError if the data cannot be read, or the folder exists already
 */
export async function writeTaskFromData(
  name: string,
  {
    dir,
    file,
    onDraft,
    ...columnNames
  }: {
    readonly dir: string
    readonly file: string
    readonly target?: string
    readonly question?: string
    readonly onDraft?: (draft: DataTaskDraft) => void | Promise<void>
  },
): Promise<WrittenTask> {
  const folder = findNewFolder(name, dir)
  const shape = await readDataShape(file, columnNames)
  const trial = await tryText(name, resolve(file), shape)
  const draft = { shape, guesses: describeGuesses(shape), ...trial }
  await onDraft?.(draft)
  const path = relative(resolve(folder), resolve(file))
  makeFolder(folder)
  const yamlFile = join(folder, `${name}.yaml`)
  await writeFile(yamlFile, formatDataTask(name, path.startsWith('.') ? path : `./${path}`, shape))
  return { file: yamlFile, ...draft }
}

/** The number of docs that are tried before the task is written. */
const triedDocs = 20

/** Tries the task in a temporary folder. */
const tryText = (name: string, file: string, shape: DataShape): Promise<Pick<DataTaskDraft, 'preview' | 'problems'>> =>
  withTemporaryFolder('pipeline-new-task', async folder => {
    const path = join(folder, `${name}.yaml`)
    await writeFile(path, formatDataTask(name, file, shape))
    const options = { cacheDir: folder }
    const task = await loadTask(path, options)
    const scorer = await makeTaskScorer(task.name, task.scoring, { ...options, exported: [] })
    const { docs, problems, notes } = await tryTask(task, scorer, triedDocs)
    const [first] = docs
    if (first?.prompt === undefined && problems[0] !== undefined) throw new PipelineError('dataset', problems[0])
    return {
      preview: { prompt: first?.prompt ?? '', target: first?.target ?? null },
      problems: [
        ...new Set(
          [...problems, ...notes].map(problem => problem.replace(`${path}:`, '').replaceAll(`${folder}/`, '')),
        ),
      ],
    }
  })
