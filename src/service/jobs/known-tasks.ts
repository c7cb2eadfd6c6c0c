import { PipelineError } from '../../../base/errors/errors.js'
import { didYouMean } from '../../../base/text/suggest.js'
import { isWildcard, wildcard } from '../../../base/text/wildcard.js'
import { isTaskPath } from '../../config/stored/stored-paths.js'
import type { Catalogue } from '../catalogue.js'

/** The maximum number of patterns in one job, and of reported mistakes. */
const most = 20
/** No task has a longer name. */
const longest = 200

/**
 * Finds names and patterns in `tasks` that match no task, group or tag. Paths are checked elsewhere. A job with folders or plugins may define further
 * tasks, so its names are checked when it runs.
 */
export async function unknownTasks(
  catalogue: Pick<Catalogue, 'taskNames'>,
  { tasks = [], include_path: folders, plugin }: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  if (folders !== undefined || plugin !== undefined) return []
  const texts = (Array.isArray(tasks) ? tasks : [tasks]).flatMap(name =>
    typeof name === 'string' ? name.split(',').map(part => part.trim()) : [],
  )
  const names = [...new Set(texts)].filter(name => name !== '' && !isTaskPath(name))
  const patterns = names.filter(isWildcard)
  if (patterns.length > most) return [`tasks: a job has at most ${most} patterns, and ${patterns.length} are given`]
  const plain = names.filter(name => !isWildcard(name))
  try {
    let taskNames = await catalogue.taskNames()
    let missing = listAbsent(taskNames, plain, patterns)
    if (missing.length === 0) return []
    // It may be new.
    taskNames = await catalogue.taskNames({ isFresh: true })
    missing = listAbsent(taskNames, plain, patterns)
    return missing
      .slice(0, most)
      .map(
        name =>
          `tasks: there is no task ${JSON.stringify(name.slice(0, longest))}.${didYouMean(name.slice(0, longest), taskNames)}`,
      )
  } catch (error) {
    // The folders of the server have mistakes. The job that needs them fails with their text.
    if (error instanceof PipelineError) return []
    throw error
  }
}

function listAbsent(
  taskNames: ReadonlySet<string>,
  plain: readonly string[],
  patterns: readonly string[],
): readonly string[] {
  const nameList = [...taskNames]
  return [
    ...plain.filter(name => !taskNames.has(name)),
    ...patterns.filter(pattern => {
      if (pattern.length > longest) return true
      const isMeant = wildcard(pattern)
      return !nameList.some(name => isMeant.test(name))
    }),
  ]
}
