/** Exports labels together with the doc's target, the answer and the score. */
import { canonicalJson, type Json } from '../../base/values/canonical-json.js'
import type { LabelAddress, Run, StoredLabel } from '../../cache/records.js'
import type { OpenedRun, Sample, SampleItem, Store } from '../../cache/store.js'
import { isAuxiliary } from '../reading/runs/is-auxiliary.js'
import { openRun } from '../reading/runs/run-reference.js'
import { csvLine } from '../present/files/csv.js'
import { currentLabels } from '../../cache/facts/current-labels.js'
import { labelJson } from './label-json.js'
import { samplesAt } from './labelled-sample.js'

export interface ExportQuery {
  /** Exports only labels of answers in this run, with the scores of its judgement. @default all runs of the store */
  readonly run?: OpenedRun
  /** Exports the whole history: also labels that were replaced or taken back. @default false */
  readonly history?: boolean
}

/** A label, and the sample that it is about. The sample is missing if no run of the store has the answers any more. */
export interface ExportedLabel {
  readonly label: StoredLabel
  readonly about?: { readonly opened: OpenedRun; readonly sample: Sample }
}

/** Reads labels one run after the other, each in the order of its docs. Each label comes once. */
export async function* exportedLabels(
  store: Store,
  { run, history = false }: ExportQuery,
): AsyncGenerator<ExportedLabel> {
  const chosen = history ? (labels: readonly StoredLabel[]) => labels : currentLabels
  const sources = run === undefined ? await findSources(store) : { runs: [run], contents: Infinity }
  const addresses = new Set<string>()
  for (const opened of sources.runs) {
    if (addresses.size === sources.contents) return
    const placed = (await store.labels.ofRun(opened.run, opened.judgement)).filter(({ labels: [first] }) => {
      if (first === undefined || addresses.has(formatAddress(first))) return false
      addresses.add(formatAddress(first))
      return true
    })
    for await (const [{ labels }, sample] of samplesAt(store, opened, placed))
      for (const label of chosen(labels)) yield { label, about: { opened, sample } }
  }
  if (run !== undefined) return
  for await (const label of store.labels.list()) {
    if (addresses.has(formatAddress(label))) continue
    addresses.add(formatAddress(label))
    const [labels = []] = await store.labels.of([label])
    for (const chosenLabel of chosen(labels)) yield { label: chosenLabel }
  }
}

const formatAddress = ({ record, answers }: LabelAddress): string => `${record} ${answers}`

/**
 * Lists the runs that may have labels, and counts the labelled answers. The runs in which labels were made come first, so that a label is exported
 * with the score that its author saw.
 */
async function findSources(store: Store): Promise<{ readonly runs: readonly OpenedRun[]; readonly contents: number }> {
  const names = new Set<string>()
  const contents = new Set<string>()
  for await (const label of store.labels.list()) {
    names.add(label.run)
    contents.add(formatAddress(label))
  }
  if (contents.size === 0) return { runs: [], contents: 0 }
  const runs = (await store.runs.list()).filter(run => !isAuxiliary(run))
  const isSource = ({ name }: Run): boolean => names.has(name)
  const opened: OpenedRun[] = []
  for (const { id } of [...runs.filter(isSource), ...runs.filter(run => !isSource(run))])
    opened.push(await openRun(store, id))
  return { runs: opened, contents: contents.size }
}

/** A label as one line of JSON. */
export const exportedJson = ({ label, about }: ExportedLabel) => ({
  ...labelJson(label),
  ...(about && makeContext(about)),
})

const makeContext = ({ opened: { run, judgement }, sample }: NonNullable<ExportedLabel['about']>) => ({
  doc_index: sample.index,
  target: sample.record.target,
  choices: sample.record.choices,
  doc: sample.record.doc,
  answer: extractAnswer(sample.items),
  scored_by: judgement === undefined ? undefined : `${run.name}@${judgement.number}`,
  outcome: sample.score?.outcome,
  values: sample.score?.values,
  extracted: sample.score?.extracted,
})

/** Extracts the text of the answer. Several answers become a list, in which a choice is its log-likelihood. */
function extractAnswer(items: readonly SampleItem[]): Json {
  const answers = items.flatMap(({ response }) =>
    response === undefined ? [] : [response.body.logprob ?? response.body.text],
  )
  return answers.length === 1 ? (answers[0] ?? null) : answers
}

const columns = [
  ...(['label', 'note', 'author', 'at', 'run', 'task', 'doc_id', 'doc_index', 'target', 'answer'] as const),
  ...(['scored_by', 'outcome', 'values', 'record_key', 'answers_key'] as const),
]

/** Writes labels as CSV (RFC 4180): a header, then a row for each label. Lists and objects are JSON. */
export async function* labelsCsv(labels: AsyncIterable<ExportedLabel>): AsyncGenerator<string> {
  yield csvLine(columns)
  for await (const exported of labels) {
    const line: Partial<Record<(typeof columns)[number], Json | undefined>> = exportedJson(exported)
    yield csvLine(columns.map(column => cell(line[column])))
  }
}

const cell = (value: Json | undefined): string | number | boolean | null | undefined =>
  typeof value === 'object' && value !== null ? canonicalJson(value) : value
