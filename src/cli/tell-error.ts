import { CommanderError } from 'commander'
import { PipelineError } from '../../base/errors/errors.js'
import { fileTrouble } from '../../base/files/files.js'
import { shownPath } from '../../base/files/shown-path.js'
import type { Tools } from './command.js'
import { exitCode, type ExitCode } from './exit-code.js'
import type { Terminal } from './display/terminal.js'

/** Prints the error that ended a command, or a run of a list. @returns its exit code */
export function tellError(error: unknown, terminal: Terminal, env: Tools['env']): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCode({})
  const refused = exitCode({ isRefused: true })
  const { red } = terminal.paint.err
  if (error instanceof Error && error.name === 'AbortError') {
    terminal.tell('interrupted. What was stored before is kept.')
    return exitCode({ isInterrupted: true })
  }
  if (error instanceof CommanderError) terminal.tell(`${red('error:')} ${usageMessage(error.message)}`)
  else if (error instanceof PipelineError)
    terminal.tell(shortenProblems(error.said).map(problem => `${red('error:')} ${problem}`))
  else if (diskProblem(error) !== undefined) terminal.tell(`${red('error:')} ${diskProblem(error) ?? ''}`)
  else {
    const message = error instanceof Error ? error.message : String(error)
    terminal.tell(`${red('internal error:')} ${message.split('\n')[0] ?? ''}   (PIPELINE_DEBUG=1 shows where)`)
  }
  if (env['PIPELINE_DEBUG'] === '1' && error instanceof Error) terminal.tell(error.stack ?? '')
  return refused
}

/** The maximum number of printed mistakes. */
const mostProblems = 100

function shortenProblems(problems: readonly string[]): readonly string[] {
  if (problems.length <= mostProblems) return problems
  return [...problems.slice(0, mostProblems), `and ${(problems.length - mostProblems).toLocaleString('en')} more`]
}

/** Words the message for an error of the file system, which the user can fix. */
function diskProblem(error: unknown): string | undefined {
  const why = fileTrouble(error)
  if (why === undefined || !(error instanceof Error) || !('path' in error)) return undefined
  return typeof error.path === 'string' ? `${shownPath(error.path)}: ${why}` : undefined
}

/** Rewords commander's errors, such as `error: unknown option '--lmit'\n(Did you mean --limit?)`, on one line. */
const usageMessage = (message: string): string =>
  message
    .replace(/^error: /, '')
    .replace(/\n\((Did you mean .*\?)\)/, '. $1')
    .replaceAll("'", '"')
