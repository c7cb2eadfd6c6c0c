/** Finds the docs of tasks that ids and patterns name. */
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { compileNamePatterns, listMissing } from '../../base/text/name-patterns.js'
import { docNames } from './doc-names.js'
import { hasIndex, type DocRange } from './doc-range.js'
import type { PreparedTask } from './prepare-task.js'

/** Lists the indices of a task's docs that ids and patterns name, in ascending order. */
export async function findNamedDocs(
  docs: readonly string[],
  { docs: read }: Pick<PreparedTask, 'docs'>,
  task: string,
): Promise<readonly number[]> {
  const { findHits } = compileNamePatterns(docs)
  const nameOf = docNames()
  const indices: number[] = []
  let index = 0
  for await (const doc of read()) {
    if (findHits(task, nameOf(doc, index)).length > 0) indices.push(index)
    index++
  }
  return indices
}

/**
 * Rejects ids and patterns that no doc of any task has, and tasks of which no doc is named.
 *
 * @param tasks with the range of their docs that count. @default all docs
 * @param options `isPart`: tasks of which no doc is named are left alone
 * @throws PipelineError (usage)
 */
export async function refuseUnknownDocs(
  docs: readonly string[],
  tasks: readonly (Pick<PreparedTask, 'docs'> & { readonly name: string; readonly range?: DocRange | undefined })[],
  { isPart = false }: { readonly isPart?: boolean } = {},
): Promise<void> {
  const { findHits } = compileNamePatterns(docs)
  const found = new Set<string>()
  const empty: string[] = []
  for (const { name, docs: read, range } of tasks) {
    const nameOf = docNames()
    let index = 0
    let isNamed = false
    for await (const doc of read()) {
      const id = nameOf(doc, index)
      const hits = range === undefined || hasIndex(range, index) ? findHits(name, id) : []
      index++
      for (const hit of hits) found.add(hit)
      isNamed ||= hits.length > 0
    }
    if (!isNamed) empty.push(name)
  }
  const missing = docs.flatMap(text => listMissing(text, found))
  const names = tasks.map(({ name }) => name)
  if (missing.length > 0)
    throw new PipelineError(
      'usage',
      `${option('docs')}: no doc of ${names.join(', ')} has the id ${missing
        .slice(0, 5)
        .map(part => JSON.stringify(part))
        .join(', ')}   (ids and patterns such as '${names[0] ?? 'TASK'}/*' are matched)`,
      { reason: 'doc-unknown', data: { tasks: names, ids: [...missing] } },
    )
  if (empty.length > 0 && !isPart)
    throw new PipelineError(
      'usage',
      `${option('docs')}: no doc of the task ${empty.join(', ')} is named. Leave the task out, or name some of its docs.`,
      { reason: 'selection-empty', data: { tasks: empty } },
    )
}
