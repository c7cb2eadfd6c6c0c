/** Finds and loads tasks written in code: the files `*.task.ts` (or `.js`, `.mts`, `.mjs`) below a folder. */
import { PipelineError } from '../../../base/errors/errors.js'
import { filesBelow } from './finding/files-below.js'
import { type CodeTask, tasksInCode } from './task-value.js'

/** Returns whether a file holds code. */
export const isCode = (path: string): boolean => /\.[cm]?[jt]s$/.test(path)

/** The tasks that the files of code below one folder export. */
export interface CodeFolder {
  readonly tasks: readonly CodeTask[]
  /** The reasons why files could not be loaded. The names of their tasks are unknown. */
  readonly problems: readonly string[]
}

/**
 * Lists the files of code with tasks below a folder, sorted by name. A compiled file is left out if its source is in the same folder, because both
 * export the same tasks.
 */
export function taskCodeFiles(folder: string): readonly string[] {
  const files = filesBelow(folder, /\.task\.[cm]?[jt]s$/, folder)
  return files.filter(file => !files.includes(file.replace(/js$/, 'ts')) || file.endsWith('ts'))
}

/** Loads the files of code below `folders` to learn the names of their tasks. Unlike a YAML file, such a file must run to reveal its names. */
export async function loadCodeFolders(
  folders: readonly string[],
  options: { readonly cacheDir: string },
): Promise<ReadonlyMap<string, CodeFolder>> {
  const loaded = await Promise.all(
    folders.map(async folder => [folder, await loadCodeFolder(folder, options)] as const),
  )
  return new Map(loaded)
}

async function loadCodeFolder(folder: string, options: { readonly cacheDir: string }): Promise<CodeFolder> {
  const settled = await Promise.allSettled(taskCodeFiles(folder).map(file => tasksInCode(file, options)))
  const tasks: CodeTask[] = []
  const problems: string[] = []
  for (const result of settled)
    if (result.status === 'fulfilled') tasks.push(...result.value)
    else if (result.reason instanceof PipelineError) problems.push(...result.reason.said)
    else throw result.reason
  return { tasks, problems }
}
