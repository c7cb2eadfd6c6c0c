import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { spelled, storedText } from '../../../base/errors/option-words.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { buildInfo } from '../../../cache/code/build-info.js'
import type { Run } from '../../../cache/records.js'
import { isSettled } from '../../../cache/run-state.js'
import { finishLine, hints, nextLines } from '../../report/results/finish-lines.js'
import { failedDocs } from '../../report/samples/failed-docs.js'
import { incompleteRun, interruptedLine } from '../../report/results/incomplete-run.js'
import { canCompareLast, hasScores } from '../../report/comparing/pair-samples.js'
import { rescoring } from '../../report/comparing/rescoring.js'
import { resultTable, shownNames } from '../../report/results/result-table.js'
import { resultsJson, type Results } from '../../report/results/results-json.js'
import type { SampleKind } from '../../report/samples/sample-kinds.js'
import { indented } from '../../report/layout/table.js'
import { throughputLines } from '../../report/throughput/throughput-lines.js'
import { unjudgedDocs, unjudgedLines } from '../../report/samples/unjudged-docs.js'
import { modelPrice } from '../../cost/model-price.js'
import { runStats } from '../../report/throughput/run-stats.js'
import type { EvalOutcome, Hooks } from '../../evaluation/settings.js'
import type { Tools } from '../command.js'
import { commandLine } from '../command-line-words.js'
import type { OutputFlags } from '../flags/evaluation-options.js'
import { exitCode, type ExitCode } from '../exit-code.js'
import { boundHeapGrowth } from '../heap-growth.js'
import { checkHtmlFile, writeHtml } from '../flags/html-report.js'
import { listenForInterruption, type Interruption } from '../interruption.js'
import { openRun, withOpenStore, type StorePlace } from '../open-run.js'
import { LiveProgress, quietProgress } from './progress.js'
import type { ShownStages } from './progress-lines.js'
import { makeResultFolder, writeResultFiles } from '../result-files.js'
import { storeFlag } from '../flags/store-flag.js'

/** The evaluation to display, and the command it belongs to. */
export interface DisplayedWork {
  readonly store: string
  readonly stages: ShownStages
  readonly flags: OutputFlags
  /** The command line that evaluates another variant of the model, for a comparison. */
  readonly variant?: string
  work(hooks: Hooks): Promise<EvalOutcome>
}

/** Runs the work with progress and signal handling, and prints its outcome. */
export async function displayed(asked: DisplayedWork, tools: Tools): Promise<ExitCode> {
  const { terminal, clock } = tools
  if (asked.flags.outputPath !== undefined) makeResultFolder(asked.flags.outputPath)
  await checkHtmlFile(asked.flags)
  // Without requests the heap stays small, and speed matters more.
  if (asked.stages.model) boundHeapGrowth()
  const progress =
    asked.flags.quiet === true ? quietProgress(terminal) : new LiveProgress(terminal, clock, asked.stages)
  const interruption = listenForInterruption(
    line => progress.ending(line),
    () => progress.inFlight(),
  )
  let started: Run | undefined
  const hooks: Hooks = {
    emit: progress.emit,
    drain: interruption.drain,
    stop: interruption.stop,
    onRun(run, isNew, counts) {
      started = run
      progress.start(run, { store: shownPath(asked.store), version: buildInfo().version, isNew, counts })
    },
  }
  try {
    const outcome = await asked.work(hooks)
    progress.finish(outcome)
    return await show(outcome, asked, { interruption, tools })
  } catch (error) {
    progress.finish()
    if (!interruption.drain.aborted || error instanceof PipelineError) throw error
    if (started === undefined) return showNotBegun(error, tools)
    return await showStopped(started, asked, tools)
  } finally {
    interruption.release()
  }
}

/** Reports an error that occurred before the run was known, such as an interrupted download. */
function showNotBegun(error: unknown, { terminal }: Tools): ExitCode {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error
  terminal.tell('interrupted before the run began. What was downloaded is kept: the same line goes on there.')
  return exitCode({ isInterrupted: true })
}

async function showStopped(run: Run, asked: DisplayedWork, tools: Tools): Promise<ExitCode> {
  const counts = await withOpenStore(placeOf(asked, tools), 'read', opened => opened.runs.counts(run))
  tools.terminal.tell(interruptedLine(referenceTo(run, asked, tools), counts))
  return exitCode({ isInterrupted: true })
}

const placeOf = ({ store }: DisplayedWork, { terminal }: Tools): StorePlace => ({ dir: store, terminal })

/** The name by which a command refers to the run. */
const referenceTo = (run: Run, { store }: DisplayedWork, { env }: Tools): string =>
  `${run.name}${storeFlag(store, env)}`

async function show(
  outcome: EvalOutcome,
  asked: DisplayedWork,
  { interruption, tools }: { interruption: Interruption; tools: Tools },
): Promise<ExitCode> {
  const { terminal } = tools
  const { run, counts, failures, judgement } = outcome
  const pending = pendingOf(outcome, asked.stages)
  // If the run was already complete, the signal interrupted nothing.
  const isInterrupted = interruption.drain.aborted && !isFinished(outcome, asked.stages)
  const figures = await statsOf(outcome, asked, tools)
  const results: Results = {
    run,
    counts,
    failures,
    ...(judgement && { judgement }),
    ...(figures && { figures }),
    session: outcome,
  }
  const { outputPath, logSamples } = asked.flags
  const folder =
    outputPath === undefined || isInterrupted
      ? undefined
      : await withOpenStore(placeOf(asked, tools), 'read', store =>
          writeResultFiles(outputPath, results, logSamples === true ? store : undefined),
        )
  if (asked.flags.json === true) terminal.printData(JSON.stringify(resultsJson(results), undefined, 2))
  else if (!isInterrupted) await print(outcome, asked, { folder, tools })
  if (!isInterrupted && asked.flags.html !== undefined)
    await withOpenStore(placeOf(asked, tools), 'read', async store =>
      writeHtml(store, [await openRun(store, run.id)], asked.flags, tools),
    )
  const reference = referenceTo(run, asked, tools)
  if (isInterrupted) terminal.tell(interruptedLine(reference, counts, outcome.batches))
  else {
    const missing = [
      ...incompleteRun(
        reference,
        { counts: { ...counts, pending }, batches: outcome.batches, ...inFlags(outcome) },
        terminal.paint.err,
      ),
      ...(await unjudged(outcome, asked, tools)),
    ]
    terminal.tell(missing.length === 0 ? [] : ['', ...missing])
  }
  return exitCode({
    isInterrupted,
    failed: failures.length,
    pending: pending + (counts.inputFinished ? 0 : 1),
    unjudged: outcome.unjudged,
  })
}

/** Spells the limit that stopped the work as a flag, also in the failures that were stored for it. */
function inFlags({ failures, stopped }: EvalOutcome): Pick<EvalOutcome, 'failures' | 'stopped'> {
  if (stopped === undefined) return { failures }
  const [stored, message] = [storedText(stopped.message), spelled(stopped.message, commandLine)]
  const told = failures.map(item =>
    item.failure.message === stored ? { ...item, failure: { ...item.failure, message } } : item,
  )
  return { failures: told, stopped: { ...stopped, message } }
}

/** Returns the stats to show. If the model stage did not run, only JSON output contains them. */
async function statsOf({ run, figures }: EvalOutcome, asked: DisplayedWork, tools: Tools) {
  const { stages, flags } = asked
  if (figures !== undefined || !stages.judge || (flags.json !== true && flags.outputPath === undefined)) return figures
  return withOpenStore(placeOf(asked, tools), 'read', async opened => runStats(opened, run, await modelPrice(run)))
}

async function unjudged(
  { run, judgement, unjudged: number }: EvalOutcome,
  asked: DisplayedWork,
  tools: Tools,
): Promise<readonly string[]> {
  if (judgement === undefined || number === 0) return []
  const kinds = await withOpenStore(placeOf(asked, tools), 'read', opened => unjudgedDocs(opened, run, judgement))
  return unjudgedLines(kinds, referenceTo(run, asked, tools), tools.terminal.paint.err)
}

const isFinished = (outcome: EvalOutcome, stages: ShownStages): boolean =>
  isSettled({ ...outcome.counts, pending: pendingOf(outcome, stages) }) &&
  (!stages.judge || outcome.judgement?.finishedAt !== undefined)

/** Counts pending requests. With `--input-only` they do not count as missing. */
const pendingOf = ({ counts }: EvalOutcome, { model, judge }: ShownStages): number =>
  model || judge ? counts.pending : 0

async function print(
  outcome: EvalOutcome,
  asked: DisplayedWork,
  { folder, tools }: { folder: string | undefined; tools: Tools },
): Promise<void> {
  const { terminal } = tools
  const { run, judgement, failures, changes } = outcome
  const paint = terminal.paint.out
  const flag = storeFlag(asked.store, tools.env)
  if (changes !== undefined)
    terminal.print([
      ...rescoring(
        changes,
        { run: run.name, storeFlag: flag, elapsedMs: outcome.elapsedMs, asked: outcome.asked },
        paint,
      ),
      '',
    ])
  const aggregates = judgement?.aggregates
  if (aggregates === undefined) terminal.print(run.name)
  else terminal.print(indented(within => resultTable(aggregates, failedDocs(failures), within, shownNames(run)), paint))
  if (asked.flags.quiet === true) return
  const sealed = join(asked.store, 'runs', run.name)
  const where = folder ?? (existsSync(sealed) ? sealed : undefined)
  const speed = outcome.figures === undefined ? [] : throughputLines(outcome.figures)
  terminal.print([
    '',
    ...speed.map(line => `  ${line}`),
    `  ${finishLine(outcome, where === undefined ? undefined : shownPath(where))}`,
  ])
  const isLeft = judgement === undefined || outcome.batches !== undefined
  const next = isLeft ? [stepAfter(outcome) + flag] : await nextSteps(outcome, asked, tools)
  terminal.print(nextLines(next, paint).map(line => `  ${line}`))
}

const stepAfter = ({ run, counts }: EvalOutcome): string =>
  counts.pending > 0 ? `pipeline resume ${run.name}` : `pipeline judge ${run.name}`

async function nextSteps(outcome: EvalOutcome, asked: DisplayedWork, tools: Tools): Promise<readonly string[]> {
  const canCompare = await withOpenStore(placeOf(asked, tools), 'read', canCompareLast)
  return hints({
    run: outcome.run.name,
    storeFlag: storeFlag(asked.store, tools.env),
    look: worthALook(outcome),
    canCompare,
    ...(asked.variant === undefined || !hasScores(outcome.judgement) ? {} : { variant: asked.variant }),
  })
}

function worthALook({ judgement, failures, unjudged: number }: EvalOutcome): SampleKind {
  const whole = judgement?.aggregates?.filter(({ group }) => group === undefined) ?? []
  if (failures.length + number > 0) return 'failed'
  if (whole.some(({ unparsed }) => unparsed > 0)) return 'unparsed'
  if (whole.some(({ empty }) => empty > 0)) return 'empty'
  const isPerfect = whole.every(({ value, higherIsBetter }) => value === (higherIsBetter ? 1 : 0))
  return isPerfect ? 'all' : 'wrong'
}
