import { RecentResults } from '../../../base/collections/recent-map.js'
import type { ComparedDoc, OpenedRun, Store } from '../../../cache/store.js'
import { compareMetrics as comparePairs, type ComparedMetric } from '../../reading/comparing/compare-metrics.js'
import { metricKey, pairMetrics, scoredDocs, type PairedMetric } from '../../reading/comparing/pair-samples.js'
import { alignDocs, isImported } from '../../reading/comparing/align-docs.js'
import { listSettingDifferences } from '../../reading/comparing/setting-differences.js'
import { followDifferences } from '../../reading/comparing/asked-differences.js'
import type { ComparedMetricView, CompareView } from './data/index.js'
import { readPromptPair } from './prompt-pair.js'
import { openedRow } from './runs/run-row.js'

type Metrics = Pick<CompareView, 'metrics' | 'notes' | 'differences' | 'prompt'>

/** Finished judgements never change, so that their comparison is computed once in a process. */
const comparisons = new RecentResults<Metrics>(32)

/** Compares run `b` with run `a`, doc by doc, over the docs that both have a score for. */
export async function compareView(store: Store, a: OpenedRun, b: OpenedRun): Promise<CompareView> {
  const [rowA, rowB] = [await openedRow(store, a), await openedRow(store, b)]
  const settings = listSettingDifferences(a.run, b.run)
  const missing = [a, b].filter(({ judgement }) => judgement?.aggregates === undefined)
  if (missing.length > 0) {
    const notes = missing.map(({ run }) => `Run ${run.name} has no scores yet.`)
    return { a: rowA, b: rowB, metrics: [], notes, differences: [], settings }
  }
  const key = JSON.stringify([store.location, ...[a, b].map(({ run, judgement }) => [run.id, judgement?.number])])
  return { a: rowA, b: rowB, settings, ...(await comparisons.get(key, () => compareMetrics(store, a, b))) }
}

async function compareMetrics(store: Store, a: OpenedRun, b: OpenedRun): Promise<Metrics> {
  if (a.judgement === undefined || b.judgement === undefined) throw new Error('internal error: a run has no scores')
  const labels = new Map<string, Readonly<Record<string, string>>>()
  const isForeign = [a, b].some(({ run }) => isImported(run))
  const differences = followDifferences(isForeign)
  const docsA = await scoredDocs(a.run, rememberLabels(a, store.judgements.comparedDocs(a.run, a.judgement), labels), {
    withPlaces: isForeign,
    add: differences.first,
  })
  const docsB = await scoredDocs(b.run, store.judgements.comparedDocs(b.run, b.judgement), {
    withPlaces: isForeign,
    add: differences.second,
  })
  const aligned = alignDocs(
    { run: a.run, docs: docsA, label: a.run.name },
    { run: b.run, docs: docsB, label: b.run.name },
  )
  const example = differences.findExample()
  const prompt = example && (await readPromptPair(store, a, b, example))
  const paired = pairMetrics({ judgement: a.judgement, docs: aligned.a }, { docs: docsB })
  return {
    metrics: comparePairs(paired).map((compared, at) => metricView(paired[at], compared, labels)),
    notes: [...listNotes(a, b, paired), ...aligned.notes.map(note => note.trim())],
    differences: differences.notes({ run: a.run, judgement: a.judgement }, { run: b.run, judgement: b.judgement }),
    ...(prompt && { prompt }),
  }
}

/** Remembers the labels of docs on their way to the comparison. */
async function* rememberLabels(
  { run }: OpenedRun,
  docs: AsyncIterable<ComparedDoc>,
  labels: Map<string, Readonly<Record<string, string>>>,
): AsyncGenerator<ComparedDoc> {
  for await (const doc of docs) {
    const { task, id, score } = doc
    if (score?.groups !== undefined) labels.set(metricKey(run.asked.tasks[task]?.name ?? '', id), score.groups)
    yield doc
  }
}

function metricView(
  paired: PairedMetric | undefined,
  compared: ComparedMetric,
  labels: ReadonlyMap<string, Readonly<Record<string, string>>>,
): ComparedMetricView {
  if (paired === undefined) throw new Error('internal error: a compared metric has no docs')
  const { higherIsBetter, pairs } = paired
  const { task, metric, onlyOne, isClustered, improved, worsened, interval, mcnemar } = compared
  const { p, adjustedP, moreDocs, n, a, b, difference, verdict } = compared
  return {
    task,
    metric,
    n,
    a,
    b,
    difference,
    interval: interval ?? null,
    p: adjustedP ?? p ?? null,
    isScoreTest: mcnemar !== undefined,
    isClustered,
    higherIsBetter,
    verdict,
    ...(moreDocs !== undefined && { moreDocs }),
    onlyOne,
    table: countRightAndWrong(pairs),
    improved: improved.length,
    worsened: worsened.length,
    flips: countFlips(task, { pairs, improved, worsened }, labels),
  }
}

/** Counts docs by right and wrong; null unless all values are 0 or 1. */
function countRightAndWrong(pairs: PairedMetric['pairs']): ComparedMetricView['table'] {
  const table = { bothRight: 0, onlyA: 0, onlyB: 0, bothWrong: 0 }
  for (const { a, b } of pairs) {
    if ((a !== 0 && a !== 1) || (b !== 0 && b !== 1)) return null
    table[a === 1 ? (b === 1 ? 'bothRight' : 'onlyA') : b === 1 ? 'onlyB' : 'bothWrong'] += 1
  }
  return table
}

function countFlips(
  task: string,
  docs: {
    readonly pairs: PairedMetric['pairs']
    readonly improved: readonly string[]
    readonly worsened: readonly string[]
  },
  labels: ReadonlyMap<string, Readonly<Record<string, string>>>,
): ComparedMetricView['flips'] {
  const counts = new Map<string, { field: string; label: string; n: number; improved: number; worsened: number }>()
  const add = (ids: Iterable<string>, what: 'n' | 'improved' | 'worsened'): void => {
    for (const id of ids)
      for (const [field, label] of Object.entries(labels.get(metricKey(task, id)) ?? {})) {
        const name = metricKey(field, label)
        const count = counts.get(name) ?? { field, label, n: 0, improved: 0, worsened: 0 }
        count[what] += 1
        counts.set(name, count)
      }
  }
  add(
    docs.pairs.map(({ id }) => id),
    'n',
  )
  add(docs.improved, 'improved')
  add(docs.worsened, 'worsened')
  return [...counts.values()].sort(
    (a, b) => (a.field < b.field ? -1 : a.field > b.field ? 1 : 0) || b.improved + b.worsened - a.improved - a.worsened,
  )
}

function listNotes(a: OpenedRun, b: OpenedRun, paired: readonly PairedMetric[]): string[] {
  const listTaskNames = ({ run }: OpenedRun): string[] => run.asked.tasks.map(({ name }) => name)
  const shared = new Set(paired.map(({ task }) => task))
  const only = (opened: OpenedRun, other: OpenedRun): string[] =>
    listTaskNames(opened)
      .filter(task => !listTaskNames(other).includes(task))
      .map(task => `Only run ${opened.run.name} has the task ${task}.`)
  const without = listTaskNames(a).filter(task => listTaskNames(b).includes(task) && !shared.has(task))
  return [
    ...only(a, b),
    ...only(b, a),
    ...without.map(task => `The runs have no metric of the task ${task} in common for which docs have numbers.`),
  ]
}
