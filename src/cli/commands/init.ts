import { existsSync } from 'node:fs'
import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { shellWord } from '../../../base/text/shell-word.js'
import { findNewConfig, nameTask, writeProject } from '../../authoring/init-project.js'
import type { DataTaskDraft } from '../../authoring/task-from-data.js'
import { findNewFolder } from '../../authoring/task-starter.js'
import { describeArgs } from '../../../stages/model/model-args.js'
import { findBackend } from '../../../stages/model/registry.js'
import { parseArguments } from '../../config/argument-string.js'
import { appendText } from '../../config/values/option-values.js'
import { askPerson, isPersonThere } from '../ask-person.js'
import type { DefineCommand, Tools } from '../command.js'
import { previewLines } from '../display/task-preview.js'
import { withOutput, type OutputFlags } from '../flags/evaluation-options.js'

const help = `
Examples:
  pipeline init
  pipeline init --data questions.csv --model openai --model-args model=gpt-4.1-mini
  pipeline init --data questions.csv --target answer --model dummy --dir first --yes

Each question has a flag. Without a terminal, or with --yes, questions without a flag have their defaults.`

interface InitFlags extends OutputFlags {
  readonly model?: string
  readonly modelArgs?: readonly string[]
  readonly keyVariable?: string
  readonly data?: string
  readonly target?: string
  readonly name?: string
  readonly dir?: string
  readonly yes?: boolean
}

/** Defines `pipeline init`. */
export const defineInit: DefineCommand = (command, tools) =>
  void withOutput(
    command
      .option('--model <name>', 'the model backend   (pipeline models list)')
      .option('--model-args <args>', 'its arguments: a=1,b=x or JSON; may be repeated', appendText)
      .option('--key-variable <name>', "the environment variable with the model's key")
      .option('--data <file>', 'the data: CSV, JSON, JSONL or Parquet; without it, three example rows are written')
      .option('--target <column>', 'the column with the right answers; else it is guessed')
      .option('--name <name>', "the task's name; else that of the data")
      .option('--dir <folder>', 'where the files are written; else here')
      .option('--yes', 'ask nothing'),
  )
    .addHelpText('after', help)
    .action((flags: InitFlags) => init(flags, tools))

async function init(flags: InitFlags, tools: Tools): Promise<void> {
  const { terminal, env } = tools
  const { dir = '.' } = flags
  findNewConfig(dir)
  const ask = makeAsker(flags.yes !== true && isPersonThere(), terminal)
  const usualModel = hasValue(env['OPENAI_API_KEY']) ? 'openai' : 'dummy'
  const model = flags.model ?? (await ask('model backend', usualModel, answer => findBackend(answer, [])))
  const backend = await findBackend(model, [])
  const args = describeArgs(backend)
  const modelArgs = parseArguments(flags.modelArgs ?? [], '--model-args')
  const needsName =
    args.some(({ name, isRequired }) => name === 'model' && isRequired) && modelArgs['model'] === undefined
  const modelName = needsName ? await ask('name of the model', usualModels[backend.id] ?? '') : undefined
  if (modelName === '')
    throw new PipelineError('usage', `init: name the model that ${backend.id} asks: --model-args model=NAME`)
  const usual = /\$([A-Z][A-Z0-9_]*)/.exec(args.find(({ name }) => name === 'api_key')?.description ?? '')?.[1]
  const variable = usual === undefined ? undefined : (flags.keyVariable ?? (await ask('variable with its key', usual)))
  const data = flags.data ?? (await ask('data file (empty: rows to be changed)', '', checkData))
  const usualName = nameTask(data === '' ? undefined : data)
  const name = flags.name ?? (await ask('name of the task', usualName, answer => findNewFolder(answer, dir)))
  // The targets as answers show that task and metric are right, before a model costs anything.
  const own = backend.id === 'dummy' && Object.keys(modelArgs).length === 0 ? { mode: 'target' } : modelArgs
  const isShown = flags.json !== true && flags.quiet !== true
  const onDraft = async ({ guesses, preview, problems }: DataTaskDraft): Promise<void> => {
    if (!isShown) return
    terminal.print([...guesses, '', ...previewLines(preview, terminal.paint.out), ''])
    terminal.tell(problems.map(problem => `note: ${problem}`))
    const answer = await ask('write this task (yes or no)', 'yes')
    if (!/^y(?:es)?$/i.test(answer))
      throw new PipelineError(
        'usage',
        'init: nothing was written. Name the target with --target, or use pipeline tasks new',
      )
  }
  const choices = {
    dir,
    name,
    model: backend.id,
    modelArgs: { ...(modelName !== undefined && { model: modelName }), ...own },
    ...(usual !== undefined && variable !== undefined && { key: { variable, usual } }),
    ...(data !== '' && { data }),
    ...(flags.target !== undefined && { target: flags.target }),
  }
  const project = await writeProject(choices, onDraft)
  const line = `pipeline eval --config ${shellWord(shownPath(project.config))} --limit 5`
  if (flags.json === true) {
    terminal.printData(JSON.stringify({ files: project.files, guesses: project.guesses, command: line }, undefined, 2))
    return
  }
  if (flags.quiet !== true) {
    terminal.print(project.files.map(path => `written  ${shownPath(path)}`))
    if (variable !== undefined && !hasValue(env[variable]))
      terminal.tell(`${variable} is not set: set it in the shell, or write ${variable}=… into .env of this folder`)
  }
  terminal.print(flags.quiet === true ? line : `try it:  ${line}`)
}

const hasValue = (value: string | undefined): boolean => value !== undefined && value !== ''

/** Models that a first try costs little with. */
const usualModels: Readonly<Record<string, string>> = {
  openai: 'gpt-4.1-mini',
  anthropic: 'claude-haiku-4-5',
  gemini: 'gemini-2.5-flash',
}

function checkData(file: string): void {
  if (file !== '' && !existsSync(file)) throw new PipelineError('usage', `no file ${file}`)
}

/** Makes a function that asks the user, and repeats the question until `check` accepts the answer. Without a terminal, it returns the default. */
const makeAsker =
  (isAsking: boolean, terminal: Tools['terminal']) =>
  async (question: string, usual: string, check: (answer: string) => unknown = () => undefined): Promise<string> => {
    if (!isAsking) return usual
    for (;;) {
      const typed = await askPerson(`${question}${usual === '' ? '' : ` [${usual}]`}: `)
      if (typed === undefined)
        throw new PipelineError('usage', 'init: no answer. Nothing was written; --yes asks nothing')
      const answer = typed === '' ? usual : typed
      try {
        await check(answer)
        return answer
      } catch (error) {
        if (!(error instanceof PipelineError)) throw error
        terminal.tell(error.said)
      }
    }
  }
