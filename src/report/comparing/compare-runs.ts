import { PipelineError } from '../../../base/errors/errors.js'
import type { Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'
import { comparePaired } from '../../../stages/judge/statistics/compare-paired.js'
import { openRun } from '../../evaluation/run-reference.js'
import type { ComparedMetric } from './comparison.js'
import { alignDocs, isImported } from './align-docs.js'
import { pairMetrics, scoredDocs, type PairedMetric, type ScoredDocs } from './pair-samples.js'

/** Two runs on the docs that both have a score for. Differences are the second run's against the first's. */
export interface RunComparison {
  /** The name of the first run, with its judgement if the reference named one. */
  readonly a: string
  readonly b: string
  readonly metrics: readonly ComparedMetric[]
  /** What a reader must know of the pairs, such as docs that were paired by their index. Only imported runs have such notes. */
  readonly notes: readonly string[]
}

/** Says what messages tell a person to call or type for a run. */
export interface CompareHints {
  readonly judge: (run: Run) => string
  readonly report: (run: Run) => string
}

/** @throws PipelineError if a run has no scores, or the runs have no metric in common. */
export async function compareRuns(
  { store: storeA, reference: a }: { readonly store: Store; readonly reference: string },
  { store: storeB, reference: b }: { readonly store: Store; readonly reference: string },
  hints: CompareHints,
): Promise<RunComparison> {
  const isForeign = isImported((await openRun(storeA, a)).run) || isImported((await openRun(storeB, b)).run)
  const options = { hints, withPlaces: isForeign }
  const [first, second] = [await judged(storeA, a, options), await judged(storeB, b, options)]
  const { a: docs, notes } = alignDocs(first, second)
  const metrics = pairMetrics({ ...first, docs }, second).map(comparedMetric)
  if (metrics.length === 0) throw nothingInCommon(first, second)
  return { a: first.label, b: second.label, metrics, notes }
}

interface JudgedRun {
  readonly run: Run
  readonly judgement: Judgement
  readonly docs: ScoredDocs
  readonly label: string
}

async function judged(
  store: Store,
  reference: string,
  { hints, withPlaces }: { readonly hints: CompareHints; readonly withPlaces: boolean },
): Promise<JudgedRun> {
  const { run, judgement } = await openRun(store, reference)
  const isNamed = reference.includes('@') && judgement !== undefined
  const label = isNamed ? `${run.name}@${judgement.number}` : run.name
  if (judgement?.aggregates === undefined) {
    const why = isNamed ? 'that judgement was not finished' : 'it is not judged yet'
    throw new PipelineError('usage', `${label} has no scores: ${why}. Score it:  ${hints.judge(run)}`)
  }
  const docs = await scoredDocs(run, store.judgements.samples(run, judgement), { withPlaces })
  if (docs.values.size === 0) {
    throw new PipelineError('usage', [
      `${label} has no scores: it is judged, and no doc has a number.`,
      `  See why:         ${hints.report(run)}`,
      `  Score it again:  ${hints.judge(run)}`,
    ])
  }
  return { run, judgement, docs, label }
}

function comparedMetric({ task, metric, higherIsBetter, pairs, onlyOne }: PairedMetric): ComparedMetric {
  const clusters = new Set(pairs.map(({ cluster }) => cluster))
  const isClustered = !clusters.has(undefined) && clusters.size < pairs.length
  return { task, metric, onlyOne, isClustered, ...comparePaired({ pairs, higherIsBetter }) }
}

function nothingInCommon(a: JudgedRun, b: JudgedRun): PipelineError {
  const names = [a, b].map(({ run }) => new Set(run.asked.tasks.map(({ name }) => name)))
  const isTaskShared = [...(names[0] ?? [])].some(name => names[1]?.has(name))
  const list = ({ run, docs }: JudgedRun): string =>
    isTaskShared ? metricNames(docs) : run.asked.tasks.map(({ name }) => name).join(', ')
  const log = [a, b].find(({ run }) => isImported(run))
  const flag = isTaskShared ? '--metric' : '--task'
  return new PipelineError('usage', [
    `${a.label} and ${b.label} have no metric of a task in common`,
    `  ${a.label}: ${list(a)}`,
    `  ${b.label}: ${list(b)}`,
    ...(log === undefined ? [] : [`  Rename those of ${log.label}:  pipeline import LOG ${flag} NAME=NEW`]),
  ])
}

const metricNames = ({ values }: ScoredDocs): string =>
  [...values.keys()].map(key => key.replace('\u0000', ' ')).join(', ')
