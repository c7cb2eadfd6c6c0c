import { optionsIn, programSpelling, spelled } from './option-words.js'

/**
 * The kind of error, for programs. `usage`: the command line; `config`: a YAML file, task, plugin or argument; `dataset`: a data file; `store`: the
 * store cannot be used; `bundle`: an import file is damaged or conflicts with the store; `engine`: a serving engine did not start, or exited.
 */
export type ErrorCode = 'usage' | 'config' | 'dataset' | 'store' | 'bundle' | 'engine'

/**
 * An error that a user caused or can fix. Its message says what happened, where (file:line, task, doc) and what to do. The command line prints it
 * without a stack trace and exits with 1. Any other thrown error is a bug.
 */
export class PipelineError extends Error {
  override readonly name = 'PipelineError'
  readonly code: ErrorCode
  /** The problems, one per line; all problems of a file are reported together. Options have the names that they have in a program. */
  readonly problems: readonly string[]
  /** The same problems with references to options and commands, which the command line spells differently (option-words.ts). */
  readonly said: readonly string[]
  readonly options: readonly string[]

  constructor(code: ErrorCode, problems: string | readonly string[], options?: ErrorOptions) {
    const said = typeof problems === 'string' ? [problems] : problems
    const list = said.map(problem => spelled(problem, programSpelling))
    super(list.join('\n'), options)
    this.code = code
    this.problems = list
    this.said = said
    this.options = optionsIn(said.join('\n'))
  }
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A JSON parser's message quotes the input, including its line breaks.
  return error instanceof SyntaxError ? error.message.replace(/\s*[\r\n]+\s*/g, ' ') : error.message
}

/** Returns the `code` of a Node system error (`ENOENT`, `ENOSPC`, …), or undefined for other errors. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
