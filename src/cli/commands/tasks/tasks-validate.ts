import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { PipelineError } from '../../../../base/errors/errors.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import type { CodeRuntime } from '../../../../cache/code/code-runtime.js'
import { findWorkFolder } from '../../../../cache/location.js'
import { isRepository } from '../../../../stages/input/datasets/locate/locate-hub.js'
import { isBuilder } from '../../../../stages/input/datasets/locate/locate-local.js'
import { prepareTask } from '../../../../stages/input/prepare-task.js'
import type { Task } from '../../../../stages/input/tasks/task.js'
import { validateTaskFolder } from '../../../../stages/input/tasks/validate-folder.js'
import type { Scorer } from '../../../../stages/judge/scorer.js'
import { tryMadeUpDoc } from '../../../authoring/made-up-doc.js'
import { tryTask, type Trial } from '../../../authoring/task-trial.js'
import { openTrialMedia } from '../../../authoring/trial-media.js'
import { surroundings } from '../../../config/eval-settings.js'
import { withRuntime } from '../../../evaluation/code-runtime.js'
import { dataAccess } from '../../../evaluation/data-access.js'
import { compileScorer, noDataset, scoringProblems } from '../../../evaluation/tasks/compile-scorer.js'
import { makeStoredScoring } from '../../../judging/scoring.js'
import { checkTaskJudges } from '../../../judging/task-judges.js'
import { loadPlugins } from '../../../model/plugins.js'
import { docList } from '../../../present/text/results/incomplete-run.js'
import type { Tools } from '../../command.js'
import { type ExitCode, exitCode } from '../../exit-code.js'
import { type TasksFlags, runtimeSettings, codeCache } from './tasks-settings.js'

/** Flags of `pipeline tasks validate`. */
export interface ValidateFlags extends TasksFlags {
  readonly docs?: number
}

/** Checks the tasks below a folder, or in a file, and prints all mistakes. */
export const validate = (path: string, flags: ValidateFlags, { terminal, env }: Tools): Promise<ExitCode> =>
  withRuntime(runtimeSettings(flags, env), runtime => validateWith(runtime, path, flags, { terminal, env }))

async function validateWith(
  runtime: CodeRuntime,
  path: string,
  flags: ValidateFlags,
  { terminal, env }: Pick<Tools, 'terminal' | 'env'>,
): Promise<ExitCode> {
  const { store, plugins, includePaths } = surroundings(flags, {}, env)
  const cacheDir = codeCache(store)
  const { exports: exported, backends } = await loadPlugins(plugins, { cacheDir })
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
    ...tasks.map(task => checkTaskJudges({ ...task, scoring: makeStoredScoring(task, noDataset) }, backends)),
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
  const allNotes = [
    ...notes,
    ...trials.flatMap(trial => trial.notes),
    ...unbuilt.map(
      ({ task, reason }) => `${task.at([])}  ${task.name}: no doc could be made up for its functions: ${reason}`,
    ),
  ]
  if (flags.quiet !== true) terminal.tell(allNotes.map(note => `note: ${note}`))
  const wrong = madeUp.flatMap(({ task, trial }) =>
    trial.type === 'wrong' ? [`${task.at([])}  a made-up doc of ${task.name}: ${trial.problem}`] : [],
  )
  const problems = [...new Set([...misread, ...checked, ...wrong, ...trials.flatMap(trial => trial.problems)])]
  const names = tasks.map(({ name }) => name)
  if (flags.json === true) {
    const tried = flags.docs === undefined ? {} : { trials }
    terminal.printData(JSON.stringify({ files, tasks: names, problems, notes: allNotes, ...tried }, undefined, 2))
  } else {
    if (flags.quiet !== true) terminal.print(trials.flatMap(trialLines))
    terminal.print(problems)
    const inFiles = `in ${formatQuantity(files, 'file')}`
    if (problems.length > 0) terminal.print(`${formatQuantity(problems.length, 'problem')} ${inFiles}.`)
    else if (flags.quiet !== true) terminal.print(foundNone(inFiles, names, unbuilt))
  }
  return exitCode({ isRefused: problems.length > 0 })
}

/** The number of task names that the last line shows. */
const mostNamed = 20

const shortList = (names: readonly string[]): string =>
  `${docList(names, mostNamed)}${names.length > mostNamed ? ', all of them with --json' : ''}`

/** Words the last line. It does not claim that a task has no problems if none of its docs could be built. */
function foundNone(inFiles: string, names: readonly string[], unbuilt: readonly { readonly task: Task }[]): string {
  const untried = unbuilt.map(({ task }) => task.name)
  const built = names.filter(name => !untried.includes(name))
  const untriedText = `${shortList(untried)}: the files can be read, but no doc was built   (pipeline eval --model dummy --limit 1 --tasks NAME builds one)`
  return [
    ...(built.length > 0 ? [`no problems ${inFiles}: ${shortList(built)}`] : []),
    ...(untried.length > 0 ? [untriedText] : []),
  ].join('\n')
}

/** Builds the first doc of a task. @throws PipelineError with the reason if no request can be made */
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

/** Tells whether a task's data is in local files. Validation downloads nothing from the Hub. */
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

/** Formats the first prompt, and the values of a perfect and a wrong answer by metric. */
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
