import { unjudgedLines } from '../../../present/text/results/unjudged-lines.js'
import { PipelineError } from '../../../../base/errors/errors.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { canonicalDump } from '../../../../cache/canonical-dump.js'
import type { Run } from '../../../../cache/records.js'
import type { Store } from '../../../../cache/store.js'
import { allBackends } from '../../../../stages/model/built-in-backends.js'
import { exportFormats, writeLogs, type ExportFormat } from '../../../exchange/write/write-logs.js'
import { assessRun, readConditions, type Assessment } from '../../../reading/gates/assess-run.js'
import { hasFailedGate } from '../../../reading/gates/check-gates.js'
import { incompleteRun } from '../../../present/text/results/incomplete-run.js'
import { stoppedRun } from '../../../reading/runs/stopped-run.js'
import { runHeader, tasksLine } from '../../../present/text/results/run-header.js'
import { resultLines } from '../../../present/text/results/result-lines.js'
import { resultsJson, type Results } from '../../../present/json/results-json.js'
import { formattedReport, withScores, type FileFormat } from '../../../present/files/report-formats.js'
import type { ReportedRun, ReportedScores } from '../../../present/files/reported-run.js'
import { columnsByRun } from '../../../present/files/table-columns.js'
import { runsTable } from '../../../present/files/runs-table.js'
import { indentLines } from '../../../present/text/layout/table.js'
import { throughputJson } from '../../../present/json/throughput-json.js'
import { servedLines, throughputLines } from '../../../present/text/throughput/throughput-lines.js'
import { throughputTable } from '../../../present/text/throughput/throughput-table.js'
import { unjudgedDocs } from '../../../reading/samples/unjudged-docs.js'
import { modelPrice } from '../../../cost/model-price.js'
import { runStats } from '../../../reading/runs/run-stats.js'
import type { DefineCommand, Tools } from '../../command.js'
import { withOutput, withResultFiles, withStore, type OutputFlags } from '../../flags/evaluation-options.js'
import { makeWordReader } from '../../../config/values/option-values.js'
import { chosenFormat, withFileFormats, type FormatFlags } from '../../flags/file-format.js'
import { checkHtmlFile, writeHtml } from '../../flags/html-report.js'
import { openRun, locateStore, withOpenStore, type OpenedRun } from '../../open-run.js'
import { makeResultFolder, writeResultFiles } from '../../result-files.js'
import { compareHints } from '../../flags/compare-hints.js'
import { printMatrix } from './report-matrix.js'
import { asksForSamples, printSamples, withSampleFlags, type SampleFlags } from './report-samples.js'
import { exitCode, type ExitCode } from '../../exit-code.js'
import { storeFlag } from '../../flags/store-flag.js'

interface ReportFlags extends OutputFlags, FormatFlags, SampleFlags {
  readonly store?: string
  readonly dump?: boolean
  readonly throughput?: boolean
  readonly matrix?: boolean
  readonly prices?: string
  readonly format?: ExportFormat
}

interface ReportWork {
  readonly flags: ReportFlags
  readonly tools: Tools
  readonly end: (code: ExitCode) => void
}

const help = `
Examples:
  pipeline report last
  pipeline report last~1 last
  pipeline report --matrix
  pipeline report last --samples wrong --limit 5
  pipeline report last --samples 12 --json
  pipeline report last --samples wrong --where subject=Art --score 'acc<1' --answer 'I (cannot|am unable)'
  pipeline report last --samples flipped --against last~1
  pipeline report calm-heron-19c2@1 --json
  pipeline report last --throughput
  pipeline report last --junit > junit.xml
  pipeline report last --baseline last~1 --gate 'mmmu_val.acc >= baseline - 0.01'
  pipeline report last~1 last --latex > table.tex
  pipeline report last --html report.html
  pipeline report last --output-path results --log-samples
  pipeline report last --format inspect --output-path logs
  pipeline report last --dump | sha256sum`

/** Defines `pipeline report`. */
export const defineReport: DefineCommand = (command, tools, end) =>
  void withSampleFlags(withFileFormats(withResultFiles(withOutput(withStore(command)))))
    .argument('[run...]', 'name, end of its id, or last; NAME@1 for its first judgement; none with --matrix: all runs')
    .option(
      '--throughput',
      'how fast the model was: totals, single requests, and a plot over time; see docs/throughput.md',
    )
    .option(
      '--matrix',
      'models × tasks: a column for each model, with the scores of all of its runs; also as --csv, --md, --latex and --json',
    )
    .option('--prices <file>', 'prices of tokens, over those that come with the program (YAML)')
    .option(
      '--format <tool>',
      `with --output-path: write the run for another tool: ${exportFormats.join(', ')}`,
      makeWordReader('--format', exportFormats),
    )
    .option('--dump', 'print keys, answers, scores and aggregates as lines that are equal for equal results')
    .addHelpText('after', help)
    .action((references: readonly string[], flags: ReportFlags) =>
      withOpenStore(locateStore(flags, tools), 'read', async store => {
        await checkHtmlFile(flags, store.location)
        const format = chosenFormat(flags)
        if (flags.matrix === true)
          return printMatrix(store, await scoredRuns(store, references, tools), { flags, tools })
        if (references.length === 0)
          throw new PipelineError('usage', 'name a run, such as `last`; `--matrix` alone shows the models of all runs')
        if (flags.html !== undefined) {
          await writeHtml(store, await openEach(store, references), flags, tools)
          if (!printsToo(flags)) return
        }
        if (format !== undefined) return printFormat(store, references, format, { flags, tools, end })
        if (references.length > 1 && isTable(flags)) return printRuns(store, references, tools)
        const opened = await openRun(store, onlyOne(references))
        if (flags.format !== undefined) return printLogs(store, opened, { format: flags.format, flags, tools })
        if (flags.dump === true)
          for await (const line of canonicalDump(store, opened.run, opened.judgement)) tools.terminal.printData(line)
        else if (asksForSamples(flags)) await printSamples(store, opened, { flags, tools })
        else await printReport(store, opened, { flags, tools, end })
      }),
    )

/** Returns whether something is to be printed or written beside the report in one file. */
const printsToo = (flags: ReportFlags): boolean =>
  asksForSamples(flags) || [flags.json, flags.dump, flags.throughput, flags.outputPath].some(flag => flag !== undefined)

/** Tells whether the flags request a plain table, which may show several runs. */
const isTable = (flags: ReportFlags): boolean => !printsToo(flags) && flags.format === undefined

async function printLogs(
  store: Store,
  opened: OpenedRun,
  { format, flags, tools }: { readonly format: ExportFormat; readonly flags: ReportFlags; readonly tools: Tools },
): Promise<void> {
  const folder = flags.outputPath
  if (folder === undefined) throw new PipelineError('usage', `--format ${format}: give --output-path DIR, too`)
  makeResultFolder(folder, store.location)
  for (const file of await writeLogs(format, store, opened, folder))
    if (flags.quiet !== true) tools.terminal.tell(`written: ${shownPath(file)}`)
}

async function openEach(store: Store, references: readonly string[]): Promise<readonly OpenedRun[]> {
  const runs: OpenedRun[] = []
  for (const reference of references) runs.push(await openRun(store, reference))
  return runs
}

function onlyOne([reference = '', ...others]: readonly string[]): string {
  if (others.length === 0) return reference
  throw new PipelineError('usage', [
    `${others.length + 1} runs are given, and these flags are of one.`,
    '  A table of several runs:       no flag, --csv, --md or --latex',
    '  A page of several runs:        --html FILE',
    '  Whether one of two is better:  pipeline compare RUN-A RUN-B',
  ])
}

async function printFormat(
  store: Store,
  references: readonly string[],
  format: FileFormat,
  { flags, tools, end }: ReportWork,
): Promise<void> {
  const { terminal, env } = tools
  const runs = await Promise.all(
    (await reportedRuns(store, references)).map(async reported => ({
      ...reported,
      assessment: await assess(store, reported, flags, tools),
    })),
  )
  if (runs.some(({ assessment }) => hasFailedGate(assessment?.gates ?? []))) end(exitCode({ isGateFailed: true }))
  for await (const part of formattedReport(format, runs, judgeLine(store, env))) terminal.printPart(part)
}

async function printRuns(store: Store, references: readonly string[], tools: Tools): Promise<void> {
  const { terminal } = tools
  terminal.print(await runsTable(columnsByRun(await scoredRuns(store, references, tools)), terminal.paint.out))
}

/** @throws PipelineError if a run has no results */
const scoredRuns = async (
  store: Store,
  references: readonly string[],
  { env }: Tools,
): Promise<readonly ReportedScores[]> =>
  (await reportedRuns(store, references)).map(reported => withScores(reported, judgeLine(store, env)))

/** The command that scores a run. */
const judgeLine =
  ({ location }: Store, env: Tools['env']) =>
  ({ name }: Run): string =>
    `pipeline judge ${name}${storeFlag(location, env)}`

async function reportedRuns(store: Store, references: readonly string[]): Promise<readonly ReportedRun[]> {
  const runs: ReportedRun[] = []
  for (const opened of await openEach(store, references))
    runs.push({ store, ...opened, failures: await store.requests.failures(opened.run) })
  return runs
}

/** Tells whether the backend of a run has an argument for streaming. */
async function canStream({ asked }: Run): Promise<boolean> {
  const backends = await allBackends()
  return backends.some(({ id, args }) => id === asked.model.backend && 'stream' in args)
}

async function printReport(
  store: Store,
  { run, judgement }: OpenedRun,
  { flags, tools, end }: ReportWork,
): Promise<void> {
  const { terminal } = tools
  const paint = terminal.paint.out
  const assessment = await assess(store, { run, ...(judgement && { judgement }) }, flags, tools)
  if (hasFailedGate(assessment?.gates ?? [])) end(exitCode({ isGateFailed: true }))
  const reference = `${run.name}${storeFlag(store.location, tools.env)}`
  const [counts, failures] = [await store.runs.counts(run), await store.requests.failures(run)]
  const figures = await runStats(store, run, { price: await modelPrice(run, flags.prices), counts })
  const results: Results = { run, counts, failures, ...(judgement && { judgement }), figures, assessment }
  if (flags.throughput === true && flags.json === true) {
    terminal.printData(JSON.stringify(throughputJson(figures), undefined, 2))
    return
  }
  if (flags.outputPath !== undefined) {
    makeResultFolder(flags.outputPath, store.location)
    const folder = await writeResultFiles(flags.outputPath, results, flags.logSamples === true ? store : undefined)
    if (flags.quiet !== true) terminal.tell(`written to ${folder}`)
  }
  if (flags.json === true) {
    terminal.printData(JSON.stringify(resultsJson(results), undefined, 2))
    return
  }
  if (flags.quiet !== true) {
    const about = {
      store: store.location,
      version: run.provenance.version,
      state: judgement === undefined ? 'not judged' : `judgement @${judgement.number}`,
    }
    const docs = run.asked.tasks.map(({ name }, index) => [name, counts.docsByTask[index] ?? 0] as const)
    terminal.print([...runHeader(run, about, paint), tasksLine(run.asked.tasks, new Map(docs), paint), ''])
  }
  if (flags.throughput === true) {
    const about = { canStream: await canStream(run) }
    terminal.print(indentLines(within => throughputTable(figures, within, about), paint))
    return
  }
  terminal.print(resultLines(results, `not judged yet:  pipeline judge ${reference}`, paint))
  const speed = flags.quiet === true ? [] : [...throughputLines(figures), ...servedLines(figures)]
  if (speed.length > 0) terminal.print(['', ...speed.map(line => `  ${line}`)])
  const session = await stoppedRun(store, run, { counts, judgements: await store.judgements.list(run) })
  terminal.print(incompleteRun(reference, { run, counts, failures, session }, paint))
  if (judgement !== undefined)
    terminal.print(unjudgedLines(await unjudgedDocs(store, run, judgement), reference, paint))
}

/** Compares the run with the baseline and checks gates, if requested. */
async function assess(
  store: Store,
  { run, judgement }: Pick<ReportedRun, 'run' | 'judgement'>,
  flags: ReportFlags,
  tools: Tools,
): Promise<Assessment | undefined> {
  const conditions = await readConditions(flags, work => work(store))
  if (conditions.baseline === undefined && conditions.gates.length === 0) return undefined
  if (judgement?.aggregates === undefined)
    throw new PipelineError('usage', `run ${run.name} is not judged yet. Score it: ${judgeLine(store, tools.env)(run)}`)
  return assessRun(store, { run, judgement }, conditions, compareHints(store.location, tools))
}
