import { PipelineError } from '../../base/errors.js'
import type { PreparedTask } from './prepare-task.js'

/** Which docs of a task are evaluated. */
export interface Selection {
  /** How many docs; below 1, the share of all of them, rounded up. All where it is absent. */
  readonly limit?: number
  /** How many docs are passed over at the start. */
  readonly offset?: number
  /** The index of each doc's first sample; a later one than 0 asks what was asked before anew. */
  readonly firstSample?: number
}

/** Indices from `start` up to `end`, which may be `Infinity`. */
export interface DocRange {
  readonly start: number
  readonly end: number
}

/** @throws PipelineError where a limit or offset is none. */
export async function rangeOf(selection: Selection, prepared: PreparedTask): Promise<DocRange> {
  const { limit, offset = 0 } = selection
  if (!Number.isInteger(offset) || offset < 0)
    throw new PipelineError('usage', `--offset ${offset}: expected a whole number from 0`)
  if (limit === undefined) return { start: offset, end: Infinity }
  if (!(limit > 0) || (limit >= 1 && !Number.isInteger(limit)))
    throw new PipelineError('usage', `--limit ${limit}: expected a whole number from 1, or a share between 0 and 1`)
  const docs = limit < 1 ? Math.ceil(limit * (await countDocs(prepared))) : limit
  return { start: offset, end: offset + docs }
}

async function countDocs(prepared: PreparedTask): Promise<number> {
  if (prepared.count !== undefined) return prepared.count
  let count = 0
  const docs = prepared.docs()[Symbol.asyncIterator]()
  while ((await docs.next()).done !== true) count++
  return count
}

/**
 * @throws PipelineError where a selection leaves no doc of a task, which would otherwise look like a finished evaluation.
 */
export async function refuseEmptySelection(
  task: string,
  { offset = 0 }: Selection,
  prepared: PreparedTask,
): Promise<void> {
  const count = prepared.count ?? (await countUpTo(prepared, offset + 1))
  if (count > offset) return
  throw count === 0
    ? new PipelineError('dataset', `task ${task} has no docs: its process_docs leaves none`)
    : new PipelineError('usage', `--offset ${offset}: task ${task} has ${count} docs, and the first is 0`)
}

async function countUpTo(prepared: PreparedTask, enough: number): Promise<number> {
  const docs = prepared.docs()[Symbol.asyncIterator]()
  let count = 0
  while (count < enough && (await docs.next()).done !== true) count++
  await docs.return?.()
  return count
}
