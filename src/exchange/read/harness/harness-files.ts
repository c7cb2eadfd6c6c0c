import { readFile, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
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
 * @throws PipelineError if there is none or several, or if a task's samples are missing
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
  return { results, file, samples: await sampleFiles(file, results, names) }
}

async function sampleFiles(file: string, results: JsonObject, names: FileNames): Promise<HarnessFiles['samples']> {
  const folder = dirname(file)
  const stamp = names.results.exec(basename(file))?.groups?.['stamp'] ?? ''
  const present = new Set(await readdir(folder))
  const counts = results['n-samples']
  const tasks = Object.keys(results['configs'] ?? {}).filter(task => !isObject(counts) || task in counts)
  const missing = tasks.filter(task => !present.has(names.samples(task, stamp)))
  const [first] = missing
  if (first !== undefined)
    throw new PipelineError(
      'bundle',
      `${shownPath(folder)}: the samples of ${missing.join(', ')} are missing (${names.samples(first, stamp)}). An import needs what --log_samples writes.`,
    )
  return tasks.map(task => ({ task, file: join(folder, names.samples(task, stamp)) }))
}
