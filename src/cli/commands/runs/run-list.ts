/** One run, or the runs of a configuration file's list one after the other. */
import { PipelineError, formatErrorText } from '../../../../base/errors/errors.js'
import type { Run } from '../../../../cache/records.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { expandVariables } from '../../../config/file/config-env.js'
import type { FolderDefaults } from '../../../config/folder/folder-defaults.js'
import { readConfigFile, type ConfiguredRun } from '../../../config/file/config-file.js'
import { evalSettings } from '../../../config/eval-settings.js'
import { secretTexts } from '../../../config/secrets.js'
import { unusedKeysIn } from '../../../config/file/unused-keys.js'
import { checkEvaluation, type Preview } from '../../../preview/preview.js'
import { previewSumLines } from '../../../preview/preview-table.js'
import { formatQuantity } from '../../../../base/text/numbers.js'
import type { EvalSettings } from '../../../config/settings.js'
import { without } from '../../../../base/values/without.js'
import { present } from '../../../../base/values/present.js'
import { readDestinations, type Destination } from '../../../tracking/destinations.js'
import { namedTrackers } from '../../../tracking/named-trackers.js'
import type { Tools } from '../../command.js'
import type { EvaluationFlags, OutputFlags } from '../../flags/evaluation-options.js'
import { showCells, type Cell } from '../../display/experiment-table.js'
import { exitCode, chooseWorst, type ExitCode } from '../../exit-code.js'
import { lineInstead, type TypedLine } from '../../flags/line-instead.js'
import { withVariables } from '../../this-process/process-variables.js'
import { tellError } from '../../tell-error.js'
import type { Terminal } from '../../display/terminal.js'
import { maskTrackers } from '../../flags/tracking.js'
import { unusedNote } from '../../flags/unused-flags.js'

/** The settings of one run, from the command line and its configuration file together. */
export interface AskedRun {
  readonly settings: EvalSettings
  readonly output: OutputFlags
  readonly isPredictOnly: boolean
  readonly destinations: readonly Destination[]
  /** True if the file holds other runs, too: a line that names the file is of all of them. */
  readonly isListed: boolean
  /** Variables of the configuration file. */
  readonly variables?: Readonly<Record<string, string>>
  /** Receives the run when it begins. */
  readonly onRun?: (run: Run) => void
  /** Receives the plan, if one is asked for. */
  readonly onPlan?: (preview: Preview) => void
  /** The names of what the run combines, if the file is an experiment. */
  readonly cell?: string
}

/** A run of a configuration file. */
export interface ListedRun extends AskedRun {
  /** The file and the line of the run's settings. */
  readonly location: string
  readonly variables: Readonly<Record<string, string>>
}

interface EachRun {
  readonly evaluateOne: (run: AskedRun, tools: Tools) => Promise<ExitCode>
  /** A flag of the line that is of one run alone. */
  readonly ofOne?: string
  /** The options of the command. */
  readonly options: TypedLine['options']
}

/** Evaluates each run that line and file ask for. A run that is refused does not keep the next ones from starting. */
export async function evaluateEach(
  flags: EvaluationFlags,
  tools: Tools,
  { evaluateOne, ofOne, options }: EachRun,
): Promise<ExitCode> {
  const runs = await readRuns(flags, tools)
  const [only] = runs
  if (only !== undefined && runs.length === 1) {
    const { settings } = only
    const instead = await lineInstead(settings, { words: tools.words, options })
    const run = {
      ...without(only, 'cell'),
      settings: { ...settings, ...(instead === undefined ? {} : { modelInstead: instead }) },
    }
    return withVariables(only.variables, () => evaluateOne(run, tools))
  }
  refuseFlags(flags, ofOne)
  if (flags.plan !== true) await checkEach(runs)
  const { terminal, env } = tools
  const results: unknown[] = []
  const inner = flags.json === true ? { ...tools, terminal: collectResults(terminal, results) } : tools
  const codes: ExitCode[] = []
  const cells: Cell[] = []
  const plans: { readonly name: string; readonly tasks: Preview['tasks'] }[] = []
  for (const { location, ...run } of runs) {
    const { variables, cell } = run
    if (flags.quiet !== true) terminal.tell(`run ${codes.length + 1} of ${runs.length}   ${cell ?? location}`)
    const onRun = ({ name }: Run): void => {
      if (cell !== undefined) cells.push({ label: cell, run: name })
    }
    const onPlan = ({ tasks }: Preview): void => void plans.push({ name: cell ?? location, tasks })
    try {
      codes.push(await withVariables(variables, () => evaluateOne({ ...run, onRun, onPlan }, inner)))
    } catch (error) {
      results.push({ error: formatErrorText(error) })
      codes.push(tellError(error, terminal, env))
    }
    const remainingCount = runs.length - codes.length
    if (codes.at(-1) !== exitCode({ isInterrupted: true }) || remainingCount === 0) continue
    terminal.tell(
      `${formatQuantity(remainingCount, 'run')} of ${shownPath(flags.config ?? '')} not started: the same command starts them.`,
    )
    break
  }
  if (flags.json === true) terminal.printData(JSON.stringify(results, undefined, 2))
  else if (plans.length > 1) terminal.print(['', ...previewSumLines(plans, terminal.paint.out)])
  else if (flags.plan !== true && cells.length > 0) await showCells(cells, runs[0]?.settings.store ?? '', tools)
  return chooseWorst(codes)
}

/** Reads the runs that the flags and their configuration file request. From here on no secret of theirs can be printed. */
export async function readRuns(typed: EvaluationFlags, tools: Tools): Promise<readonly ListedRun[]> {
  const { defaults: folder } = tools.folder
  const { set, model, judgeModel } = typed
  const configuredRuns = await readConfigFile(typed.config, present({ set, folder, model, judgeModel }))
  const flags = folder === undefined ? typed : withoutFolderNames(typed, folder)
  if (configuredRuns.length === 1) return configuredRuns.map(run => readRun(run, flags, tools, { isListed: false }))
  const problems: string[] = []
  const runs: ListedRun[] = []
  for (const run of configuredRuns) {
    try {
      runs.push(readRun(run, flags, tools, { isListed: true }))
    } catch (error) {
      problems.push(...locateProblems(error, run.location))
    }
  }
  if (problems.length > 0) throw new PipelineError('config', problems)
  return runs
}

/** Leaves out names of the folder's models, which the configuration has replaced by their keys. */
function withoutFolderNames(
  { model, judgeModel, ...flags }: EvaluationFlags,
  { models }: FolderDefaults,
): EvaluationFlags {
  const keep = (name: string | undefined): string | undefined =>
    name === undefined || models.has(name) ? undefined : name
  return { ...flags, ...present({ model: keep(model), judgeModel: keep(judgeModel) }) }
}

function readRun(
  { config, location, at, cell }: ConfiguredRun,
  flags: EvaluationFlags,
  { env, terminal }: Tools,
  { isListed }: Pick<ListedRun, 'isListed'>,
): ListedRun {
  const variables = expandVariables(config.env, env, at)
  terminal.mask(secretTexts(variables))
  const settings = evalSettings(flags, config, { ...env, ...variables })
  terminal.mask([settings.modelArgs, settings.judgeArgs, settings.judgeFor].flatMap(args => secretTexts(args)))
  const trackers = namedTrackers(flags, config)
  maskTrackers(trackers, terminal)
  const outputPath = flags.outputPath ?? config.output_path
  const logSamples = flags.logSamples ?? config.log_samples ?? false
  if (logSamples && outputPath === undefined) {
    throw new PipelineError('usage', '--log-samples: also give --output-path DIR, the folder to write to')
  }
  const unused = unusedNote({ ...flags, ...unusedKeysIn(config) })
  if (unused !== undefined && flags.quiet !== true) terminal.tell(`note: ${unused}`)
  return {
    settings,
    output: {
      ...flags,
      logSamples,
      ...present({
        outputPath,
        baseline: flags.baseline ?? config.baseline,
        gate: flags.gate ?? config.gate,
        webhook: flags.webhook ?? config.webhook,
      }),
    },
    destinations: readDestinations(trackers, { ...env, ...variables }),
    isPredictOnly: flags.predictOnly ?? config.predict_only ?? false,
    isListed,
    location,
    variables,
    ...(cell !== undefined && { cell }),
  }
}

/** A limit is one of the command; how runs would share it is not for us to say. */
function refuseFlags(flags: EvaluationFlags, ofOne: string | undefined): void {
  const limits = [
    ['--max-requests', flags.maxRequests],
    ['--max-tokens-total', flags.maxTokensTotal],
    ['--max-tokens', flags.maxTokens],
    ['--max-cost', flags.maxCost],
    ['--max-time', flags.maxTime],
  ].flatMap(([name, value]) => (value === undefined ? [] : [name]))
  const file = shownPath(flags.config ?? '')
  const problems = [
    ...limits.map(name => `${name}: ${file} holds a list of runs. Write the limit into each run there, as a key`),
    ...(flags.html === undefined
      ? []
      : [
          `--html: ${file} holds a list of runs, and each would replace the report. Write one of all: pipeline report RUN RUN --html FILE`,
        ]),
    ...(ofOne === undefined
      ? []
      : [
          `${ofOne}: ${file} holds a list of runs, and this file is of one. Export them one by one: pipeline export RUN -o FILE`,
        ]),
  ]
  if (problems.length > 0) throw new PipelineError('usage', problems)
}

/** A mistake in the last run is told before the first one starts. */
async function checkEach(runs: readonly ListedRun[]): Promise<void> {
  const problems: string[] = []
  for (const { location, variables, settings } of runs) {
    try {
      await withVariables(variables, () => checkEvaluation(settings))
    } catch (error) {
      problems.push(...locateProblems(error, location))
    }
  }
  if (problems.length > 0) throw new PipelineError('config', problems)
}

/** @throws the error itself where it is nobody's mistake */
function locateProblems(error: unknown, location: string): readonly string[] {
  if (!(error instanceof PipelineError)) throw error
  const [file = ''] = location.split(':')
  return error.said.map(problem => (problem.startsWith(`${file}:`) ? problem : `${location}  ${problem}`))
}

/** Results of several runs are one list, which a program can read. */
const collectResults = (terminal: Terminal, results: unknown[]): Terminal => ({
  ...terminal,
  get rows() {
    return terminal.rows
  },
  printData: text => void results.push(JSON.parse(text)),
})
