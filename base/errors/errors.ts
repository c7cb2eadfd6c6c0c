import { optionsIn, programSpelling, spelled } from './option-words.js'

/**
 * What went wrong, for programs. `usage`: the command line; `config`: a YAML file, task, plugin or argument; `dataset`:
 * a data file; `store`: the store can't be used; `bundle`: an import file is damaged or in conflict; `engine`: a program
 * that was to serve the model did not start, or ended.
 */
export type ErrorCode = 'usage' | 'config' | 'dataset' | 'store' | 'bundle' | 'engine'

/**
 * An error that a person caused or can mend. Its message says what happened, where (file:line, task, doc) and what to do;
 * the command line prints it without a stack trace and exits with 1. Anything else thrown is a bug.
 */
export class PipelineError extends Error {
  override readonly name = 'PipelineError'
  readonly code: ErrorCode
  /** One line a problem: all that is wrong with a file is said at once. Options have the names that they have in a program. */
  readonly problems: readonly string[]
  /** The same with options and commands as references, for whoever spells them otherwise (option-words.ts). */
  readonly said: readonly string[]
  /** The names of the options that the problems are about, such as `limit`. */
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

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // The parser of JSON shows what it stumbled over, with its line ends.
  return error instanceof SyntaxError ? error.message.replace(/\s*[\r\n]+\s*/g, ' ') : error.message
}

/** The `code` of a Node system error (`ENOENT`, `ENOSPC`, …), if it is one. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
