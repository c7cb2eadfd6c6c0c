import { Command } from 'commander'
import { PipelineError } from '../../base/errors/errors.js'
import { codeFailure } from '../../cache/code/thrown-position.js'
import { secretsIn } from '../../base/text/secrets.js'
import { ownValue } from '../../base/values/named-values.js'
import { didYouMean } from '../../base/text/suggest.js'
import { shownPath } from '../../base/files/shown-path.js'
import { processEnvironment } from '../config/variables.js'
import { realClock } from '../clock.js'
import { noFolderSettings, readFolderSettings, type FolderSettings } from '../config/folder/folder-settings.js'
import type { Environment } from '../config/settings.js'
import { addFolderDefaults } from './flags/folder-defaults.js'
import { setVariables } from './this-process/process-variables.js'
import { fetchByProxy } from './this-process/fetch-by-proxy.js'
import { normalizeArgs } from './flags/command-line.js'
import { refuseEmptyPaths } from './flags/empty-paths.js'
import { storeFlag } from './flags/store-flag.js'
import { replacedNote, watchReplaced } from './flags/repeated-flags.js'
import { lmmsLine } from './flags/lmms-line.js'
import { commandTable } from './command-table.js'
import type { Tools } from './command.js'
import { exitCode, type ExitCode } from './exit-code.js'
import { guardProcess } from './this-process/guard-process.js'
import { tellError } from './tell-error.js'
import { describeUsageError } from './usage-error.js'
import { processTerminal, type Terminal } from './display/terminal.js'

/** Runs one command line. @returns the exit code of the process */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const env = processEnvironment()
  const terminal = processTerminal(env)
  terminal.mask([env['HF_TOKEN'] ?? '', ...secretsIn(env)])
  const end = guardProcess(terminal)
  // All answers are stored already, so this is as safe as a kill.
  const leave = (error: unknown): never => end.exit(tellError(convertUnhandled(error), terminal, env))
  process.once('unhandledRejection', leave).once('uncaughtException', leave)
  try {
    const words = normalizeArgs(args[0] === 'lmms' ? lmmsLine(args.slice(1), env) : args)
    const folder = await readFolder(words, env)
    setVariables(folder.variables)
    terminal.mask(secretsIn(env))
    await fetchByProxy(env)
    const exitInterrupted = (): void => {
      terminal.tell(
        'The program ends although code outside it still runs. Everything that was answered is kept: the same command continues from there.',
      )
      end.exit(exitCode({ isInterrupted: true }))
    }
    return await dispatch(words, {
      terminal,
      env,
      folder,
      commands: commandTable,
      clock: realClock,
      words,
      leave: exitInterrupted,
    })
  } catch (error) {
    return tellError(error, terminal, env)
  } finally {
    end.soon()
  }
}

/** Reads the configuration of the folder. Help and version ignore mistakes in its file, because they do not depend on it. */
async function readFolder(words: readonly string[], env: Environment): Promise<FolderSettings> {
  const isAboutProgram =
    ['help', 'version', 'completion', undefined].includes(words[0]) ||
    words.some(word => word === '--help' || word === '-h')
  try {
    return await readFolderSettings(process.cwd(), env)
  } catch (error) {
    if (isAboutProgram) return noFolderSettings
    throw error
  }
}

/** Lets messages suggest commands with the store of this line. */
function suggestStore(store: unknown, { terminal, env }: Tools): void {
  if (typeof store === 'string' && storeFlag(store, env) !== '') terminal.suggestStore(shownPath(store))
}

/** Commands that print no note about the folder's settings. */
const saysNothing: ReadonlySet<string> = new Set(['version', 'config', 'completion'])

async function dispatch(args: readonly string[], tools: Tools): Promise<ExitCode> {
  let code: ExitCode = exitCode({})
  const program = programFor(tools.terminal)
  const commandName = args[0] === 'help' ? args[1] : args[0]
  for (const entry of commandTable) {
    const command = program.command(entry.name).description(entry.summary)
    if (entry.name !== commandName) continue
    const define = await entry.load()
    define(command, tools, ended => (code = ended))
    refuseEmptyPaths(command)
    const replaced = watchReplaced(command)
    command.hook('preAction', (_, run) => {
      const flags = replaced()
      const isQuiet = run.opts()['quiet'] === true
      suggestStore(run.opts()['store'], tools)
      if (flags.length > 0 && !isQuiet) tools.terminal.tell(replacedNote(flags))
      if (tools.folder.defaults !== undefined) addFolderDefaults(run, tools.folder.defaults)
      if (!isQuiet && !saysNothing.has(entry.name)) tools.terminal.tell(tools.folder.notes)
    })
    if (args[0] === 'help') refuseUnknown(args[2], command)
    else refuseUnknown(args[1] === 'help' ? args[2] : args[1], command)
  }
  refuseUnknown(commandName, program)
  if (args.length === 0) program.outputHelp()
  else
    await program.parseAsync(args, { from: 'user' }).catch((error: unknown) => {
      throw describeUsageError(error, program, args)
    })
  return code
}

/** The names of commands in Inspect, promptfoo, lm-evaluation-harness and Evalite. */
const otherNames: Readonly<Record<string, string>> = {
  view: 'ui',
  list: 'runs list',
  ls: 'runs list',
  show: 'report',
  results: 'report',
  run: 'eval',
  score: 'judge',
  retry: 'resume',
  'eval-retry': 'resume',
  'eval-set': 'eval',
  delete: 'runs rm',
  rm: 'runs rm',
  generate: 'tasks new',
  validate: 'tasks validate',
  share: 'report --html',
}

/** Rejects an unknown subcommand, which commander would pass to the default one as an argument. */
function refuseUnknown(word: string | undefined, command: Command): void {
  const names = [...command.commands.map(subcommand => subcommand.name()), 'help']
  if (word === undefined || word.startsWith('-') || names.length === 1 || names.includes(word)) return
  const line = command.parent === null ? 'pipeline' : `pipeline ${command.name()}`
  const meant = command.parent === null ? ownValue(otherNames, word) : undefined
  const hint = meant === undefined ? didYouMean(word, names) : ` Did you mean "${meant}"?`
  throw new PipelineError('usage', `no command "${word}".${hint}   (${line} --help)`)
}

function programFor(terminal: Terminal): Command {
  return (
    new Command('pipeline')
      .description('Evaluates multimodal models. A stored answer is never requested again.')
      .addHelpText('after', '\nExample:\n  pipeline eval --config examples/quickstart.yaml')
      .helpOption('-h, --help', 'show this help')
      // A flag behind a subcommand belongs to the subcommand, even if the parent command has a flag of the same name.
      .enablePositionalOptions()
      .exitOverride()
      .configureOutput({
        writeOut: text => terminal.print(text.trimEnd().split('\n')),
        // Only `tellError` prints errors.
        writeErr: () => undefined,
      })
  )
}

/** Converts an unhandled error. It is a user's mistake if the user's code threw it. */
function convertUnhandled(error: unknown): unknown {
  const failure = codeFailure(error)
  if (failure === undefined) return error
  return new PipelineError(
    'config',
    `${failure} (thrown where nothing waits for it: a promise without await, or a timer)`,
    {
      cause: error,
    },
  )
}
