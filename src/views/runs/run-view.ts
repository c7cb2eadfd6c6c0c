import type { Aggregate, JsonObject, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { modelPrice } from '../../cost/model-price.js'
import type { OpenedRun } from '../../evaluation/run-reference.js'
import { shownNames } from '../../report/results/result-table.js'
import { unjudgedDocs } from '../../report/samples/unjudged-docs.js'
import { runStats } from '../../report/throughput/run-stats.js'
import { throughputJson } from '../../report/throughput/throughput-json.js'
import type { Facet, RunView } from '../page-data/index.js'
import { provenanceOf } from './provenance.js'
import { failureClasses } from './run-failures.js'
import { openedRow } from './run-row.js'

/** Everything that the page of a run shows, except its samples. */
export async function runView(store: Store, opened: OpenedRun): Promise<RunView> {
  const { run, judgement } = opened
  const judgements = await store.judgements.list(run)
  const metrics = judgement?.aggregates ?? []
  return {
    ...(await openedRow(store, opened)),
    judgement: judgement?.number ?? null,
    judgements: judgements.filter(({ finishedAt }) => finishedAt !== undefined).map(({ number }) => number),
    metrics,
    aliases: Object.fromEntries(
      shownNames(run).flatMap(({ name, alias }) => (alias === undefined || alias === name ? [] : [[name, alias]])),
    ),
    groups: (run.asked.groups ?? []).map(({ name, members }) => ({ name, members })),
    facets: facetsOf(metrics),
    failures: await failureClasses(store, run),
    unjudged: await unjudgedOf(store, opened),
    throughput: await throughputOf(store, run),
    provenance: provenanceOf(run),
  }
}

/** Reads the scores of a judgement only if some doc has none, because there may be a million. */
async function unjudgedOf(store: Store, { run, judgement }: OpenedRun): Promise<RunView['unjudged']> {
  if (judgement === undefined) return []
  const { judge_failed: failed = 0, error = 0 } = await store.judgements.outcomes(judgement)
  return failed + error === 0 ? [] : unjudgedDocs(store, run, judgement)
}

async function throughputOf(store: Store, run: Run): Promise<JsonObject | null> {
  const figures = await runStats(store, run, await modelPrice(run))
  if (figures.answers.asked + figures.answers.fromStore === 0) return null
  // It holds only JSON, and the conversion drops what is undefined.
  return JSON.parse(JSON.stringify(throughputJson(figures))) as JsonObject
}

const mostLabels = 50

/** The labels of the docs by field, from the breakdown of each task's first metric. */
function facetsOf(metrics: readonly Aggregate[]): readonly Facet[] {
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
