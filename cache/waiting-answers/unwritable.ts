import { formatQuantity } from '../../base/text/numbers.js'
import { PipelineError, type ErrorReason } from '../../base/errors/errors.js'

const reasons: ReadonlySet<ErrorReason | undefined> = new Set([
  'store-failing',
  'store-full',
  'store-locked',
  'store-newer',
  'store-read-only',
  'store-unsynced',
])

/**
 * Tells whether an error means that a store cannot be written at the moment, such as on a full disk. The same write may succeed later. Answers to requests
 * in flight are then still worth waiting for, because they are kept in a file.
 */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof PipelineError && error.code === 'store' && reasons.has(error.reason)

/** Says that a process ends when its requests in flight have their answers. */
export const makeFinishNote = (requests: number): { readonly type: 'note'; readonly text: string } => ({
  type: 'note',
  text: `The store can't be written, so nothing more is sent. ${formatQuantity(requests, 'request')} in flight ${requests === 1 ? 'is' : 'are'} finished first, and the answers are kept in a file.`,
})
