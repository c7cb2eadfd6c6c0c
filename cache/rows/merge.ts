/** The part of an import of a bundle that is the same in every store. */
import { PipelineError } from '../../base/errors/errors.js'
import type { Conflict, RowCounts } from '../bundle/portable.js'

/** The state of an import. */
export interface MergeState {
  readonly run: number
  /** True if the run holds requests to a judge model, whose records only name the doc that asked first. */
  readonly holdsJudgeCalls: boolean
  /** The numbers of the run's tasks by name. */
  readonly tasks: ReadonlyMap<string, number>
  readonly added: Mutable<RowCounts>
  readonly present: Mutable<RowCounts>
  readonly conflicts: Conflict[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Returns the number of a task in its run. @throws PipelineError (bundle) if the run has no such task */
export function taskNumber({ tasks }: Pick<MergeState, 'tasks'>, name: string): number {
  const number = tasks.get(name)
  if (number === undefined)
    throw new PipelineError('bundle', `the bundle has rows of a task "${name}" that its run does not name`)
  return number
}
