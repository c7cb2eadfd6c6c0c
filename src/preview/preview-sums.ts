import { addRanges, noTokens } from '../../stages/model/budget/estimate.js'
import type { TaskPreview } from './preview.js'

/** The sums of one task, or of all tasks. */
export type Sums = Pick<
  TaskPreview,
  'docs' | 'requests' | 'inStore' | 'shared' | 'failed' | 'broken' | 'toAsk' | 'input' | 'output' | 'cost'
>

export function sumPreviews(tasks: readonly Sums[]): Sums {
  const total = (pick: (task: Sums) => number): number => tasks.reduce((sum, task) => sum + pick(task), 0)
  const costs = tasks.flatMap(({ cost }) => (cost === undefined ? [] : [cost]))
  return {
    docs: total(task => task.docs),
    requests: total(task => task.requests),
    inStore: total(task => task.inStore),
    shared: total(task => task.shared),
    failed: total(task => task.failed),
    broken: total(task => task.broken),
    toAsk: total(task => task.toAsk),
    input: tasks.map(({ input }) => input).reduce(addRanges, noTokens),
    output: tasks.map(({ output }) => output).reduce(addRanges, noTokens),
    ...(costs.length < tasks.length ? {} : { cost: costs.reduce(addRanges, noTokens) }),
  }
}
