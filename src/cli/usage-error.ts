import { CommanderError, type Command } from 'commander'
import { PipelineError } from '../../base/errors/errors.js'
import { ownValue } from '../../base/values/named-values.js'

/** Flags of Inspect, promptfoo and lm-evaluation-harness whose names do not resemble ours. */
const otherFlags: Readonly<Record<string, string>> = {
  '--no-cache': '--fresh',
  '--dry-run': '--plan',
  '--filter-first-n': '--limit',
  '--filter-pattern': '--docs',
  '--sample-id': '--docs',
  '--epochs': '--repeats',
  '--epochs-reducer': '--reduce',
  '--fewshot': '--num-fewshot',
  '--max-samples': '--concurrency',
  '--max-connections': '--concurrency',
  '-j': '--concurrency',
  '--temperature': '--gen-kwargs temperature=…',
  '--top-p': '--gen-kwargs top_p=…',
  '--system-message': '--system-instruction',
  '--grader': '--judge-model',
  '--no-score': '--predict-only',
  '--log-dir': '--store',
  '--threshold': '--gate',
}

/**
 * Rewords errors of the command line: of an argument or a flag that is missing, it says which command, what it takes, and where its help is; of an argument too
 * many, which flag takes such a value; of a flag of another tool, how it is called here. Other errors are returned as they are.
 *
 * @param words the command line
 */
export function describeUsageError(error: unknown, program: Command, words: readonly string[]): unknown {
  if (!(error instanceof CommanderError)) return error
  if (error.code === 'commander.help' && error.exitCode !== 0) return describeMissing(findCommand(program, words))
  const [, unknown = ''] = /^error: unknown option '(.+?)'/.exec(error.message) ?? []
  const meant = ownValue(otherFlags, unknown)
  const isTaken = findCommand(program, words).options.some(option => option.long === meant?.split(' ')[0])
  if (meant !== undefined && isTaken)
    return new PipelineError('usage', `unknown option "${unknown}". Did you mean ${meant}?`)
  if (error.code === 'commander.excessArguments') return describeExcess(findCommand(program, words), words)
  const [, name] = /^error: (?:missing required argument|required option) '(.+)'/.exec(error.message) ?? []
  if (name === undefined) return error
  const command = findCommand(program, words)
  const argument = command.registeredArguments.find(candidate => candidate.name() === name)
  const option = command.options.find(candidate => candidate.flags === name)
  const description = argument?.description ?? option?.description ?? ''
  const line = listNames(command).join(' ')
  const argumentLabel = argument === undefined ? name : `<${name}>`
  return new PipelineError(
    'usage',
    `${line}: ${argumentLabel} is missing${description === '' ? '' : `: ${description}`}   (${line} --help)`,
  )
}

/** Explains that a command which only groups others needs one of them. */
function describeMissing(command: Command): PipelineError {
  const line = listNames(command).join(' ')
  const names = command.commands.map(subcommand => subcommand.name())
  return new PipelineError('usage', `${line}: name one of its commands: ${names.join(', ')}   (${line} --help)`)
}

/** The flags that take what people write without one, in the order in which they are suggested. */
const flagsOfArguments = ['--data', '--run', '--tasks']

function describeExcess(command: Command, words: readonly string[]): PipelineError {
  const line = listNames(command).join(' ')
  const count = command.registeredArguments.length
  const most = count === 0 ? 'no argument' : count === 1 ? 'one argument' : `${count} arguments`
  const excess = command.args[count] ?? words.at(-1) ?? ''
  const flag = flagsOfArguments.find(name => command.options.some(option => option.long === name))
  const meant = flag === undefined ? '' : `. Did you mean ${flag} ${excess}?`
  return new PipelineError('usage', `${line} takes ${most}, and was given "${excess}"${meant}   (${line} --help)`)
}

/** Finds the command that a line names, as deep as it names one. A command without a name of a subcommand means its default one. */
function findCommand(program: Command, [word, ...rest]: readonly string[]): Command {
  const subcommand = program.commands.find(command => command.name() === word)
  return subcommand === undefined ? program : findCommand(subcommand, rest)
}

const listNames = (command: Command): readonly string[] =>
  command.parent === null ? [command.name()] : [...listNames(command.parent), command.name()]
