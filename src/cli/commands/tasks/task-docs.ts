/** Prints single docs of tasks, and what differs between two tasks. */
import { PipelineError } from '../../../../base/errors/errors.js'
import type { Task } from '../../../../stages/input/tasks/task.js'
import { compareTasks } from '../../../authoring/compare-tasks.js'
import { renderDocRequest } from '../../../authoring/doc-request.js'
import { docRequestLines, taskComparisonLines } from '../../../present/text/doc-request-lines.js'
import type { Terminal } from '../../display/terminal.js'
import type { OutputFlags } from '../../flags/evaluation-options.js'

/** Prints a doc of each task as a model would get it. @throws PipelineError if a task has no such doc */
export async function printDocs(
  tasks: readonly Task[],
  doc: string,
  { json }: OutputFlags,
  terminal: Terminal,
): Promise<void> {
  const docs = await Promise.all(tasks.map(task => renderDocRequest(task, doc)))
  if (json === true) terminal.printData(JSON.stringify(docs, undefined, 2))
  else terminal.print(docs.flatMap(rendered => docRequestLines(rendered, terminal.paint.out)))
}

/** Prints what differs between two tasks. @throws PipelineError (usage) if a name means several tasks */
export async function printDifference(
  tasks: readonly [readonly Task[], readonly Task[]],
  { json, doc }: OutputFlags & { readonly doc?: string },
  terminal: Terminal,
): Promise<void> {
  const [a, b] = tasks.map(([task, ...others]) => {
    if (task !== undefined && others.length === 0) return task
    const names = [task, ...others]
      .flatMap(loadedTask => (loadedTask === undefined ? [] : [loadedTask.name]))
      .join(', ')
    throw new PipelineError('usage', `name one task on each side: this is ${names === '' ? 'none' : names}`)
  })
  if (a === undefined || b === undefined) throw new Error('internal error: two tasks are no pair')
  const compared = await compareTasks(a, b, doc)
  if (json === true) terminal.printData(JSON.stringify({ format: 1, ...compared }, undefined, 2))
  else terminal.print(taskComparisonLines(compared, terminal.paint.out))
}
