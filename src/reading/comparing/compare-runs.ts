import { PipelineError } from '../../../base/errors/errors.js'
import type { ScoresFile } from '../../../cache/bundle/scores-file.js'
import type { Judgement, Run } from '../../../cache/records.js'
import { makeComparedDocs } from '../../../cache/facts/compared-doc.js'
import type { ComparedDoc, Store } from '../../../cache/store.js'
import { openRun, shownRunName } from '../runs/run-reference.js'
import { followDifferences, rememberDigests, type FollowedDifferences } from './asked-differences.js'
import { alignDocs, isImported } from './align-docs.js'
import { compareMetrics, type ComparedMetric } from './compare-metrics.js'
import { pairMetrics, scoredDocs, type PairedMetric, type ScoredDocs } from './pair-samples.js'

/** Two runs on the docs that both have a score for. Differences are the second run's against the first's. */
export interface RunComparison {
  /** The first run's name, or its `--name` if the reference uses that, with its judgement if the reference names one. */
  readonly a: string
  readonly b: string
  readonly metrics: readonly ComparedMetric[]
  /** Remarks about the pairs for the reader: docs that were paired by their index, and settings in which the runs differ. */
  readonly notes: readonly string[]
}

/** Words for the next step in messages: a command to type, or a function to call. */
export interface CompareHints {
  readonly judge: (run: Run) => string
  readonly report: (run: Run) => string
}

/** A run in its store. */
export interface StoredReference {
  readonly store: Store
  readonly reference: string
}

/** A run of a store, or a file of scores alone. */
export type ComparedRun = StoredReference | { readonly scores: ScoresFile }

export interface CompareOptions {
  readonly hints: CompareHints
  /** A difference that does not matter, in units of the scores: runs within it are called equivalent. */
  readonly margin?: number | undefined
}

/** @throws PipelineError if a run has no scores, or the runs have no metric in common. */
export async function compareRuns(a: ComparedRun, b: ComparedRun, options: CompareOptions): Promise<RunComparison> {
  const [comparison] = await compareSeveral([a, b], options)
  if (comparison === undefined) throw new Error('internal error: two runs are no pair')
  return comparison
}

/**
 * Compares each run with each run before it. Every run is read once, and the verdicts allow for the number of all comparisons.
 *
 * @throws PipelineError if a run has no scores, or two runs have no metric in common.
 */
export async function compareSeveral(
  references: readonly ComparedRun[],
  { hints, margin }: CompareOptions,
): Promise<readonly RunComparison[]> {
  const foreign: boolean[] = []
  for (const reference of references) foreign.push(isImported((await openComparedRun(reference)).run))
  const digest = rememberDigests()
  const pairs = references.flatMap((_, second) =>
    references.slice(0, second).map((__, first) => {
      const isForeign = foreign[first] === true || foreign[second] === true
      return { first, second, differences: followDifferences(isForeign, digest) }
    }),
  )
  const runs: JudgedRun[] = []
  for (const [at, compared] of references.entries()) {
    const reading = { hints, withPlaces: foreign.includes(true), add: followPairs(at, pairs) }
    if ('scores' in compared) runs.push(await readScoresFile(compared.scores, reading))
    else runs.push(await readJudgedRun(compared.store, compared.reference, reading))
  }
  const paired = pairs.map(({ first, second, differences }) => pairRuns(runs[first], runs[second], differences))
  const metrics = compareMetrics(
    paired.flatMap(pair => pair.metrics),
    margin,
  )
  let next = 0
  return paired.map(pair => ({ ...pair, metrics: metrics.slice(next, (next += pair.metrics.length)) }))
}

const openComparedRun = async (compared: ComparedRun): Promise<{ readonly run: Run }> =>
  'scores' in compared ? compared.scores : openRun(compared.store, compared.reference)

interface FollowedPair {
  readonly first: number
  readonly second: number
  readonly differences: FollowedDifferences
}

/** Hands the docs of a run to all pairs that it is in. */
function followPairs(run: number, pairs: readonly FollowedPair[]): (key: string, doc: ComparedDoc) => void {
  const followers = pairs.flatMap(({ first, second, differences }) => [
    ...(first === run && differences.first !== undefined ? [differences.first] : []),
    ...(second === run && differences.second !== undefined ? [differences.second] : []),
  ])
  return (key, doc) => {
    for (const follow of followers) follow(key, doc)
  }
}

function pairRuns(
  first: JudgedRun | undefined,
  second: JudgedRun | undefined,
  differences: FollowedDifferences,
): Omit<RunComparison, 'metrics'> & { readonly metrics: readonly PairedMetric[] } {
  if (first === undefined || second === undefined) throw new Error('internal error: a compared run was not read')
  const { a: docs, notes: aligned } = alignDocs(first, second)
  const metrics = pairMetrics({ ...first, docs }, second)
  if (metrics.length === 0) throw nothingInCommon(first, second)
  const notes = [...aligned, ...differences.notes(first, second)]
  return { a: first.label, b: second.label, metrics, notes }
}

/** A run with the numbers of its docs. */
export interface JudgedRun {
  readonly run: Run
  readonly judgement: Judgement
  readonly docs: ScoredDocs
  readonly label: string
}

interface ReadingOptions {
  readonly hints: CompareHints
  readonly withPlaces?: boolean
  readonly add?: ((key: string, doc: ComparedDoc) => void) | undefined
}

/** Reads the numbers of a file of scores alone. @throws PipelineError if it has none */
async function readScoresFile(
  { run, judgement, samples }: ScoresFile,
  reading: Omit<ReadingOptions, 'hints'>,
): Promise<JudgedRun> {
  const docs = await scoredDocs(run, makeComparedDocs(samples()), reading)
  if (docs.values.size === 0) throw new PipelineError('usage', `the file of ${run.name} has no doc with a number`)
  return { run, judgement, docs, label: run.name }
}

/** Reads the numbers of a run. @throws PipelineError if it has none */
export async function readJudgedRun(
  store: Store,
  reference: string,
  { hints, ...reading }: ReadingOptions,
): Promise<JudgedRun> {
  const { run, judgement } = await openRun(store, reference)
  const isNamed = reference.includes('@') && judgement !== undefined
  const name = shownRunName(reference, run)
  const label = isNamed ? `${name}@${judgement.number}` : name
  if (judgement?.aggregates === undefined) {
    const why = isNamed ? 'that judgement was not finished' : 'it is not judged yet'
    throw new PipelineError('usage', `${label} has no scores: ${why}. Score it:  ${hints.judge(run)}`)
  }
  const docs = await scoredDocs(run, store.judgements.comparedDocs(run, judgement), reading)
  if (docs.values.size === 0) {
    throw new PipelineError('usage', [
      `${label} has no scores: it is judged, and no doc has a number.`,
      `  See why:         ${hints.report(run)}`,
      `  Score it again:  ${hints.judge(run)}`,
    ])
  }
  return { run, judgement, docs, label }
}

/** Makes the error of two runs without a common metric. */
export function nothingInCommon(a: JudgedRun, b: JudgedRun): PipelineError {
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
