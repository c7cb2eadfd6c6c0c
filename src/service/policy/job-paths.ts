/** Checks the paths of a job: the options with `isPath`. */
import { isAbsolute } from 'node:path'
import { formatFileKey } from '../../config/option.js'
import { allOptions } from '../../config/options.js'
import { lineOptions, lmmsOptions } from '../../config/options/line-options.js'
import { isTaskPath } from '../../config/stored/stored-paths.js'
import { allowedPath, type PathCheck } from './allowed-path.js'
import { formatClientValue, type CheckedJob, type JobPolicy, type Surroundings } from './job-policy.js'

/** The keys of a configuration file whose values are paths. */
export const pathKeys: readonly string[] = Object.entries({ ...allOptions, ...lineOptions, ...lmmsOptions }).flatMap(
  ([name, spec]) => ('isPath' in spec ? [formatFileKey(name)] : []),
)

/** Keys with comma-separated lists. */
const lists: ReadonlySet<string> = new Set(['tasks', 'include_path', 'plugin'])

/** The maximum number of paths in a job, because each is looked up in the file system. */
const mostTexts = 2000

/** Checks all paths of a job. Returns the job with absolute paths. */
export async function checkPaths(
  job: CheckedJob['job'],
  policy: JobPolicy,
  surroundings: Surroundings,
): Promise<CheckedJob> {
  const problems: string[] = []
  const checked = new Map<string, unknown>(Object.entries(job))
  for (const key of pathKeys) {
    const value = job[key]
    const texts = listTexts(key, value)
    if (texts.length > mostTexts) {
      problems.push(`${key}: ${texts.length} names; a job may have at most ${mostTexts}`)
      continue
    }
    const results = await Promise.all(texts.map(text => checkPath(key, text, policy, surroundings)))
    problems.push(...results.flatMap(result => ('problem' in result ? [result.problem] : [])))
    const paths = results.flatMap(result => ('path' in result ? [result.path] : []))
    if (texts.length > 0) checked.set(key, lists.has(key) ? paths : paths[0])
  }
  return { problems, job: Object.fromEntries(checked) }
}

function listTexts(key: string, value: unknown): readonly string[] {
  const texts = Array.isArray(value) ? value : [value]
  const entries = texts.filter((text): text is string => typeof text === 'string')
  if (!lists.has(key)) return entries
  return entries.flatMap(text => text.split(',').map(part => part.trim())).filter(part => part !== '')
}

/** Checks the value of a key. Returns a name unchanged, and a path without symbolic links. */
async function checkPath(key: string, text: string, policy: JobPolicy, surroundings: Surroundings): Promise<PathCheck> {
  if (key === 'tasks') {
    if (!isTaskPath(text)) return { path: text }
    const [, file = text, name = ''] = /^(.+\.[cm]?[jt]s)(#.+)$/.exec(text) ?? []
    const checked = await allowedPath(key, file, policy, surroundings)
    return 'path' in checked ? { path: `${checked.path}${name}` } : checked
  }
  // `samples` is JSON or a file of it.
  if (key === 'samples' && text.trimStart().startsWith('{')) return { path: text }
  if (key === 'plugin' && !isFileOfPlugin(text))
    return {
      problem: `plugin: ${formatClientValue(text)} is a package, and packages of this server are not available to jobs; name a file below a folder of --allow-dir`,
    }
  return allowedPath(key, text, policy, surroundings)
}

const isFileOfPlugin = (text: string): boolean => text.startsWith('.') || isAbsolute(text) || /\.[mc]?[jt]s$/.test(text)
