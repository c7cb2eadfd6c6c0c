import { FileError, readText } from '../../../base/files.js'
import { shownPath } from '../../../base/shown-path.js'
import { nearest } from '../../../base/suggest.js'
import { groupKeys } from './group-schema.js'
import { taskKeys } from './schema.js'
import { NameReader } from './task-names.js'
import { readYamlFile } from './yaml-file.js'

/** Whether a file has to do with tasks at all; others of YAML may lie beside them. */
const isOfTasks =
  /^[ \t]*(?:- )?(?:task|group|dataset_path|doc_to_\w+|metric_list|output_type|aggregate_metric_list)[ \t]*:/m

const known = [...groupKeys, ...taskKeys]

/**
 * What is wrong with files that offer no name: most are templates for others to include, but some were meant as a task or
 * a group, and would be passed over without a word.
 *
 * @returns `file:line:column  what`
 */
export async function unnamedProblems(files: readonly string[]): Promise<readonly string[]> {
  const reader = new NameReader()
  const unnamed = files.filter(file => reader.namesIn(file).type === 'nothing')
  return (await Promise.all(unnamed.map(problemsIn))).flat()
}

async function problemsIn(file: string): Promise<readonly string[]> {
  const text = await readText(file).catch((error: unknown) => {
    if (!(error instanceof FileError)) throw error
    return error
  })
  if (text instanceof FileError) return [`${shownPath(file)}:${text.line ?? 1}:1  ${text.message}`]
  if (!isOfTasks.test(text)) return []
  const yaml = await readYamlFile(file)
  if (yaml.problems.length > 0) return yaml.problems
  const keys = Object.keys(yaml.values)
  const slips = keys
    .filter(key => !known.includes(key) && /^(task|group)$/.test(nearest(key, known) ?? ''))
    .map(key => `${yaml.atKey([key])}  ${key}: no such key. Did you mean "${nearest(key, known) ?? ''}"?`)
  const isGroup =
    slips.length === 0 && keys.includes('group') && keys.some(key => /^(group_alias|aggregate_metric_list)$/.test(key))
  return isGroup ? [`${yaml.at(['group'])}  task: missing: the tasks of the group, a list`] : slips
}
