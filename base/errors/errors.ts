import type { z } from 'zod'
import type { Json } from '../values/canonical-json.js'
import { mistakeLines } from './schema-mistakes.js'
import { optionsIn, programSpelling, spellReferences } from './option-words.js'

/**
 * The kind of error, for programs. `usage`: the command line; `config`: a YAML file, task, plugin or argument; `dataset`: a data file; `store`: the
 * store cannot be used; `bundle`: an import file is damaged or conflicts with the store; `engine`: a serving engine did not start, or exited.
 */
export type ErrorCode = 'usage' | 'config' | 'dataset' | 'store' | 'bundle' | 'engine'

/**
 * The exact mistake, for programs that handle it. It is more precise than the error's `code`. `lacking-here`: a key, package or program is missing, which another
 * machine or process may have.
 */
export type ErrorReason =
  | 'argument-replaced'
  | 'batch-elsewhere'
  | 'batch-incomplete'
  | 'batch-refused'
  | 'batch-unreachable'
  | 'bundle-conflict'
  | 'bundle-foreign'
  | 'bundle-scores'
  | 'bundle-unreadable'
  | 'concurrency-fixed'
  | 'doc-unknown'
  | 'first-token-unscored'
  | 'lacking-here'
  | 'medium-damaged'
  | 'medium-missing'
  | 'model-changed'
  | 'model-unknown'
  | 'prompt-logprobs-missing'
  | 'record-damaged'
  | 'run-pending'
  | 'selection-empty'
  | 'selection-invalid'
  | 'store-damaged'
  | 'store-failing'
  | 'store-foreign'
  | 'store-full'
  | 'store-locked'
  | 'store-missing'
  | 'store-newer'
  | 'store-not-a-folder'
  | 'store-read-only'
  | 'store-restored'
  | 'store-unsynced'
  | 'store-unsupported'
  | 'task-unknown'

/** The data of an error beside its text. */
export interface ErrorFacts {
  readonly reason?: ErrorReason | undefined
  /** The values in the text, such as `{ file, version }`. */
  readonly data?: Readonly<Record<string, Json>> | undefined
}

/** A `PipelineError` as plain data, to send between threads and processes. The class would not survive the transfer. */
export interface ErrorData extends ErrorFacts {
  readonly code: ErrorCode
  /** With references (option-words.ts). */
  readonly problems: readonly string[]
}

/**
 * An error that a user caused or can fix. Its message says what happened, where (file:line, task, doc) and what to do. The command line prints it
 * without a stack trace and exits with 1. Any other thrown error is a bug.
 */
export class PipelineError extends Error {
  override readonly name = 'PipelineError'
  readonly code: ErrorCode
  /** The problems, one per line; all problems of a file are reported together. Options have the names that they have in a program. */
  readonly problems: readonly string[]
  /** The problems with references to options and commands. The command line and programs spell these differently (option-words.ts). */
  readonly said: readonly string[]
  readonly options: readonly string[]
  readonly reason: ErrorReason | undefined
  /** The values in the message, such as `{ file, version }`. Their names belong to the `reason`. */
  readonly data: Readonly<Record<string, Json>>

  constructor(code: ErrorCode, problems: string | readonly string[], facts: ErrorOptions & ErrorFacts = {}) {
    const said = typeof problems === 'string' ? [problems] : problems
    const list = said.map(problem => spellReferences(problem, programSpelling))
    super(list.join('\n'), 'cause' in facts ? { cause: facts.cause } : undefined)
    this.code = code
    this.problems = list
    this.said = said
    this.options = optionsIn(said.join('\n'))
    this.reason = facts.reason
    this.data = facts.data ?? {}
  }
}

export const errorData = ({ code, said, reason, data }: PipelineError): ErrorData => ({
  code,
  problems: said,
  ...(reason !== undefined && { reason }),
  data,
})

export const errorFrom = ({ code, problems, reason, data }: ErrorData): PipelineError =>
  new PipelineError(code, problems, { reason, data })

/** Returns the text of an error for use inside another message. References to options are kept, so that the caller can spell them. */
export const formatErrorText = (error: unknown): string =>
  error instanceof PipelineError ? error.said.join('\n') : messageOf(error)

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The message of a zod error is JSON in zod's own words.
  if (isSchemaError(error))
    return mistakeLines(error.issues, undefined, { whole: 'the value', isGone: true }).join('; ')
  // A JSON parser's message quotes the input, including its line breaks.
  return error instanceof SyntaxError ? error.message.replace(/\s*[\r\n]+\s*/g, ' ') : error.message
}

const isSchemaError = (error: Error): error is Error & Pick<z.ZodError, 'issues'> =>
  /^\$?ZodError$/.test(error.name) && 'issues' in error && Array.isArray(error.issues)

/** Returns the `code` of a Node system error (`ENOENT`, `ENOSPC`, …), or undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
