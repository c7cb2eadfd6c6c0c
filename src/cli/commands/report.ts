import { PipelineError } from '../../../base/errors/errors.js'
import { shownPath } from '../../../base/files/shown-path.js'
import { canonicalDump } from '../../../cache/canonical-dump.js'
import type { Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { allBackends } from '../../../stages/model/registry.js'
import { exportFormats, writeLogs, type ExportFormat } from '../../exchange/write/write-logs.js'
import { failedDocs } from '../../report/samples/failed-docs.js'
import { incompleteRun } from '../../report/results/incomplete-run.js'
import { counted } from '../../report/layout/numbers.js'
import { runHeader, tasksLine } from '../../report/results/run-header.js'
import { resultTable, shownNames } from '../../report/results/result-table.js'
import { resultsJson, type Results } from '../../report/results/results-json.js'
import { sampleJson } from '../../report/samples/sample-json.js'
import { formattedReport, type FileFormat } from '../../report/formats/report-formats.js'
import { isOfKind, lowerIsBetter, sampleKinds, type SampleKind } from '../../report/samples/sample-kinds.js'
import { sampleView } from '../../report/samples/sample-view.js'
import { indented } from '../../report/layout/table.js'
import { throughputJson } from '../../report/throughput/throughput-json.js'
import { throughputLines } from '../../report/throughput/throughput-lines.js'
import { throughputTable } from '../../report/throughput/throughput-table.js'
import { unjudgedDocs, unjudgedLines } from '../../report/samples/unjudged-docs.js'
import { withRoundsOf } from '../../model/kept-conversations.js'
import { modelPrice } from '../../cost/model-price.js'
import { runStats } from '../../report/throughput/run-stats.js'
import type { DefineCommand, Tools } from '../command.js'
import { withOutput, withResultFiles, withStore, type OutputFlags } from '../flags/evaluation-options.js'
import { oneOf, wholeNumber } from '../../config/option-values.js'
import { chosenFormat, withFileFormats, type FormatFlags } from '../flags/file-format.js'
import { checkHtmlFile, writeHtml } from '../flags/html-report.js'
import { openRun, storePlace, withOpenStore, type OpenedRun } from '../open-run.js'
import { makeResultFolder, writeResultFiles } from '../result-files.js'
import { storeFlag } from '../flags/store-flag.js'

interface ReportFlags extends OutputFlags, FormatFlags {
  readonly store?: string
  readonly samples?: SampleKind
  readonly limit?: number
  readonly dump?: boolean
  readonly throughput?: boolean
  readonly prices?: string
  readonly format?: ExportFormat
}

const help = `
Examples:
  pipeline report last
  pipeline report last --samples wrong --limit 5
  pipeline report calm-heron-19c2@1 --json
  pipeline report last --throughput
  pipeline report last --junit > junit.xml
  pipeline report last~1 last --latex > table.tex
  pipeline report last --html report.html
  pipeline report last --output-path results --log-samples
  pipeline report last --format inspect --output-path logs
  pipeline report last --dump | sha256sum`

const anyLimit = { min: 1, also: [-1], expected: 'a whole number of docs, 1 or more, or -1 for all' }

export const defineReport: DefineCommand = (command, tools) =>
  void withFileFormats(withResultFiles(withOutput(withStore(command))))
    .argument('<run...>', 'name, end of its id, or last; NAME@1 for its first judgement')
    .option(
      '--samples <kind>',
      `show docs with prompt, answer, target and reading: ${sampleKinds.join(', ')}`,
      oneOf('--samples', sampleKinds),
    )
    .option('--limit <n>', 'with --samples: at most so many; -1 for all (20)', wholeNumber('--limit', anyLimit))
    .option(
      '--throughput',
      'how fast the model was: totals, single requests, and a plot over time; see docs/throughput.md',
    )
    .option('--prices <file>', 'prices of tokens, over those that come with the program (YAML)')
    .option(
      '--format <tool>',
      `with --output-path: write the run for another tool: ${exportFormats.join(', ')}`,
      oneOf('--format', exportFormats),
    )
    .option('--dump', 'print keys, answers, scores and aggregates as lines that are equal for equal results')
    .addHelpText('after', help)
    .action((references: readonly string[], flags: ReportFlags) =>
      withOpenStore(storePlace(flags, tools), 'read', async store => {
        await checkHtmlFile(flags)
        const format = chosenFormat(flags)
        if (flags.html !== undefined) {
          await writeHtml(store, await openEach(store, references), flags, tools)
          if (!printsToo(flags)) return
        }
        if (format !== undefined) return printFormat(store, references, format, tools)
        const opened = await openRun(store, onlyOne(references))
        if (flags.format !== undefined) return printLogs(store, opened, { format: flags.format, flags, tools })
        if (flags.dump === true)
          for await (const line of canonicalDump(store, opened.run, opened.judgement)) tools.terminal.printData(line)
        else if (flags.samples !== undefined) await printSamples(store, opened, { kind: flags.samples, flags, tools })
        else await printReport(store, opened, { flags, tools })
      }),
    )

/** Whether something is to be printed or written beside the report in one file. */
const printsToo = ({ json, samples, dump, throughput, outputPath }: ReportFlags): boolean =>
  [json, samples, dump, throughput, outputPath].some(flag => flag !== undefined)

async function printLogs(
  store: Store,
  opened: OpenedRun,
  { format, flags, tools }: { readonly format: ExportFormat; readonly flags: ReportFlags; readonly tools: Tools },
): Promise<void> {
  const folder = flags.outputPath
  if (folder === undefined) throw new PipelineError('usage', `--format ${format}: give --output-path DIR, too`)
  makeResultFolder(folder)
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
    `${others.length + 1} runs are given, and the report is of one.`,
    '  A table of several runs:       --csv, --md or --latex',
    '  A page of several runs:        --html FILE',
    '  Whether one of two is better:  pipeline compare RUN-A RUN-B',
  ])
}

async function printFormat(
  store: Store,
  references: readonly string[],
  format: FileFormat,
  { terminal, env }: Tools,
): Promise<void> {
  const runs = []
  for (const reference of references) {
    const opened = await openRun(store, reference)
    runs.push({ store, ...opened, failures: await store.requests.failures(opened.run) })
  }
  const flag = storeFlag(store.dir, env)
  for await (const part of formattedReport(format, runs, ({ name }) => `pipeline judge ${name}${flag}`))
    terminal.printPart(part)
}

/** Tells whether the model of a run has the argument that asks for answers piece by piece. */
async function canStream({ asked }: Run): Promise<boolean> {
  const backends = await allBackends()
  return backends.some(({ id, args }) => id === asked.model.backend && 'stream' in args)
}

async function printReport(
  store: Store,
  { run, judgement }: OpenedRun,
  { flags, tools }: { flags: ReportFlags; tools: Tools },
): Promise<void> {
  const { terminal } = tools
  const paint = terminal.paint.out
  const reference = `${run.name}${storeFlag(store.dir, tools.env)}`
  const [counts, failures] = [await store.runs.counts(run), await store.requests.failures(run)]
  const figures = await runStats(store, run, await modelPrice(run, flags.prices))
  const results: Results = { run, counts, failures, ...(judgement && { judgement }), figures }
  if (flags.throughput === true && flags.json === true) {
    terminal.printData(JSON.stringify(throughputJson(figures), undefined, 2))
    return
  }
  if (flags.outputPath !== undefined) {
    const folder = await writeResultFiles(flags.outputPath, results, flags.logSamples === true ? store : undefined)
    if (flags.quiet !== true) terminal.tell(`written to ${folder}`)
  }
  if (flags.json === true) {
    terminal.printData(JSON.stringify(resultsJson(results), undefined, 2))
    return
  }
  if (flags.quiet !== true) {
    const about = {
      store: store.dir,
      version: run.provenance.version,
      state: judgement === undefined ? 'not judged' : `judgement @${judgement.number}`,
    }
    const docs = run.asked.tasks.map(({ name }, index) => [name, counts.docsByTask[index] ?? 0] as const)
    terminal.print([...runHeader(run, about, paint), tasksLine(run.asked.tasks, new Map(docs), paint), ''])
  }
  if (flags.throughput === true) {
    const about = { canStream: await canStream(run) }
    terminal.print(indented(within => throughputTable(figures, within, about), paint))
    return
  }
  const aggregates = judgement?.aggregates
  if (aggregates === undefined) terminal.print(`not judged yet:  pipeline judge ${reference}`)
  else terminal.print(indented(within => resultTable(aggregates, failedDocs(failures), within, shownNames(run)), paint))
  const speed = flags.quiet === true ? [] : throughputLines(figures)
  if (speed.length > 0) terminal.print(['', ...speed.map(line => `  ${line}`)])
  terminal.print(incompleteRun(reference, { counts, failures }, paint))
  if (judgement !== undefined)
    terminal.print(unjudgedLines(await unjudgedDocs(store, run, judgement), reference, paint))
}

async function printSamples(
  store: Store,
  { run, judgement }: OpenedRun,
  { kind, flags, tools }: { kind: SampleKind; flags: ReportFlags; tools: Tools },
): Promise<void> {
  const { terminal } = tools
  const lower = lowerIsBetter(judgement?.aggregates ?? [])
  const limit = flags.limit === -1 ? Infinity : (flags.limit ?? 20)
  let found = 0
  for await (const sample of store.judgements.samples(run, judgement)) {
    if (!isOfKind(sample, kind, lower)) continue
    found += 1
    if (found > limit) continue
    const shown = await withRoundsOf(store, run, sample)
    if (flags.json === true) terminal.printData(JSON.stringify(sampleJson(run, shown)))
    else terminal.print(sampleView(run, shown, digest => store.media.path(digest), terminal.paint.out))
  }
  const rest = found > limit ? `, the first ${limit} shown   (--limit -1 for all)` : ''
  if (flags.quiet !== true) terminal.tell(`${counted(found, 'doc')} ${kind === 'all' ? 'in all' : kind}${rest}`)
}
