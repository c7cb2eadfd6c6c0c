import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { codeFolder, findWorkFolder } from '../../../cache/location.js'
import { makeFolder } from '../../../cache/make-folder.js'
import type { Command } from 'commander'
import { shownPath } from '../../../base/files/shown-path.js'
import { shellWord } from '../../../base/text/shell-word.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { isRepository } from '../../../stages/input/datasets/locate/locate-hub.js'
import { isBuilder } from '../../../stages/input/datasets/locate/locate-local.js'
import { prepareTask } from '../../../stages/input/prepare-task.js'
import type { CodeRuntime } from '../../../cache/code/code-runtime.js'
import { resolveTasks } from '../../../stages/input/tasks/resolve-tasks.js'
import { validateTaskFolder } from '../../../stages/input/tasks/validate-folder.js'
import type { Task } from '../../../stages/input/tasks/task.js'
import type { Scorer } from '../../../stages/judge/scorer.js'
import { makeGroupSettings } from '../../config/option.js'
import { pythonOptions } from '../../config/options/subject-options.js'
import { surroundings } from '../../config/eval-settings.js'
import { dataAccess } from '../../evaluation/data-access.js'
import { compileScorer, scoringProblems } from '../../evaluation/plan.js'
import { withRuntime } from '../../evaluation/code-runtime.js'
import { loadPlugins } from '../../model/plugins.js'
import { formatQuantity } from '../../../base/text/numbers.js'
import { headComment, taskPage } from '../../present/text/task-page.js'
import { tryMadeUpDoc } from '../../authoring/made-up-doc.js'
import { tryTask, type Trial } from '../../authoring/task-trial.js'
import { openTrialMedia } from '../../authoring/trial-media.js'
import type { DefineCommand, Tools } from '../command.js'
import { withExtensions, withOutput, withStore, type OutputFlags } from '../flags/evaluation-options.js'
import { exitCode, type ExitCode } from '../exit-code.js'
import { wholeNumber } from '../../config/values/option-values.js'
import { listTasks, type ListKind } from './task-list.js'

type TasksFlags = OutputFlags & {
  readonly store?: string
  readonly python?: string
  readonly allowNetwork?: boolean
  readonly pythonSeconds?: number
  readonly pythonMemoryMb?: number
  readonly includePath?: readonly string[]
  readonly plugin?: readonly string[]
}

const help = `
Examples:
  pipeline tasks list 'mm*'
  pipeline tasks show shapes_vqa
  pipeline tasks new mytask
  pipeline tasks new mytask --ts
  pipeline tasks validate ./mytask --docs 3
  pipeline tasks schema > task.schema.json`

interface ValidateFlags extends TasksFlags {
  readonly docs?: number
}

const lists: readonly (readonly [string, ListKind, string])[] = [
  ['list', 'all', 'the names that --tasks takes'],
  ['subtasks', 'tasks', 'the tasks alone'],
  ['groups', 'groups', 'the groups, with their members'],
  ['tags', 'tags', 'the tags, with the tasks that have them'],
]

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
  subcommand('show', 'what a task is')
    .argument('<name>')
    .action((name: string, flags: TasksFlags) => show(name, flags, tools))
  subcommand('validate', 'tell all that is wrong with the tasks below a folder, or in a file')
    .argument('<path>')
    .option(
      '--docs <n>',
      'render and score that many docs of each task, with a perfect and a wrong answer',
      wholeNumber('--docs', { min: 1 }),
    )
    .action(async (path: string, flags: ValidateFlags) => end(await validate(path, flags, tools)))
  command
    .command('new')
    .description('write a task that runs at once, to be changed')
    .addHelpText('after', help)
    .argument('<name>')
    .option('--dir <folder>', 'where its folder is made; else here')
    .option('--ts', 'write the task in TypeScript instead of YAML')
    .action(async (name: string, { dir = '.', ts = false }: { readonly dir?: string; readonly ts?: boolean }) => {
      const { writeStarter } = await import('../../authoring/task-starter.js')
      tools.terminal.print((await writeStarter(name, dir, { isCode: ts })).map(path => shownPath(path)))
      const target = ts ? join(dir, name, `${name}.task.ts`) : join(dir, name)
      tools.terminal.tell(`try it:  pipeline tasks validate ${shellWord(shownPath(target))} --docs 3`)
    })
  command
    .command('schema')
    .description('the JSON Schema of task files, for editors')
    .addHelpText('after', help)
    .action(async () => {
      const { taskJsonSchema } = await import('../../../stages/input/tasks/json-schema.js')
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

const show = (name: string, flags: TasksFlags, { terminal, env }: Tools): Promise<void> =>
  withRuntime(runtimeSettings(flags, env), runtime => showWith(runtime, name, flags, { terminal, env }))

/** The settings of users' code that a command without a run has. */
const runtimeSettings = (flags: TasksFlags, env: Tools['env']) => ({
  ...makeGroupSettings(pythonOptions, flags, {}),
  ...surroundings(flags, {}, env),
})

async function showWith(
  runtime: CodeRuntime,
  name: string,
  flags: TasksFlags,
  { terminal, env }: Pick<Tools, 'terminal' | 'env'>,
): Promise<void> {
  const { includePaths, store } = surroundings(flags, {}, env)
  const emit = (): void => undefined
  const access = dataAccess(env, { workFolder: findWorkFolder(store), emit, isOffline: true })
  const tasks = await resolveTasks([name], { includePaths, cacheDir: codeCache(store), runtime, access, emit })
  if (flags.json === true) {
    terminal.printData(JSON.stringify(tasks.map(forPrograms), undefined, 2))
    return
  }
  const { renderTaskExample } = await import('../../authoring/task-example.js')
  for (const task of tasks) {
    const isYaml = /\.ya?ml$/.test(task.file)
    const about = isYaml ? headComment(await readFile(task.file, 'utf8')) : ''
    terminal.print(taskPage(task, { about, example: await renderTaskExample(task), paint: terminal.paint.out }))
  }
}

const forPrograms = ({ name, file, config, identity }: Task) => ({ name, file, identity: identity.key, config })

const validate = (path: string, flags: ValidateFlags, { terminal, env }: Tools): Promise<ExitCode> =>
  withRuntime(runtimeSettings(flags, env), runtime => validateWith(runtime, path, flags, { terminal, env }))

async function validateWith(
  runtime: CodeRuntime,
  path: string,
  flags: ValidateFlags,
  { terminal, env }: Pick<Tools, 'terminal' | 'env'>,
): Promise<ExitCode> {
  const { store, plugins, includePaths } = surroundings(flags, {}, env)
  const cacheDir = codeCache(store)
  const { exports: exported } = await loadPlugins(plugins, { cacheDir })
  const checkScoring = scoringProblems({ cacheDir, runtime, exported })
  const {
    files,
    tasks,
    notes,
    problems: misread,
  } = await validateTaskFolder(path, {
    cacheDir,
    runtime,
    access: dataAccess(env, { workFolder: findWorkFolder(store), emit: () => undefined, isOffline: true }),
    checkScoring,
    includePaths,
  })
  await using trial = await openTrialMedia()
  const scorers = tasks.map(task => compileScorer(task, { cacheDir, runtime, exported, media: trial.media }))
  const near = tasks.filter(hasDataHere)
  const far = tasks.filter(task => !near.includes(task))
  const checked = await collectProblems([
    ...scorers,
    ...near.map(task => (flags.docs === undefined ? checkFirstDoc(task) : prepareTask(task))),
  ])
  const madeUp = checked.length > 0 ? [] : await tryMadeUpDocs(far, task => scorers[tasks.indexOf(task)])
  const trials =
    flags.docs === undefined || checked.length > 0
      ? []
      : await tryAll(
          near,
          near.map(task => scorers[tasks.indexOf(task)]),
          { docs: flags.docs, media: trial.media },
        )
  const unbuilt = madeUp.flatMap(({ task, trial }) => (trial.type === 'unfit' ? [{ task, reason: trial.reason }] : []))
  if (far.length > 0 && flags.quiet !== true)
    terminal.tell(
      `note: the data of ${formatQuantity(far.length, 'task')} are in Hub repositories and were not looked at: their functions were tried with a made-up doc`,
    )
  const told = [
    ...notes,
    ...unbuilt.map(
      ({ task, reason }) => `${task.at([])}  ${task.name}: no doc could be made up for its functions: ${reason}`,
    ),
  ]
  if (flags.quiet !== true) terminal.tell(told.map(note => `note: ${note}`))
  const wrong = madeUp.flatMap(({ task, trial }) =>
    trial.type === 'wrong' ? [`${task.at([])}  a made-up doc of ${task.name}: ${trial.problem}`] : [],
  )
  const problems = [...new Set([...misread, ...checked, ...wrong, ...trials.flatMap(trial => trial.problems)])]
  const names = tasks.map(({ name }) => name)
  if (flags.json === true) {
    const tried = flags.docs === undefined ? {} : { trials }
    terminal.printData(JSON.stringify({ files, tasks: names, problems, notes: told, ...tried }, undefined, 2))
  } else {
    if (flags.quiet !== true) terminal.print(trials.flatMap(trialLines))
    terminal.print(problems)
    const inFiles = `in ${formatQuantity(files, 'file')}`
    if (problems.length > 0) terminal.print(`${formatQuantity(problems.length, 'problem')} ${inFiles}.`)
    else if (flags.quiet !== true) terminal.print(foundNone(inFiles, names, unbuilt))
  }
  return exitCode({ isRefused: problems.length > 0 })
}

/** The last line. It does not say that a task has no problems if none of its docs could be built. */
function foundNone(inFiles: string, names: readonly string[], unbuilt: readonly { readonly task: Task }[]): string {
  const untried = unbuilt.map(({ task }) => task.name)
  const built = names.filter(name => !untried.includes(name))
  const left = `${untried.join(', ')}: the files can be read, but no doc was built   (pipeline eval --model dummy --limit 1 --tasks NAME builds one)`
  return [
    ...(built.length > 0 ? [`no problems ${inFiles}: ${built.join(', ')}`] : []),
    ...(untried.length > 0 ? [left] : []),
  ].join('\n')
}

/** Builds the first doc of a task. @throws PipelineError with the reason why it cannot be asked */
async function checkFirstDoc(task: Task): Promise<void> {
  const prepared = await prepareTask(task)
  const choose = prepared.examples?.()
  for await (const doc of prepared.docs(index => index === 0)) {
    const rendered = prepared.renderer.render(doc, choose?.(doc))
    if (rendered.type === 'rendered') return
    throw new PipelineError('config', `${task.at([])}  doc 0 of ${task.name}: ${rendered.reason}`)
  }
}

const tryMadeUpDocs = (tasks: readonly Task[], scorerFor: (task: Task) => Promise<Scorer> | undefined) =>
  Promise.all(
    tasks.map(async task => {
      const scorer = await scorerFor(task)
      if (scorer === undefined) throw new Error('internal error: a task without a scorer')
      return { task, trial: await tryMadeUpDoc(task, scorer) }
    }),
  )

/** Tells whether a task's data are in files of its own. What lies in a repository of the Hub is not downloaded to be validated. */
function hasDataHere({ config: { dataset_path: path, dataset_kwargs: kwargs }, datasetFolder }: Task): boolean {
  if (isBuilder(path)) return !JSON.stringify(kwargs ?? {}).includes('://')
  return path.startsWith('.') || !isRepository(path) || existsSync(resolve(datasetFolder, path))
}

const tryAll = async (
  tasks: readonly Task[],
  scorers: readonly (Promise<Scorer> | undefined)[],
  { docs, media }: { readonly docs: number; readonly media: Parameters<typeof tryTask>[3] },
) =>
  Promise.all(
    tasks.map(async (task, at) => {
      const scorer = await scorers[at]
      if (scorer === undefined) throw new Error('internal error: a task without a scorer')
      return tryTask(task, scorer, docs, media)
    }),
  )

/** The first prompt, and by metric what a perfect and a wrong answer are worth. */
function trialLines({ task, docs, numbers }: Trial): readonly string[] {
  const [first] = docs
  const formatNumber = (value: number | null): string => (value === null ? '–' : value.toFixed(3))
  return [
    `${task}: ${formatQuantity(docs.length, 'doc')}`,
    ...(first?.prompt ?? '').split('\n').map(line => `  | ${line}`),
    `  target ${JSON.stringify(first?.target ?? null)}`,
    ...numbers.map(
      ({ metric, perfect, wrong }) => `  ${metric}: perfect ${formatNumber(perfect)}, wrong ${formatNumber(wrong)}`,
    ),
    '',
  ]
}

/** Collects the mistakes that people can mend; anything else that was thrown is thrown again. */
async function collectProblems(checks: readonly Promise<unknown>[]): Promise<readonly string[]> {
  const settled = await Promise.allSettled(checks)
  const reasons = settled.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []))
  if (reasons.every(reason => reason instanceof PipelineError)) return reasons.flatMap(({ said }) => said)
  await Promise.all(checks)
  return []
}

/** Returns the folder for compiled code of the user's own. */
function codeCache(store: string): string {
  const folder = codeFolder(findWorkFolder(store))
  makeFolder(folder)
  return folder
}
