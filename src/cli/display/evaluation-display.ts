import { unjudgedLines } from '../../present/text/results/unjudged-lines.js'
import { existsSync } from 'node:fs'
import { findWorkFolder, sealFolder } from '../../../cache/location.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { spellReferences, storedText } from '../../../base/errors/option-words.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { buildInfo } from '../../../cache/code/build-info.js'
import type { Run } from '../../../cache/records.js'
import { isSettled } from '../../../cache/facts/run-state.js'
import { cellLine, finishLine, nextLines } from '../../present/text/results/finish-lines.js'
import { checkGates, hasFailedGate, refuseUnknownTasks } from '../../reading/gates/check-gates.js'
import { assessRun, readConditions, type Assessment, type Conditions } from '../../reading/gates/assess-run.js'
import { incompleteRun, interruptedLine } from '../../present/text/results/incomplete-run.js'
import { rescoringLines } from '../../present/text/comparing/rescoring.js'
import { resultLines } from '../../present/text/results/result-lines.js'
import { resultsJson, type Results } from '../../present/json/results-json.js'
import { throughputLines } from '../../present/text/throughput/throughput-lines.js'
import { unjudgedDocs } from '../../reading/samples/unjudged-docs.js'
import { modelPrice } from '../../cost/model-price.js'
import { runStats } from '../../reading/runs/run-stats.js'
import type { EvalOutcome, Hooks } from '../../config/settings.js'
import type { Tools } from '../command.js'
import { commandLine } from '../command-line-words.js'
import { exitCode, type ExitCode } from '../exit-code.js'
import { boundHeapGrowth } from '../this-process/heap-growth.js'
import { checkHtmlFile, writeHtml } from '../flags/html-report.js'
import { listenForInterruption, type Interruption } from '../this-process/interruption.js'
import { openRun, withOpenStore } from '../open-run.js'
import { LiveProgress, quietProgress } from './progress.js'
import type { ShownStages } from './progress-lines.js'
import { makeResultFolder, writeResultFiles } from '../result-files.js'
import { compareHints } from '../flags/compare-hints.js'
import { storeFlag } from '../flags/store-flag.js'
import { sendTracked } from '../flags/tracking.js'
import { refuseStoreFolders } from '../../tracking/destinations.js'
import { checkWebhook, tellWebhook } from '../flags/webhook.js'
import { type DisplayedWork, locateAskedStore, referenceTo } from './displayed-work.js'
import { stepAfter, suggestNextSteps, type NextSteps } from './next-steps.js'

/** Runs the work with progress and signal handling, and prints its outcome. */
export async function runWithDisplay(display: DisplayedWork, tools: Tools): Promise<ExitCode> {
  const { terminal, clock } = tools
  if (display.flags.outputPath !== undefined) makeResultFolder(display.flags.outputPath, display.store)
  await checkHtmlFile(display.flags, display.store)
  refuseStoreFolders(display.tracking?.destinations ?? [], display.store)
  checkWebhook(display.flags.webhook, terminal)
  const conditions = await readConditions(display.flags, work =>
    withOpenStore(locateAskedStore(display, tools), 'read', work),
  )
  // Without requests the heap stays small, and speed matters more.
  if (display.stages.model) boundHeapGrowth()
  const progress =
    display.flags.quiet === true ? quietProgress(terminal) : new LiveProgress(terminal, clock, display.stages)
  const interruption = listenForInterruption(
    line => progress.ending(line),
    () => progress.inFlight(),
    tools.leave,
  )
  let started: Run | undefined
  const hooks: Hooks = {
    emit: progress.emit,
    drain: interruption.drain,
    stop: interruption.stop,
    onRun(run, isNew, counts) {
      refuseUnknownTasks(conditions.gates, run)
      started = run
      progress.start(run, { store: shownPath(display.store), version: buildInfo().version, isNew, counts })
    },
  }
  try {
    const outcome = await display.work(hooks)
    progress.finish(outcome)
    return await show(outcome, display, { conditions, interruption, tools })
  } catch (error) {
    progress.finish()
    if (!interruption.drain.aborted || error instanceof PipelineError) throw error
    if (started === undefined) return showNotBegun(error, tools)
    return await showStopped(started, display, { signals: interruption, tools })
  } finally {
    interruption.release()
  }
}

/** Reports an error that occurred before the run was known, such as an interrupted download. */
function showNotBegun(error: unknown, { terminal }: Tools): ExitCode {
  if (!(error instanceof Error) || error.name !== 'AbortError') throw error
  terminal.tell('interrupted before the run began. What was downloaded is kept: the same command continues from there.')
  return exitCode({ isInterrupted: true })
}

async function showStopped(
  run: Run,
  display: DisplayedWork,
  { signals, tools }: { readonly signals: Interruption; readonly tools: Tools },
): Promise<ExitCode> {
  const reference = referenceTo(run, display, tools)
  const counts = await withOpenStore(locateAskedStore(display, tools, signals), 'read', opened =>
    opened.runs.counts(run),
  ).catch((error: unknown) => {
    if (error instanceof Error && error.name === 'AbortError') return undefined
    throw error
  })
  tools.terminal.tell(
    counts === undefined
      ? `interrupted while another process kept the store locked. Everything that was stored is kept: pipeline resume ${reference}`
      : interruptedLine(reference, counts),
  )
  return exitCode({ isInterrupted: true })
}

async function show(
  outcome: EvalOutcome,
  display: DisplayedWork,
  { conditions, interruption, tools }: { conditions: Conditions; interruption: Interruption; tools: Tools },
): Promise<ExitCode> {
  const { terminal } = tools
  const { run, counts, failures, judgement } = outcome
  const pending = countPending(outcome, display.stages)
  // If the run was already complete, the signal interrupted nothing.
  const isInterrupted = interruption.drain.aborted && !isFinished(outcome, display.stages)
  const figures = await readStats(outcome, display, tools)
  const assessment = isInterrupted ? undefined : await assess(outcome, { asked: display, conditions }, tools)
  const results: Results = {
    run,
    counts,
    failures,
    ...(judgement && { judgement }),
    ...(figures && { figures }),
    ...(assessment && { assessment }),
    session: outcome,
  }
  const { outputPath, logSamples } = display.flags
  const folder =
    outputPath === undefined || isInterrupted
      ? undefined
      : await withOpenStore(locateAskedStore(display, tools, interruption), 'read', store =>
          writeResultFiles(outputPath, results, logSamples === true ? store : undefined),
        )
  if (display.flags.json === true) terminal.printData(JSON.stringify(resultsJson(results), undefined, 2))
  else if (!isInterrupted) await print(outcome, display, { assessment, folder, tools })
  if (!isInterrupted && display.flags.html !== undefined)
    await withOpenStore(locateAskedStore(display, tools, interruption), 'read', async store =>
      writeHtml(store, [await openRun(store, run.id)], display.flags, tools),
    )
  const { tracking } = display
  if (!isInterrupted && tracking !== undefined && tracking.destinations.length > 0)
    await withOpenStore(locateAskedStore(display, tools, interruption), 'read', async store =>
      sendTracked(store, await openRun(store, run.id), tracking, {
        tools,
        flags: display.flags,
        signal: AbortSignal.any([interruption.drain, interruption.stop]),
      }),
    )
  const reference = referenceTo(run, display, tools)
  if (isInterrupted) terminal.tell(interruptedLine(reference, counts, outcome.batches))
  else {
    const missing = [
      ...incompleteRun(
        reference,
        { run, counts: { ...counts, pending }, batches: outcome.batches, ...inFlags(outcome) },
        terminal.paint.err,
      ),
      ...(await describeUnjudged(outcome, display, tools)),
    ]
    terminal.tell(missing.length === 0 ? [] : ['', ...missing])
  }
  const code = exitCode({
    isInterrupted,
    failed: failures.length,
    pending: pending + (counts.inputFinished ? 0 : 1),
    unjudged: outcome.unjudged,
    isGateFailed: hasFailedGate(assessment?.gates ?? []),
  })
  const { webhook } = display.flags
  if (webhook !== undefined) await tellWebhook(webhook, { results, code }, { terminal, signal: interruption.stop })
  return code
}

/**
 * Compares the run with the baseline and checks gates, if requested. A run without scores passes no gate. If the comparison fails, the scores are
 * still shown, with the reason below them, and gates that need the baseline fail.
 */
async function assess(
  { run, judgement }: EvalOutcome,
  { asked, conditions }: { readonly asked: DisplayedWork; readonly conditions: Conditions },
  tools: Tools,
): Promise<Assessment | undefined> {
  if (conditions.baseline === undefined && conditions.gates.length === 0) return undefined
  if (judgement?.aggregates === undefined) return { gates: checkGates(conditions.gates, [], undefined) }
  try {
    return await withOpenStore(locateAskedStore(asked, tools), 'read', store =>
      assessRun(store, { run, judgement }, conditions, compareHints(store.location, tools)),
    )
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error
    const baseline = {
      label: asked.flags.baseline ?? '',
      rows: [],
      notes: error.said.map(text => spellReferences(text, commandLine)),
    }
    return { baseline, gates: checkGates(conditions.gates, judgement.aggregates, baseline) }
  }
}

/** Spells the limit that stopped the work as a flag, also in the failures that were stored for it. */
function inFlags({ failures, stopped }: EvalOutcome): Pick<EvalOutcome, 'failures' | 'stopped'> {
  if (stopped === undefined) return { failures }
  const [stored, message] = [storedText(stopped.message), spellReferences(stopped.message, commandLine)]
  const spelledFailures = failures.map(item =>
    item.failure.message === stored ? { ...item, failure: { ...item.failure, message } } : item,
  )
  return { failures: spelledFailures, stopped: { ...stopped, message } }
}

/** Returns the stats to show. If the model stage did not run, only JSON output contains them. */
async function readStats({ run, figures }: EvalOutcome, display: DisplayedWork, tools: Tools) {
  const { stages, flags } = display
  if (figures !== undefined || !stages.judge || (flags.json !== true && flags.outputPath === undefined)) return figures
  return withOpenStore(locateAskedStore(display, tools), 'read', async opened =>
    runStats(opened, run, { price: await modelPrice(run) }),
  )
}

async function describeUnjudged(
  { run, judgement, unjudged: number }: EvalOutcome,
  display: DisplayedWork,
  tools: Tools,
): Promise<readonly string[]> {
  if (judgement === undefined || number === 0) return []
  const kinds = await withOpenStore(locateAskedStore(display, tools), 'read', opened =>
    unjudgedDocs(opened, run, judgement),
  )
  return unjudgedLines(kinds, referenceTo(run, display, tools), tools.terminal.paint.err)
}

const isFinished = (outcome: EvalOutcome, stages: ShownStages): boolean =>
  isSettled({ ...outcome.counts, pending: countPending(outcome, stages) }) &&
  (!stages.judge || outcome.judgement?.finishedAt !== undefined)

/** Counts pending requests. With `--input-only` they do not count as missing. */
const countPending = ({ counts }: EvalOutcome, { model, judge }: ShownStages): number =>
  model || judge ? counts.pending : 0

async function print(
  outcome: EvalOutcome,
  display: DisplayedWork,
  { assessment, folder, tools }: { assessment: Assessment | undefined; folder: string | undefined; tools: Tools },
): Promise<void> {
  const { terminal } = tools
  const { run, judgement, failures, changes } = outcome
  const paint = terminal.paint.out
  const flag = storeFlag(display.store, tools.env)
  const isLeft = judgement === undefined || outcome.batches !== undefined
  if (display.cell !== undefined && assessment === undefined && !isLeft) {
    if (display.flags.quiet !== true)
      terminal.print(cellLine(display.cell, outcome, folder === undefined ? undefined : shownPath(folder)))
    return
  }
  if (changes !== undefined)
    terminal.print([
      ...rescoringLines(
        changes,
        { run: run.name, storeFlag: flag, elapsedMs: outcome.elapsedMs, asked: outcome.asked },
        paint,
      ),
      '',
    ])
  terminal.print(resultLines({ run, failures, assessment, ...(judgement && { judgement }) }, run.name, paint))
  if (display.flags.quiet === true) return
  const sealed = sealFolder({ workFolder: findWorkFolder(display.store) }, run)
  const where = folder ?? (existsSync(sealed) ? sealed : undefined)
  const speed = outcome.figures === undefined ? [] : throughputLines(outcome.figures)
  terminal.print([
    '',
    ...speed.map(line => `  ${line}`),
    `  ${finishLine(outcome, where === undefined ? undefined : shownPath(where))}`,
  ])
  const next: NextSteps = isLeft
    ? { commands: [stepAfter(outcome) + flag] }
    : await suggestNextSteps(outcome, display, tools)
  const notes = next.note === undefined ? [] : [`${paint.dim('note:')}  ${next.note}`]
  terminal.print([...notes, ...nextLines(next.commands, paint)].map(line => `  ${line}`))
}
