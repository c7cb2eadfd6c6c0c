import type { Aggregate, JsonObject, Run } from '../../../../cache/records.js'
import type { OpenedRun, Store, FailedItem } from '../../../../cache/store.js'
import type { RunStats } from '../../../../stages/model/stats/run-stats.js'
import { modelPrice } from '../../../cost/model-price.js'
import { shownNames } from '../../text/results/result-table.js'
import { unjudgedDocs } from '../../../reading/samples/unjudged-docs.js'
import { runStats } from '../../../reading/runs/run-stats.js'
import { throughputJson } from '../../json/throughput-json.js'
import type { Facet, RunView, DocRef, FailureClass } from '../data/index.js'
import { collectProvenance } from './provenance.js'
import { openedRow } from './run-row.js'
import { describeUnfinished } from './unfinished.js'

/** Everything that the page of a run shows, except its samples. */
export async function runView(store: Store, opened: OpenedRun): Promise<RunView> {
  const { run, judgement } = opened
  const judgements = await store.judgements.list(run)
  const metrics = judgement?.aggregates ?? []
  const row = await openedRow(store, opened)
  const failures = await store.requests.failures(run)
  const stats = await runStats(store, run, { price: await modelPrice(run) })
  return {
    ...row,
    judgement: judgement?.number ?? null,
    judgements: judgements.filter(({ finishedAt }) => finishedAt !== undefined).map(({ number }) => number),
    metrics,
    aliases: Object.fromEntries(
      shownNames(run).flatMap(({ name, alias }) => (alias === undefined || alias === name ? [] : [[name, alias]])),
    ),
    groups: (run.asked.groups ?? []).map(({ name, members }) => ({ name, members })),
    facets: collectFacets(metrics),
    failures: failureClasses(run, failures),
    unfinished: await describeUnfinished(store, { run, state: row.state, failures }),
    unjudged: await readUnjudged(store, opened),
    throughput: convertThroughput(stats),
    provenance: collectProvenance(run, stats),
  }
}

/** Reads the scores of a judgement only if some doc has none, because there may be a million. */
async function readUnjudged(store: Store, { run, judgement }: OpenedRun): Promise<RunView['unjudged']> {
  if (judgement === undefined) return []
  const { judge_failed: failed = 0, error = 0 } = await store.judgements.outcomes(judgement)
  return failed + error === 0 ? [] : unjudgedDocs(store, run, judgement)
}

function convertThroughput(figures: RunStats): JsonObject | null {
  if (figures.answers.asked + figures.answers.fromStore === 0) return null
  // The conversion drops undefined fields.
  return JSON.parse(JSON.stringify(throughputJson(figures))) as JsonObject
}

const mostLabels = 50

/** The labels of the docs by field, from the breakdown of each task's first metric. */
function collectFacets(metrics: readonly Aggregate[]): readonly Facet[] {
  const fields = new Map<string, Map<string, number>>()
  const firstMetrics = new Map<string, string>()
  for (const { task, metric, filter, group, of, total } of metrics) {
    if (group === undefined || of !== undefined) continue
    const name = `${metric},${filter}`
    if ((firstMetrics.get(task) ?? name) !== name) continue
    firstMetrics.set(task, name)
    const labels = fields.get(group.field) ?? new Map<string, number>()
    fields.set(group.field, labels.set(group.label, (labels.get(group.label) ?? 0) + total))
  }
  return [...fields].map(([field, labels]) => {
    const frequent = [...labels].map(([label, docs]) => ({ label, docs })).sort((a, b) => b.docs - a.docs)
    return { field, labels: frequent.slice(0, mostLabels), more: Math.max(0, frequent.length - mostLabels) }
  })
}

const mostMessages = 5
const mostDocs = 20
const longestMessage = 2_000

/** Failed requests by class, the most frequent first, with their most frequent messages and a few of their docs. */
function failureClasses(run: Run, failures: readonly FailedItem[]): readonly FailureClass[] {
  const taskNumbers = new Map(run.asked.tasks.map(({ name }, number) => [name, number]))
  const classes = new Map<string, FailedItem[]>()
  for (const item of failures) {
    const items = classes.get(item.failure.class)
    if (items === undefined) classes.set(item.failure.class, [item])
    else items.push(item)
  }
  return [...classes]
    .map(([name, items]) => ({
      class: name,
      requests: items.length,
      messages: frequentMessages(items),
      docs: someDocs(items, taskNumbers),
    }))
    .sort((a, b) => b.requests - a.requests)
}

function frequentMessages(items: readonly FailedItem[]): FailureClass['messages'] {
  const counts = new Map<string, number>()
  for (const { failure } of items) counts.set(failure.message, (counts.get(failure.message) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostMessages)
    .map(([message, requests]) => ({ message: message.slice(0, longestMessage), requests }))
}

function someDocs(items: readonly FailedItem[], taskNumbers: ReadonlyMap<string, number>): readonly DocRef[] {
  const docs = new Map<string, DocRef>()
  for (const { task: name, index, doc } of items) {
    const task = taskNumbers.get(name)
    if (task !== undefined) docs.set(`${task} ${index}`, { task, index, id: doc })
    if (docs.size >= mostDocs) break
  }
  return [...docs.values()]
}
