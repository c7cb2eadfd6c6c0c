import { readFile } from 'node:fs/promises'
import { codeFolder, findWorkFolder } from '../../../../cache/location.js'
import type { Command } from 'commander'
import type { CodeRuntime } from '../../../../cache/code/code-runtime.js'
import { resolveTasks } from '../../../../stages/input/tasks/resolve-tasks.js'
import type { Task } from '../../../../stages/input/tasks/task.js'
import { surroundings } from '../../../config/eval-settings.js'
import { holdsStore } from '../../../../cache/open.js'
import { withOpenStore, type StoreLocation } from '../../open-run.js'
import { readTaskSize } from '../../../reading/tasks/task-size.js'
import { summarizeTask } from '../../../reading/tasks/task-summary.js'
import { dataAccess } from '../../../evaluation/data-access.js'
import { withRuntime } from '../../../evaluation/code-runtime.js'
import { headComment, taskPage } from '../../../present/text/task-page.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withExtensions, withOutput, withStore } from '../../flags/evaluation-options.js'
import { comparedKinds, sampleKinds } from '../../../reading/samples/sample-kinds.js'
import { wholeNumber } from '../../../config/values/option-values.js'
import { printDifference, printDocs } from './task-docs.js'
import { listTasks, type ListKind } from './task-list.js'
import { writeNew, type NewFlags } from './tasks-new.js'
import { type TasksFlags, runtimeSettings, codeCache } from './tasks-settings.js'
import { type ValidateFlags, validate } from './tasks-validate.js'

const help = `
Examples:
  pipeline tasks list 'mm*'
  pipeline tasks show shapes_vqa
  pipeline tasks show shapes_vqa --doc 3
  pipeline tasks diff mytask/v1.yaml mytask/v2.yaml
  pipeline tasks new mytask
  pipeline tasks new mytask --ts
  pipeline tasks new mytask --from questions.csv --target answer
  pipeline tasks new hard --from-run last --samples wrong
  pipeline tasks validate ./mytask --docs 3
  pipeline tasks schema > task.schema.json`

const lists: readonly (readonly [string, ListKind, string])[] = [
  ['list', 'all', 'list the names that --tasks takes'],
  ['subtasks', 'tasks', 'list tasks without groups and tags'],
  ['groups', 'groups', 'list groups with their members'],
  ['tags', 'tags', 'list tags with their tasks'],
]

type ShowFlags = TasksFlags & { readonly doc?: string }

/** Defines `pipeline tasks`. */
export const defineTasks: DefineCommand = (command, tools, end) => {
  command.addHelpText('after', help)
  const subcommand = (name: string, summary: string): Command =>
    withOutput(
      withExtensions(withStore(command.command(name, { isDefault: name === 'list' }).description(summary))),
    ).addHelpText('after', help)
  for (const [name, kind, summary] of lists)
    subcommand(name, summary)
      .argument('[pattern]', 'with *, ? and [abc]')
      .action((pattern: string | undefined, flags: TasksFlags) => list(kind, { pattern, flags }, tools))
  subcommand('show', 'show a task: its source, prompt, metrics and an example')
    .argument('<name>', 'a name of pipeline tasks list, a file or a folder')
    .option('--doc <id>', 'one doc as a model gets it, by id or index: prompt, media, target and estimated tokens')
    .action((name: string, flags: ShowFlags) => show(name, flags, tools))
  subcommand('diff', 'show what differs between two tasks: keys, code, data, and the prompt of a doc')
    .argument('<a>', 'a name, file or folder')
    .argument('<b>', 'the task that is compared with it')
    .option('--doc <id>', 'the doc whose prompts are compared, by id or index (0)')
    .action((a: string, b: string, flags: ShowFlags) => diff([a, b], flags, tools))
  subcommand('validate', 'check the tasks in a folder or file, and print every problem')
    .argument('<path>', 'a folder or file of tasks')
    .option(
      '--docs <n>',
      'render and score that many docs of each task, with a perfect and a wrong answer',
      wholeNumber('--docs', { min: 1 }),
    )
    .action(async (path: string, flags: ValidateFlags) => end(await validate(path, flags, tools)))
  withOutput(withStore(command.command('new')))
    .description('create a small task that works, as a starting point')
    .addHelpText('after', help)
    .argument('<name>', 'the name of the task and its folder')
    .option('--dir <folder>', 'where its folder is made; else here')
    .option('--ts', 'write the task in TypeScript instead of YAML')
    .option('--from <file>', 'write it for this data file: CSV, JSON, JSONL or Parquet')
    .option('--target <column>', 'with --from: the column with the right answers; else it is guessed')
    .option('--question <column>', 'with --from: the column with the questions; else it is guessed')
    .option('--from-run <run>', 'write docs of this run, with the prompts that it sent and their media')
    .option(
      '--samples <docs>',
      `with --from-run: an id or pattern, a .txt file with one a line, or a kind: ${sampleKinds.join(', ')}`,
    )
    .option('--against <run>', `with --samples ${[...comparedKinds].join(', ')}: the run to compare with`)
    .action((name: string, flags: NewFlags) => writeNew(name, flags, tools))
  command
    .command('schema')
    .description('print the JSON Schema of task files, for editors')
    .addHelpText('after', help)
    .action(async () => {
      const { taskJsonSchema } = await import('../../../../stages/input/tasks/json-schema.js')
      tools.terminal.printData(JSON.stringify(taskJsonSchema(), undefined, 2))
    })
}

async function list(
  kind: ListKind,
  { pattern, flags }: { readonly pattern: string | undefined; readonly flags: TasksFlags },
  tools: Tools,
): Promise<void> {
  const { store } = surroundings(flags, {}, tools.env)
  const cacheDir = codeFolder(findWorkFolder(store))
  await listTasks(kind, { ...(pattern === undefined ? {} : { pattern }), flags, cacheDir }, tools)
}

const show = (name: string, flags: ShowFlags, { terminal, env }: Tools): Promise<void> =>
  withRuntime(runtimeSettings(flags, env), runtime => showWith(runtime, name, flags, { terminal, env }))

function readTasks(
  runtime: CodeRuntime,
  names: readonly string[],
  flags: TasksFlags,
  env: Tools['env'],
): Promise<readonly Task[]> {
  const { includePaths, store } = surroundings(flags, {}, env)
  const emit = (): void => undefined
  const access = dataAccess(env, { workFolder: findWorkFolder(store), emit, isOffline: true })
  return resolveTasks(names, { includePaths, cacheDir: codeCache(store), runtime, access, emit })
}

async function showWith(
  runtime: CodeRuntime,
  name: string,
  flags: ShowFlags,
  { terminal, env }: Pick<Tools, 'terminal' | 'env'>,
): Promise<void> {
  const tasks = await readTasks(runtime, [name], flags, env)
  if (flags.doc !== undefined) return printDocs(tasks, flags.doc, flags, terminal)
  if (flags.json === true) {
    const sizes = await readSizes({ dir: surroundings(flags, {}, env).store, terminal }, tasks)
    terminal.printData(
      JSON.stringify(
        tasks.map((task, index) => forPrograms(task, sizes[index])),
        undefined,
        2,
      ),
    )
    return
  }
  const { store } = surroundings(flags, {}, env)
  const sizes = await readSizes({ dir: store, terminal }, tasks)
  const { renderTaskExample } = await import('../../../authoring/task-example.js')
  for (const [index, task] of tasks.entries()) {
    const isYaml = /\.ya?ml$/.test(task.file)
    const about = isYaml ? headComment(await readFile(task.file, 'utf8')) : ''
    const example = await renderTaskExample(task)
    terminal.print(taskPage(task, { about, example, docs: sizes[index], paint: terminal.paint.out }))
  }
}

const diff = ([a, b]: readonly [string, string], flags: ShowFlags, { terminal, env }: Tools): Promise<void> =>
  withRuntime(runtimeSettings(flags, env), async runtime =>
    printDifference(
      [await readTasks(runtime, [a], flags, env), await readTasks(runtime, [b], flags, env)],
      flags,
      terminal,
    ),
  )

const forPrograms = ({ name, file, config, identity }: Task, docs: number | undefined) => ({
  ...{ name, file, identity: identity.key },
  ...{ docs: docs ?? null, ...summarizeTask(config), config },
})

/** Reads the doc counts that runs have stored, if the store exists. */
async function readSizes(location: StoreLocation, tasks: readonly Task[]): Promise<readonly (number | undefined)[]> {
  if (!(await holdsStore(location.dir).catch(() => false))) return []
  return withOpenStore(location, 'read', store =>
    Promise.all(tasks.map(({ name, config }) => readTaskSize(store, name, config))),
  )
}
