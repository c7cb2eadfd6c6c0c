import { PipelineError } from '../../../base/errors.js'
import type { Conflict, RowCounts } from '../../bundle/portable.js'
import type { Context } from '../connection/context.js'

/** An import under way. */
export interface Merge {
  readonly context: Context
  readonly run: number
  readonly tasks: ReadonlyMap<string, number>
  readonly added: Mutable<RowCounts>
  readonly present: Mutable<RowCounts>
  readonly conflicts: Conflict[]
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The number of a task in its run. */
export function taskNumber(merge: Merge, name: string): number {
  const number = merge.tasks.get(name)
  if (number === undefined)
    throw new PipelineError('bundle', `the bundle has rows of a task "${name}" that its run does not name`)
  return number
}
