/** Splits the difference between two stored runs by what differs between them, without a request. */
import { makeComparedDocs } from '../../../cache/facts/compared-doc.js'
import { PipelineError } from '../../../base/errors/errors.js'
import { canonicalJson } from '../../../base/values/canonical-json.js'
import { readScoreKey } from '../../../cache/facts/sample-facts.js'
import { judgeRecordKey } from '../../../cache/keys.js'
import { codeFolder } from '../../../cache/location.js'
import type { JudgeRecord, ScoreBody } from '../../../cache/records.js'
import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import { withRuntime } from '../../evaluation/code-runtime.js'
import { taskFolders } from '../tasks-to-judge.js'
import type { Hooks, RejudgeSettings } from '../../config/settings.js'
import { loadPlugins } from '../../model/plugins.js'
import { pairMetrics, scoredDocs } from '../../reading/comparing/pair-samples.js'
import { distinctIds } from '../../reading/samples/doc-names.js'
import { blameMetric, type BlamedMetric, type Mixing } from './blame-metric.js'
import { listDifferingParts, mixAnswers, type FindAnswers, type SampledPair } from './mixed-answers.js'
import { chooseSide, isEnd, listMixtures } from './mixtures.js'
import {
  findScorer,
  readPresentScorers,
  type PresentScorers,
  type ScoreAnswers,
  type ScorerOptions,
} from './stored-scorers.js'

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
    const scorers = { a: readPresentScorers(store, a, options), b: readPresentScorers(store, b, options), options }
    const blamedMetrics: BlamedMetric[] = []
    const notes: string[] = []
    for (const task of new Set(metrics.map(metric => metric.task))) {
      const docs = pairDocs(docsA.samples.get(task), docsB.samples.get(task))
      const mixed = await mixTask(store, { a, b, task, docs }, scorers)
      notes.push(...mixed.notes.map(note => `${task}: ${note}`))
      const scoreKeys = { A: readScoreKey(a.run, task), B: readScoreKey(b.run, task) }
      for (const metric of metrics.filter(candidate => candidate.task === task && candidate.pairs.length > 0)) {
        const blamed = blameMetric(metric, mixed, scoreKeys)
        if (blamed.n > 0) blamedMetrics.push(blamed)
        else {
          notes.push(
            `${task} ${metric.metric}: no doc has a value in each mixture, so that the factors are not told apart.`,
          )
          blamedMetrics.push(blameMetric(metric, mixed.joint, scoreKeys))
        }
      }
    }
    return { a: a.run.name, b: b.run.name, metrics: blamedMetrics, notes }
  })
}

/** The scorers of both runs by the present files of their tasks, which are read if a task needs them. */
interface TaskScorers {
  readonly a: PresentScorers
  readonly b: PresentScorers
  readonly options: ScorerOptions
}

/** The samples of a run by task and id, with their numbers. */
async function readDocs(store: Store, { run, judgement }: OpenedRun) {
  const samples = new Map<string, Map<string, Sample>>()
  const distinguish = distinctIds()
  async function* keepSamples(): AsyncGenerator<Sample> {
    for await (const sample of store.judgements.samples(run, judgement)) {
      const task = run.asked.tasks[sample.task]?.name ?? ''
      const own = samples.get(task) ?? new Map<string, Sample>()
      samples.set(task, own.set(distinguish(task, sample.id), sample))
      yield sample
    }
  }
  return { samples, scored: await scoredDocs(run, makeComparedDocs(keepSamples())) }
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

/** The scores of a task's docs in all mixtures, and of the two runs alone. */
interface MixedTask extends Mixing {
  /** All factors as one, for metrics that have no value in some mixture of every doc. */
  readonly joint: Mixing
  readonly notes: readonly string[]
}

async function mixTask(store: Store, task: BlamedTask, scorers: TaskScorers): Promise<MixedTask> {
  const { a, b, docs } = task
  const notes: string[] = []
  const parts = listDifferingParts(a.run, b.run, docs)
  const answers = await mixAnswers(store, task, parts)
  if (answers.missing > 0)
    notes.push(
      `${parts.join(' and ')} changed together. Only new requests could tell them apart: ${answers.missing} of ${docs.length} docs have no stored answer to a mixed request.`,
    )
  const [indexA, indexB] = [findTask(a, task.task), findTask(b, task.task)]
  const [rulesA, rulesB] = [a.judgement?.tasks[indexA], b.judgement?.tasks[indexB]]
  const hasOtherRules = rulesA?.config !== rulesB?.config || rulesA?.scorer !== rulesB?.scorer
  const factors = [...answers.factors, ...listRecordFactors(docs), ...(hasOtherRules ? ['rules'] : [])]
  if (factors.length === 0) {
    const same: Mixing = { factors, scores: new Map(docs.map(({ id, a: { score } }) => [id, new Map([['', score]])])) }
    return { ...same, joint: same, notes }
  }
  const joint: Mixing = { factors: [factors.join(' + ')], scores: scoreEnds(docs) }
  if (factors.length === 1) return { ...joint, joint, notes }
  // Equal rules are applied once, and must give the scores of both runs.
  const samples = { a: docs.map(doc => doc.a), b: docs.map(doc => doc.b) }
  const own = hasOtherRules ? samples.a : [...samples.a, ...samples.b]
  const scoreA = await findScorer(store, a, { index: indexA, samples: own, present: scorers.a }, scorers.options)
  const scoreB = hasOtherRules
    ? await findScorer(store, b, { index: indexB, samples: samples.b, present: scorers.b }, scorers.options)
    : scoreA
  if (scoreA === undefined || scoreB === undefined) {
    const { run } = scoreA === undefined ? a : b
    notes.push(
      `the scores of ${run.name} cannot be computed again here, so that ${factors.join(' and ')} are not told apart. A judge model is not asked, and code of a task runs only as its files are now.`,
    )
    return { ...joint, joint, notes }
  }
  const scores = await scoreMixtures(docs, { factors, answers: answers.find, scoreA, scoreB })
  return { factors, scores, joint, notes }
}

/** The factors of the judge records of two runs: targets differ, or only other fields of the docs. */
const recordFactors = ['targets', 'fields'] as const

function listRecordFactors(docs: readonly SampledPair[]): readonly string[] {
  const differ = (read: (record: JudgeRecord) => string): boolean =>
    docs.some(({ a, b }) => read(a.record) !== read(b.record))
  if (differ(readTarget)) return ['targets']
  return differ(record => judgeRecordKey(record).key) ? ['fields'] : []
}

const readTarget = ({ target, choices = [], printed }: JudgeRecord): string =>
  canonicalJson([target, [...choices], [...(printed?.target ?? [])]])

const findTask = ({ run }: OpenedRun, task: string): number => run.asked.tasks.findIndex(({ name }) => name === task)

/** The stored scores of both runs, where all factors change together. */
const scoreEnds = (docs: readonly SampledPair[]): Mixing['scores'] =>
  new Map(docs.map(({ id, a, b }) => [id, new Map([['A', a.score] as const, ['B', b.score] as const])]))

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
      const isOther = recordFactors.some(factor => chooseSide(factor, factors, mixture) === 'B')
      const record = isOther ? doc.b : doc.a
      const score = chooseSide('rules', factors, mixture) === 'B' ? scoreB : scoreA
      const answers = findAnswers(doc, mixture)
      const stored = isEnd(mixture) ? (mixture.startsWith('B') ? doc.b : doc.a).score : undefined
      own.set(mixture, stored ?? (answers && (await score(record, answers))))
    }
    scores.set(doc.id, own)
  }
  return scores
}

const notJudged = ({ run }: OpenedRun): PipelineError =>
  new PipelineError('usage', `run ${run.name} is not judged yet, so that it has no scores to compare`)

const nothingInCommon = (a: OpenedRun, b: OpenedRun): PipelineError =>
  new PipelineError('usage', [
    `${a.run.name} and ${b.run.name} have no doc with a score in common.`,
    'Choose two runs of the same task, such as two models or two versions of a prompt.',
  ])
