import { readFile } from 'node:fs/promises'
import { Argument, type Command } from 'commander'
import { PipelineError, messageOf } from '../../../base/errors/errors.js'
import { labelValues, type LabelValue, type StoredLabel } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { authorName } from '../../labels/author.js'
import { currentLabels, readSampleLabels, labelsOfRun } from '../../../cache/facts/current-labels.js'
import { exportedJson, exportedLabels, labelsCsv } from '../../labels/export-labels.js'
import { labelsIn } from '../../labels/import-labels.js'
import { calibrateJudge } from '../../reading/calibration/calibrate-judge.js'
import { readLabelRows } from '../../reading/calibration/read-label-rows.js'
import { formatCalibration } from '../../present/text/calibration-lines.js'
import { labelJson } from '../../labels/label-json.js'
import { findSample, labelSample } from '../../labels/labelled-sample.js'
import { labelTable } from '../../labels/label-table.js'
import { formatQuantity } from '../../../base/text/numbers.js'
import { makeWordReader } from '../../config/values/option-values.js'
import type { DefineCommand, Tools } from '../command.js'
import { addSubcommand, type OutputFlags } from '../flags/evaluation-options.js'
import { openRun, locateStore, withOpenStore } from '../open-run.js'

type LabelsFlags = OutputFlags & { readonly store?: string; readonly run?: string }
type AuthorFlags = LabelsFlags & { readonly author?: string; readonly note?: string }
type ExportFlags = LabelsFlags & { readonly csv?: boolean; readonly history?: boolean }

const help = `
Examples:
  pipeline labels add last mytask/17 wrong --note "The target is in feet, the answer in metres."
  pipeline labels list --run last
  pipeline labels remove last mytask/17
  pipeline labels export > labels.jsonl
  pipeline labels import labels.jsonl
  pipeline labels calibrate last

A label belongs to the doc and the answers to it. It shows in every run and judgement with the same answers.`

const ofRun = 'only labels of answers in this run: name, end of its id, or last'
const ofAuthor = 'who says so ($PIPELINE_AUTHOR, else git config user.name, else the login name)'

/** Defines `pipeline labels`. */
export const defineLabels: DefineCommand = (command, tools) => {
  const subcommand = (name: string, summary: string): Command => addSubcommand(command, { name, summary, help })
  command.addHelpText('after', help)
  subcommand('list', 'list the current labels')
    .option('--run <run>', ofRun)
    .action((flags: LabelsFlags) => list(flags, tools))
  subcommand('add', 'label an answer as right, wrong or unclear')
    .argument('<run>', 'name, end of its id, or last')
    .argument('<doc>', 'TASK/DOC, with the id of the doc')
    .addArgument(
      // Lines are completed by the choices. The reader words the error.
      new Argument('<label>', labelValues.join(', '))
        .choices(labelValues)
        .argParser(makeWordReader('labels add', labelValues)),
    )
    .option('--note <text>', 'why; at most 10,000 characters')
    .option('--author <name>', ofAuthor)
    .action((run: string, doc: string, label: LabelValue, flags: AuthorFlags) => add({ run, doc, label }, flags, tools))
  subcommand('remove', 'remove your label of an answer')
    .argument('<run>', 'name, end of its id, or last')
    .argument('<doc>', 'TASK/DOC, with the id of the doc')
    .option('--author <name>', ofAuthor)
    .action((run: string, doc: string, flags: AuthorFlags) => add({ run, doc, label: null }, flags, tools))
  subcommand('export', 'print labels with target, answer and score, as JSON lines')
    .option('--run <run>', ofRun)
    .option('--csv', 'print a row for each label (CSV), which cannot be imported')
    .option('--history', 'also labels that were replaced or taken back')
    .action((flags: ExportFlags) => exportAll(flags, tools))
  subcommand('calibrate', 'measure how far the judge agrees with people, and combine both in one score')
    .argument('<run>', 'name, end of its id, or last; NAME@1 for its first judgement')
    .option('--labels <file>', 'labels of a file (JSON lines or CSV with doc_id and label) in place of the stored ones')
    .action((run: string, flags: LabelsFlags & { readonly labels?: string }) => calibrate(run, flags, tools))
  subcommand('import', 'import labels of another store, as export prints them')
    .argument('<file>', 'a file of JSON lines')
    .action((file: string, flags: LabelsFlags) => importFile(file, flags, tools))
}

async function list(flags: LabelsFlags, tools: Tools): Promise<void> {
  const labels = await withOpenStore(locateStore(flags, tools), 'read', store => listLabels(store, flags.run))
  if (flags.json === true) tools.terminal.printData(JSON.stringify(labels.map(labelJson), undefined, 2))
  else tools.terminal.print(labelTable(labels, tools.terminal.paint.out))
}

async function listLabels(store: Store, reference: string | undefined): Promise<readonly StoredLabel[]> {
  if (reference !== undefined) {
    const { run, judgement } = await openRun(store, reference)
    return [...(await labelsOfRun(store, run, judgement)).values()].flat()
  }
  const history = new Map<string, StoredLabel[]>()
  for await (const label of store.labels.list()) {
    const name = `${label.record} ${label.answers}`
    history.set(name, [...(history.get(name) ?? []), label])
  }
  return [...history.values()].flatMap(currentLabels).sort((a, b) => a.at - b.at || a.id - b.id)
}

async function add(
  { run: reference, doc, label }: { readonly run: string; readonly doc: string; readonly label: LabelValue | null },
  flags: AuthorFlags,
  { terminal, ...tools }: Tools,
): Promise<void> {
  const author = flags.author ?? (await authorName(tools.env))
  const stored = await withOpenStore(locateStore(flags, { terminal, ...tools }), 'change', async store => {
    const opened = await openRun(store, reference)
    const sample = await findSample(store, opened, doc)
    if (label === null && !(await readSampleLabels(store, sample)).some(sampleLabel => sampleLabel.author === author))
      throw new PipelineError('usage', `${author} has no label of ${doc} in run ${opened.run.name}`)
    return labelSample(store, opened.run, sample, { label, note: flags.note ?? '', author })
  })
  if (flags.json === true) terminal.printData(JSON.stringify(labelJson(stored), undefined, 2))
  else if (flags.quiet !== true)
    terminal.print(
      label === null
        ? `${author} takes the label of ${doc} back`
        : `${author} says that the answer of ${doc} is ${label}`,
    )
}

async function exportAll(flags: ExportFlags, tools: Tools): Promise<void> {
  if (flags.csv === true && flags.json === true)
    throw new PipelineError('usage', '--csv and --json: one format can be given (JSON lines without a flag)')
  await withOpenStore(locateStore(flags, tools), 'read', async store => {
    const run = flags.run === undefined ? {} : { run: await openRun(store, flags.run) }
    const labels = exportedLabels(store, { ...run, history: flags.history === true })
    if (flags.csv === true) for await (const part of labelsCsv(labels)) tools.terminal.printPart(part)
    else for await (const label of labels) tools.terminal.printData(JSON.stringify(exportedJson(label)))
  })
}

async function calibrate(
  reference: string,
  flags: LabelsFlags & { readonly labels?: string },
  tools: Tools,
): Promise<void> {
  const { labels: file } = flags
  const rows = file === undefined ? undefined : await readLabelRows(await readLabelFile(file), file)
  const calibration = await withOpenStore(locateStore(flags, tools), 'read', async store =>
    calibrateJudge(store, await openRun(store, reference), rows),
  )
  if (flags.json === true) tools.terminal.printData(JSON.stringify({ format: 1, ...calibration }, undefined, 2))
  else tools.terminal.print(formatCalibration(calibration, tools.terminal.paint.out))
}

async function importFile(file: string, flags: LabelsFlags, tools: Tools): Promise<void> {
  const labels = labelsIn(await readLabelFile(file), file)
  const added = await withOpenStore(locateStore(flags, tools), 'change', store => store.labels.merge(labels))
  const present = labels.length - added
  if (flags.json === true) tools.terminal.printData(JSON.stringify({ added, present }))
  else if (flags.quiet !== true) tools.terminal.print(`${formatQuantity(added, 'label')} added, ${present} were here`)
}

async function readLabelFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    throw new PipelineError('usage', `${file}: ${messageOf(error)}`, { cause: error })
  }
}
