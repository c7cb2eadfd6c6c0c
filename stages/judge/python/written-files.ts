/** Files that aggregations in Python write, such as submissions to a server that knows the answers. */
import { cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join, relative } from 'node:path'

/** The folder for the files of a task. Its name may have characters that lead elsewhere in a path. */
export const formatFolderPath = (files: string, task: string, filter: string): string =>
  join(files, ...[task, ...(filter === 'none' ? [] : [filter])].map(name => name.replace(/[/\\]|^\.+/g, '_')))

/**
 * Runs `work` with a folder to write to, and keeps the written files.
 *
 * @param exchange the parent of the folder while the code runs
 * @param kept the folder for the files, which replace those of the same name. Without it they are discarded.
 * @param work called with the folder
 * @returns the result of `work`, and the paths of the kept files
 */
export async function withWrittenFiles<Result>(
  { exchange, kept }: { readonly exchange: string; readonly kept: string | undefined },
  work: (folder: string) => Promise<Result>,
): Promise<{ readonly result: Result; readonly written: readonly string[] }> {
  const folder = await mkdtemp(join(exchange, 'written-'))
  try {
    const result = await work(folder)
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const names = entries.filter(entry => entry.isFile()).map(one => relative(folder, join(one.parentPath, one.name)))
    if (kept === undefined || names.length === 0) return { result, written: [] }
    await mkdir(kept, { recursive: true })
    await cp(folder, kept, { recursive: true })
    return { result, written: names.sort().map(name => join(kept, name)) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
