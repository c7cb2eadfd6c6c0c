/** Splits the difference between two stored runs by what differs between them, without a request. */
import { PipelineError } from '../../../base/errors/errors.js'
import { numberIn, readScoreKey } from '../../../cache/facts/sample-facts.js'
import { judgeRecordKey } from '../../../cache/keys.js'
import { codeFolder } from '../../../cache/location.js'
import type { Answer, ScoreBody } from '../../../cache/records.js'
import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import type { Interval } from '../../../stages/judge/statistics/intervals/interval.js'
import { attributeDifference } from '../../../stages/judge/statistics/paired/attribute-difference.js'
import { pairedDifference } from '../../../stages/judge/statistics/paired/paired-difference.js'
import { withRuntime } from '../../evaluation/code-runtime.js'
import { taskFolders } from '../../evaluation/present-tasks.js'
import type { Hooks, RejudgeSettings } from '../../config/settings.js'
import { loadPlugins } from '../../model/plugins.js'
import { pairMetrics, scoredDocs, type PairedMetric } from '../../reading/comparing/pair-samples.js'
import { distinctIds } from '../../reading/samples/doc-names.js'
import {
  findMixedAnswers,
  haveOtherSamples,
  listDifferingParts,
  readAnswers,
  requestParts,
  type SampledPair,
} from './mixed-answers.js'
import { findScorer, type ScoreAnswers } from './stored-scorers.js'

/** The share of one factor in a difference. */
export interface BlamedFactor {
  /** `model`, `prompt`, `parameters`, `samples`, `targets` or `rules`, or several joined by ` + ` if only new requests could tell them apart. */
  readonly factor: string
  /** The mean effect over all orders in which the factors can change (Shapley). The effects of a metric add up to its difference. */
  readonly effect: number
  /** The 95 % interval of the effect over docs; null if all docs have the same effect. */
  readonly interval: Interval | null
}

/** The difference of one metric, split by factor. */
export interface BlamedMetric {
  readonly task: string
  readonly metric: string
  /** Docs with a value in both runs and in each mixture. */
  readonly n: number
  /** Docs that are left out, because a mixture has no value. */
  readonly leftOut: number
  readonly a: number
  readonly b: number
  readonly difference: number
  readonly factors: readonly BlamedFactor[]
}

/** The differences of run B from run A. */
export interface Blame {
  readonly a: string
  readonly b: string
  readonly metrics: readonly BlamedMetric[]
  /** Sentences about what cannot be told apart, and why. */
  readonly notes: readonly string[]
}

/**
 * Recombines the answers, targets and rules of two runs, and splits the difference of each metric among the factors in which the runs differ.
 *
 * @throws PipelineError if a run is not judged, or the runs have no doc with a score in common
 */
export async function blameRuns(
  store: Store,
  a: OpenedRun,
  b: OpenedRun,
  { settings, emit }: { readonly settings: RejudgeSettings; readonly emit: Hooks['emit'] },
): Promise<Blame> {
  const plugins = await loadPlugins(settings.plugins, { cacheDir: codeFolder(store.workFolder) })
  const includePaths = [...new Set([a, b].flatMap(({ run }) => taskFolders(run, settings)))]
  const [docsA, docsB] = [await readDocs(store, a), await readDocs(store, b)]
  if (a.judgement === undefined || b.judgement === undefined) throw notJudged(a.judgement === undefined ? a : b)
  const metrics = pairMetrics({ judgement: a.judgement, docs: docsA.scored }, { docs: docsB.scored })
  if (metrics.every(({ pairs }) => pairs.length === 0)) throw nothingInCommon(a, b)
  return withRuntime({ ...settings, includePaths }, async runtime => {
    const options = { settings, plugins, emit, runtime }
    const found: BlamedMetric[] = []
    const notes: string[] = []
    for (const task of new Set(metrics.map(metric => metric.task))) {
      const docs = pairDocs(docsA.samples.get(task), docsB.samples.get(task))
      const mixing = await mixTask(store, { a, b, task, docs }, options)
      notes.push(...mixing.notes.map(note => `${task}: ${note}`))
      for (const metric of metrics.filter(one => one.task === task && one.pairs.length > 0))
        found.push(blameMetric(metric, mixing, readScoreKey(a.run, task)))
    }
    return { a: a.run.name, b: b.run.name, metrics: found, notes }
  })
}

/** The samples of a run by task and id, with their numbers. */
async function readDocs(store: Store, { run, judgement }: OpenedRun) {
  const samples = new Map<string, Map<string, Sample>>()
  const distinguish = distinctIds()
  const add = (_: string, sample: Sample): void => {
    const task = run.asked.tasks[sample.task]?.name ?? ''
    const own = samples.get(task) ?? new Map<string, Sample>()
    samples.set(task, own.set(distinguish(task, sample.id), sample))
  }
  return { samples, scored: await scoredDocs(run, store.judgements.samples(run, judgement), { add }) }
}

const pairDocs = (
  first: ReadonlyMap<string, Sample> = new Map(),
  second: ReadonlyMap<string, Sample> = new Map(),
): readonly SampledPair[] =>
  [...first].flatMap(([id, a]) => {
    const b = second.get(id)
    return b?.score === undefined || a.score === undefined ? [] : [{ id, a, b }]
  })

interface BlamedTask {
  readonly a: OpenedRun
  readonly b: OpenedRun
  readonly task: string
  readonly docs: readonly SampledPair[]
}

/** The scores of each doc in each mixture. */
interface Mixing {
  readonly factors: readonly string[]
  /** By id: the score of each mixture, such as `ABA` in the order of `factors`. Undefined if it cannot be computed. */
  readonly scores: ReadonlyMap<string, ReadonlyMap<string, ScoreBody | undefined>>
  readonly notes: readonly string[]
}

async function mixTask(store: Store, task: BlamedTask, options: Parameters<typeof findScorer>[3]): Promise<Mixing> {
  const { a, b, docs } = task
  const notes: string[] = []
  const parts = listDifferingParts(a.run, b.run, docs)
  const answers = await mixAnswers(store, task, parts)
  if (answers.missing > 0)
    notes.push(
      `${parts.join(' and ')} changed together. Only new requests could tell them apart: ${answers.missing} of ${docs.length} docs have no stored answer to a mixed request.`,
    )
  const [indexA, indexB] = [a, b].map(({ run }) => run.asked.tasks.findIndex(({ name }) => name === task.task))
  const [rulesA, rulesB] = [a.judgement?.tasks[indexA ?? 0], b.judgement?.tasks[indexB ?? 0]]
  const scoring = [
    ...(docs.some(doc => judgeRecordKey(doc.a.record).key !== judgeRecordKey(doc.b.record).key) ? ['targets'] : []),
    ...(rulesA?.config !== rulesB?.config || rulesA?.scorer !== rulesB?.scorer ? ['rules'] : []),
  ]
  const factors = [...answers.factors, ...scoring]
  const single = (): Mixing => ({ factors: [factors.join(' + ')], scores: scoreEnds(docs, 1), notes })
  if (factors.length < 2) return factors.length === 0 ? { factors, scores: scoreEnds(docs, 0), notes } : single()
  const [scoreA, scoreB] = [
    await findScorer(store, a, { index: indexA ?? 0, samples: docs.map(doc => doc.a) }, options),
    await findScorer(store, b, { index: indexB ?? 0, samples: docs.map(doc => doc.b) }, options),
  ]
  if (scoreA === undefined || scoreB === undefined) {
    const { run } = scoreA === undefined ? a : b
    notes.push(
      `the scores of ${run.name} cannot be computed again here (a judge model is not asked, and older code may be gone), so that ${factors.join(' and ')} are not told apart.`,
    )
    return single()
  }
  return { factors, notes, scores: await scoreMixtures(docs, { factors, answers: answers.find, scoreA, scoreB }) }
}

type FindAnswers = (doc: SampledPair, mixture: string) => readonly Answer[] | undefined

/** The factors of the answers, and a function that gives the answers of a mixture of these factors. */
async function mixAnswers(
  store: Store,
  { a, b, docs }: BlamedTask,
  parts: readonly string[],
): Promise<{ readonly factors: readonly string[]; readonly find: FindAnswers; readonly missing: number }> {
  const ends: FindAnswers = (doc, mixture) => readAnswers(mixture.startsWith('B') ? doc.b : doc.a)
  if (parts.length === 0) return { factors: haveOtherSamples(docs) ? ['samples'] : [], find: ends, missing: 0 }
  if (parts.length === 1) return { factors: parts, find: ends, missing: 0 }
  const mixed = new Map<string, ReadonlyMap<string, readonly Answer[]>>()
  const finders = { A: findMixedAnswers(store, a.run), B: findMixedAnswers(store, b.run) }
  let missing = 0
  for (const doc of docs) {
    const own = new Map<string, readonly Answer[]>()
    for (const mixture of listMixtures(parts.length)) {
      const [model, prompt, parameters] = requestParts.map(part => chooseSide(part, parts, mixture))
      const find = finders[model === 'B' ? 'B' : 'A']
      const answers = isEnd(mixture)
        ? ends(doc, mixture)
        : await find(prompt === 'B' ? doc.b : doc.a, parameters === 'B' ? doc.b : doc.a)
      if (answers !== undefined) own.set(mixture, answers)
    }
    if (own.size < 2 ** parts.length) missing += 1
    mixed.set(doc.id, own)
  }
  if (missing > 0) return { factors: [parts.join(' + ')], find: ends, missing }
  return { factors: parts, find: (doc, mixture) => mixed.get(doc.id)?.get(mixture.slice(0, parts.length)), missing }
}

/** The run that a part is from. A part that does not differ is that of the first run. */
function chooseSide(part: string, parts: readonly string[], mixture: string): string {
  const at = parts.indexOf(part)
  return at < 0 ? 'A' : (mixture[at] ?? 'A')
}

const listMixtures = (count: number): readonly string[] =>
  Array.from({ length: 2 ** count }, (_, set) =>
    Array.from({ length: count }, (__, at) => ((set & (1 << at)) === 0 ? 'A' : 'B')).join(''),
  )

const isEnd = (mixture: string): boolean => new Set(mixture).size === 1

/** The stored scores, where nothing is mixed. */
const scoreEnds = (docs: readonly SampledPair[], count: 0 | 1): Mixing['scores'] =>
  new Map(
    docs.map(({ id, a, b }) => [
      id,
      new Map(count === 0 ? [['', a.score]] : [['A', a.score] as const, ['B', b.score] as const]),
    ]),
  )

async function scoreMixtures(
  docs: readonly SampledPair[],
  {
    factors,
    answers: findAnswers,
    scoreA,
    scoreB,
  }: {
    readonly factors: readonly string[]
    readonly answers: FindAnswers
    readonly scoreA: ScoreAnswers
    readonly scoreB: ScoreAnswers
  },
): Promise<Mixing['scores']> {
  const scores = new Map<string, Map<string, ScoreBody | undefined>>()
  for (const doc of docs) {
    const own = new Map<string, ScoreBody | undefined>()
    for (const mixture of listMixtures(factors.length)) {
      const record = chooseSide('targets', factors, mixture) === 'B' ? doc.b : doc.a
      const score = chooseSide('rules', factors, mixture) === 'B' ? scoreB : scoreA
      const answers = findAnswers(doc, mixture)
      const stored = new Set(mixture).size === 1 ? (mixture.startsWith('B') ? doc.b : doc.a).score : undefined
      own.set(mixture, stored ?? (answers && (await score(record, answers))))
    }
    scores.set(doc.id, own)
  }
  return scores
}

function blameMetric(
  { task, metric, pairs }: PairedMetric,
  { factors, scores }: Mixing,
  scoreKey: string,
): BlamedMetric {
  const effects = factors.map((): number[] => [])
  const [first, second, clusters]: [number[], number[], (string | undefined)[]] = [[], [], []]
  for (const { id, a, b, cluster } of pairs) {
    const values = new Map<string, number | undefined>()
    for (const [mixture, score] of scores.get(id) ?? [])
      values.set(mixture, numberIn(score?.values[metric] ?? null, scoreKey))
    if (values.size === 0 || [...values.values()].includes(undefined)) continue
    const doc = attributeDifference(factors, mixture => values.get(mixture) ?? 0)
    for (const [index, factor] of factors.entries()) effects[index]?.push(doc.effects[factor] ?? 0)
    first.push(a)
    second.push(b)
    clusters.push(cluster)
  }
  const n = first.length
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / (n || 1)
  const isClustered = clusters.every(cluster => cluster !== undefined)
  const none = first.map(() => 0)
  return {
    task,
    metric,
    n,
    leftOut: pairs.length - n,
    a: mean(first),
    b: mean(second),
    difference: mean(second) - mean(first),
    factors: factors.map((factor, index) => {
      const own = effects[index] ?? []
      const test = pairedDifference(none, own, isClustered ? clusters : undefined)
      const hasSpread = !('none' in test) && test.stderr > 0
      return { factor, effect: mean(own), interval: hasSpread ? test.interval : null }
    }),
  }
}

const notJudged = ({ run }: OpenedRun): PipelineError =>
  new PipelineError('usage', `run ${run.name} is not judged yet, so that it has no scores to compare`)

const nothingInCommon = (a: OpenedRun, b: OpenedRun): PipelineError =>
  new PipelineError('usage', [
    `${a.run.name} and ${b.run.name} have no doc with a score in common.`,
    'Choose two runs of the same task, such as two models or two versions of a prompt.',
  ])
