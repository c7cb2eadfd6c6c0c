import { readFile, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { namesOfFiles } from '../../../../base/files/written-file.js'
import { ownValue } from '../../../../base/values/named-values.js'
import { isObject, type Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { parseExactJson } from '../../../../stages/input/datasets/json/exact-json.js'

/** The names that a tool gives to the files of one evaluation. */
export interface FileNames {
  readonly tool: string
  /** Its group `stamp` is common to the names of an evaluation's files. */
  readonly results: RegExp
  samples(task: string, stamp: string): string
}

/** The results file of one evaluation, and the sample file of each task. */
export interface HarnessFiles {
  readonly results: JsonObject
  readonly file: string
  readonly samples: readonly { readonly task: string; readonly file: string }[]
  /** The tasks whose samples are missing. */
  readonly missing: readonly string[]
}

/** Lists the results files at a path: the file itself, those in the folder, or those in its subfolders. */
export async function resultFiles(path: string, names: FileNames): Promise<readonly string[]> {
  const isResults = (file: string): boolean => names.results.test(basename(file))
  if ((await stat(path)).isFile()) return isResults(path) ? [path] : []
  const files: string[] = []
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const inner = join(path, entry.name)
    if (entry.isFile() && isResults(inner)) files.push(inner)
    if (entry.isDirectory()) for (const name of await readdir(inner)) if (isResults(name)) files.push(join(inner, name))
  }
  return files.sort()
}

/**
 * Finds the files of the evaluation at a path.
 *
 * @throws PipelineError if there is none or several, or if the samples of all tasks are missing
 */
export async function harnessFiles(path: string, names: FileNames): Promise<HarnessFiles> {
  const [file, ...others] = await resultFiles(path, names)
  const location = shownPath(path)
  if (file === undefined) throw new PipelineError('bundle', `${location}: no results of ${names.tool} are there`)
  if (others.length > 0)
    throw new PipelineError(
      'bundle',
      `${location} holds the results of ${others.length + 1} evaluations. Import them one by one, for example ${shownPath(file)}`,
    )
  const results = parseExactJson(await readFile(file, 'utf8'), () => shownPath(file)) as Json
  if (!isObject(results) || !isObject(results['results']) || !isObject(results['configs']))
    throw new PipelineError('bundle', `${shownPath(file)}: these are no results of ${names.tool}`)
  return { results, file, ...(await sampleFiles(file, results, names)) }
}

/** Finds the samples of each task. A task without samples, such as one that was added to the results later, leaves the others. */
async function sampleFiles(
  file: string,
  results: JsonObject,
  names: FileNames,
): Promise<Pick<HarnessFiles, 'samples' | 'missing'>> {
  const folder = dirname(file)
  const stamp = names.results.exec(basename(file))?.groups?.['stamp'] ?? ''
  const present = new Set(await readdir(folder))
  const counts = results['n-samples']
  const tasks = Object.keys(results['configs'] ?? {}).filter(task => !isObject(counts) || task in counts)
  const findNames = makeFindNames(results, tasks)
  const samples = tasks.flatMap(task => {
    const candidates = [...listWritten(results, task), ...findNames(task).map(name => names.samples(name, stamp))]
    const name = candidates.find(candidate => present.has(candidate))
    return name === undefined ? [] : [{ task, file: join(folder, name) }]
  })
  const missing = tasks.filter(task => !samples.some(found => found.task === task))
  const [first] = missing
  if (first !== undefined && samples.length === 0)
    throw new PipelineError(
      'bundle',
      `${shownPath(folder)}: the samples of ${missing.join(', ')} are missing (${names.samples(first, stamp)}). An import needs what --log_samples writes.`,
    )
  return { samples, missing }
}

/** The file that our own export names for a task. */
function listWritten({ pipeline }: JsonObject, task: string): readonly string[] {
  const files = isObject(pipeline) && isObject(pipeline['samples']) ? pipeline['samples'] : {}
  const file = ownValue(files, task)
  return typeof file === 'string' && basename(file) === file ? [file] : []
}

/** Makes the function that lists how a task's name may stand in a file's name: as it is, or without characters that file systems refuse. */
function makeFindNames(results: JsonObject, tasks: readonly string[]): (task: string) => readonly string[] {
  const written = namesOfFiles(tasks)
  const isOwn = results['pipeline'] !== undefined
  return task => {
    const ours = written[tasks.indexOf(task)] ?? task
    return [...(isOwn ? [ours, task] : [task, ours]), task.replace(/[^\p{L}\p{N}_]/gu, '_')]
  }
}
