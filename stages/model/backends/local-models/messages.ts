/** Defines the messages between a worker process and its parent. They are plain data. */
import { errorData, errorFrom, messageOf, PipelineError, type ErrorData } from '../../../../base/errors/errors.js'
import type { MediaDigest } from '../../../../cache/digest.js'
import type { FailureClass } from '../../../../cache/records.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../model.js'

export type ToWorker<Settings = unknown> =
  | { readonly type: 'open'; readonly settings: Settings }
  | { readonly type: 'ask'; readonly id: number; readonly request: ModelRequest }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'media'; readonly id: number; readonly media: Uint8Array | string }
  | { readonly type: 'no-media'; readonly id: number; readonly error: ThrownData }

export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly error: ThrownData }
  | { readonly type: 'answered'; readonly id: number; readonly answer: ModelAnswer }
  | { readonly type: 'failed'; readonly id: number; readonly error: ThrownData }
  /** Asks for the bytes of a medium, or for the path of its file, which stays until it is closed. */
  | { readonly type: 'read-media'; readonly id: number; readonly digest: MediaDigest; readonly as: 'bytes' | 'file' }
  | { readonly type: 'close-media'; readonly id: number }

/** An error in a message between processes, which cannot carry its class. */
export type ThrownData =
  | { readonly type: 'pipeline'; readonly error: ErrorData }
  | { readonly type: 'attempt'; readonly class: FailureClass; readonly message: string; readonly isRetryable: boolean }
  | { readonly type: 'other'; readonly message: string }

export function thrownData(error: unknown): ThrownData {
  if (error instanceof PipelineError) return { type: 'pipeline', error: errorData(error) }
  if (error instanceof AttemptError) {
    return { type: 'attempt', class: error.class, message: error.message, isRetryable: error.isRetryable }
  }
  return { type: 'other', message: messageOf(error) }
}

export function thrownError(data: ThrownData): Error {
  switch (data.type) {
    case 'pipeline':
      return errorFrom(data.error)
    case 'attempt':
      return new AttemptError(data.class, data.message, { isRetryable: data.isRetryable })
    case 'other':
      return new Error(data.message)
  }
}
