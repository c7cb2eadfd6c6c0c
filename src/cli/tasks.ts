import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { shownPath } from '../../base/shown-path.js'
import { PipelineError } from '../../base/errors.js'
import { prepareTask } from '../../stages/input/prepare-task.js'
import { indexTasks } from '../../stages/input/tasks/task-index.js'
import { builtinTasks, resolveTasks, validateTaskFolder } from '../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../stages/input/tasks/task.js'
import { surroundings } from '../config/eval-settings.js'
import { scorerOf } from '../plan.js'
import { loadPlugins } from '../plugins.js'
import { counted } from '../report/numbers.js'
import { pairs, table } from '../report/table.js'
import type { DefineCommand, Tools } from './command-table.js'
import { withExtensions, withOutput, withStore, type OutputFlags } from './evaluation-options.js'
import { exitCode, type ExitCode } from './exit-code.js'

type TasksFlags = OutputFlags & {
  readonly store?: string
  readonly includePath?: readonly string[]
  readonly plugin?: readonly string[]
}

const help = `
Examples:
  pipeline tasks list 'mm*'
  pipeline tasks show shapes_vqa
  pipeline tasks validate ./mytask`

export const defineTasks: DefineCommand = (command, tools, end) => {
  command.addHelpText('after', help)
  const subcommand = (name: string, summary: string): Command =>
    withOutput(
      withExtensions(withStore(command.command(name, { isDefault: name === 'list' }).description(summary))),
    ).addHelpText('after', help)
  subcommand('list', 'the names that --tasks takes')
    .argument('[pattern]', 'with * and ?')
    .action((pattern: string | undefined, flags: TasksFlags) => list(pattern, flags, tools))
  subcommand('show', 'what a task is')
    .argument('<name>')
    .action((name: string, flags: TasksFlags) => show(name, flags, tools))
  subcommand('validate', 'tell all that is wrong with the tasks below a folder, or in a file')
    .argument('<path>')
    .action(async (path: string, flags: TasksFlags) => end(await validate(path, flags, tools)))
}

async function list(pattern: string | undefined, flags: TasksFlags, { terminal, env }: Tools): Promise<void> {
  const { includePaths } = surroundings(flags, {}, env)
  const index = await indexTasks([builtinTasks, ...includePaths])
  if (flags.quiet !== true) terminal.tell(index.notes.map(note => `note: ${note}`))
  const isMeant = matcher(pattern)
  const rows = [
    ...[...index.tasks].map(([name, file]) => ({ name, kind: 'task', place: shownPath(file) })),
    ...[...index.groups].map(([name, { members }]) => ({ name, kind: 'group', place: members.join(', ') })),
    ...[...index.tags].map(([name, members]) => ({ name, kind: 'tag', place: members.join(', ') })),
  ]
  const found = rows.filter(({ name }) => isMeant(name)).sort((a, b) => (a.name < b.name ? -1 : 1))
  if (flags.json === true) terminal.print(JSON.stringify(found, undefined, 2))
  else {
    const columns = [{ title: 'name' }, { title: 'kind' }, { title: 'where' }]
    terminal.print(
      table(
        columns,
        found.map(({ name, kind, place }) => [name, kind, place]),
        terminal.paint.out,
      ),
    )
  }
}

function matcher(pattern: string | undefined): (name: string) => boolean {
  if (pattern === undefined) return () => true
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const expression = new RegExp(`^${source}$`)
  return name => expression.test(name)
}

async function show(name: string, flags: TasksFlags, { terminal, env }: Tools): Promise<void> {
  const { includePaths, store } = surroundings(flags, {}, env)
  const emit = (): void => undefined
  const tasks = await resolveTasks([name], { includePaths, cacheDir: await codeCache(store), emit })
  if (flags.json === true) terminal.print(JSON.stringify(tasks.map(forPrograms), undefined, 2))
  else for (const task of tasks) terminal.print([...pairs(page(task), terminal.paint.out), ''])
}

function page(task: Task): (readonly [string, string])[] {
  const { task: name, ...config } = task.config
  const keys = Object.entries(config).filter(([, value]) => value !== undefined)
  return [
    ['task', name],
    ['file', shownPath(task.file)],
    ...keys.map(([key, value]) => [key, typeof value === 'string' ? JSON.stringify(value) : asText(value)] as const),
    ['identity', task.identity.key],
  ]
}

const asText = (value: unknown): string => JSON.stringify(value)

const forPrograms = ({ name, file, config, identity }: Task) => ({ name, file, identity: identity.key, config })

async function validate(path: string, flags: TasksFlags, { terminal, env }: Tools): Promise<ExitCode> {
  const { store, plugins } = surroundings(flags, {}, env)
  const cacheDir = await codeCache(store)
  const { files, tasks, problems: misread } = await validateTaskFolder(path, { cacheDir })
  const { exports: exported } = await loadPlugins(plugins, { cacheDir })
  const checks = tasks.flatMap(task => [scorerOf(task, { cacheDir, exported }), prepareTask(task)])
  const problems = [...misread, ...(await problemsOf(checks))]
  const names = tasks.map(({ name }) => name)
  if (flags.json === true) terminal.print(JSON.stringify({ files, tasks: names, problems }, undefined, 2))
  else {
    terminal.print(problems)
    const inFiles = `in ${counted(files, 'file')}`
    if (problems.length > 0) terminal.print(`${counted(problems.length, 'problem')} ${inFiles}.`)
    else if (flags.quiet !== true) terminal.print(`no problems ${inFiles}: ${names.join(', ')}`)
  }
  return exitCode({ isRefused: problems.length > 0 })
}

/** What people can mend; anything else that was thrown is thrown again. */
async function problemsOf(checks: readonly Promise<unknown>[]): Promise<readonly string[]> {
  const settled = await Promise.allSettled(checks)
  const reasons = settled.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []))
  if (reasons.every(reason => reason instanceof PipelineError)) return reasons.flatMap(({ problems }) => problems)
  await Promise.all(checks)
  return []
}

/** Where compiled code of the user's own is kept. */
async function codeCache(store: string): Promise<string> {
  const folder = join(store, 'code')
  await mkdir(folder, { recursive: true })
  return folder
}
