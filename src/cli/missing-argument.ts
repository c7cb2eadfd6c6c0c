import { CommanderError, type Command } from 'commander'
import { PipelineError } from '../../base/errors/errors.js'

/**
 * Rewords the error of an argument or a flag that is missing: which command, what it takes, and where its help is. Other errors are returned as they are.
 *
 * @param words the command line
 */
export function describeMissing(error: unknown, program: Command, words: readonly string[]): unknown {
  if (!(error instanceof CommanderError)) return error
  const [, name] = /^error: (?:missing required argument|required option) '(.+)'/.exec(error.message) ?? []
  if (name === undefined) return error
  const command = findCommand(program, words)
  const argument = command.registeredArguments.find(one => one.name() === name)
  const option = command.options.find(one => one.flags === name)
  const said = argument?.description ?? option?.description ?? ''
  const line = listNames(command).join(' ')
  const shown = argument === undefined ? name : `<${name}>`
  return new PipelineError('usage', `${line}: ${shown} is missing${said === '' ? '' : `: ${said}`}   (${line} --help)`)
}

/** Finds the command that a line names, as deep as it names one. A command without a name of a subcommand means its default one. */
function findCommand(program: Command, [word, ...rest]: readonly string[]): Command {
  const found = program.commands.find(command => command.name() === word)
  return found === undefined ? program : findCommand(found, rest)
}

const listNames = (command: Command): readonly string[] =>
  command.parent === null ? [command.name()] : [...listNames(command.parent), command.name()]
