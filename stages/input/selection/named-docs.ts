/** Finds the docs of tasks that ids and patterns name. */
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { compileNamePatterns, listMissing, type NamePatterns } from '../../../base/text/name-patterns.js'
import { docNames } from '../doc-names.js'
import { hasIndex, type DocRange } from './doc-range.js'
import type { PreparedTask } from '../prepare-task.js'

/** Lists the indices of a task's docs that ids and patterns name, in ascending order. */
export async function findNamedDocs(
  docs: readonly string[],
  prepared: Pick<PreparedTask, 'docs' | 'task'>,
): Promise<readonly number[]> {
  const indices: number[] = []
  for await (const { index } of readHits(prepared, compileNamePatterns(docs))) indices.push(index)
  return indices
}

/** Reads the docs of a task that match ids or patterns, each with its matches. */
async function* readHits(
  { docs, task }: Pick<PreparedTask, 'docs' | 'task'>,
  { findHits }: NamePatterns,
): AsyncGenerator<{ readonly index: number; readonly hits: readonly string[] }> {
  const nameOf = docNames()
  let index = 0
  for await (const doc of docs()) {
    const hits = findHits(task, nameOf(doc, index))
    if (hits.length > 0) yield { index, hits }
    index++
  }
}

/**
 * Rejects ids and patterns that match no doc of any task, and tasks without a match.
 *
 * @param tasks the tasks with the ranges of docs to search. @default all docs
 * @param options `isPart`: true to accept tasks without a match
 * @throws PipelineError (usage)
 */
export async function refuseUnknownDocs(
  docs: readonly string[],
  tasks: readonly (Pick<PreparedTask, 'docs' | 'task'> & { readonly range?: DocRange })[],
  { isPart = false }: { readonly isPart?: boolean } = {},
): Promise<void> {
  const patterns = compileNamePatterns(docs)
  const matchedNames = new Set<string>()
  const empty: string[] = []
  for (const { range, ...task } of tasks) {
    let isNamed = false
    for await (const { index, hits } of readHits(task, patterns)) {
      if (range !== undefined && !hasIndex(range, index)) continue
      for (const hit of hits) matchedNames.add(hit)
      isNamed = true
    }
    if (!isNamed) empty.push(task.task)
  }
  const missing = docs.flatMap(text => listMissing(text, matchedNames))
  const names = tasks.map(({ task }) => task)
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
