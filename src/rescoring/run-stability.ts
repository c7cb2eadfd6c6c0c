/** The stability of a stored run: how far the repeats of its docs agree. */
import { PipelineError } from '../../base/errors/errors.js'
import { option } from '../../base/errors/option-words.js'
import { ownValue } from '../../base/values/named-values.js'
import { numberIn, readScoreKey } from '../../cache/facts/sample-facts.js'
import { isUnscored } from '../../cache/facts/value-facts.js'
import type { ScoreBody } from '../../cache/records.js'
import type { OpenedRun, Store } from '../../cache/store.js'
import type { Hooks, RejudgeSettings } from '../config/settings.js'
import { metricKey, scoredDocs } from '../reading/comparing/pair-samples.js'
import { distinctIds } from '../reading/samples/doc-names.js'
import { diagnoseDocs, type DocDiagnoses } from '../reading/stability/diagnose-docs.js'
import {
  measureRunStability,
  type SampledScores,
  type StabilityValues,
} from '../reading/stability/measure-run-stability.js'
import { withSeparateScores, type SeparateScores } from './score-samples.js'

/** The stability of one metric of one task. */
export interface TaskStability extends StabilityValues {
  readonly task: string
  /** `metric` or `metric,filter`. */
  readonly metric: string
  readonly diagnoses: DocDiagnoses
}

/** The stability of a run. */
export interface RunStability {
  readonly run: string
  /** The further runs that docs are diagnosed with. */
  readonly with: readonly string[]
  readonly tasks: readonly TaskStability[]
  /** Docs that are left out, because an answer or a score of one of their samples is missing. */
  readonly leftOut: number
  /** A reason why a sample has no score, if there is one. */
  readonly reason?: string
}

/**
 * Measures the stability of a run that has several samples of each doc.
 *
 * @param others further runs of the same tasks, for the diagnoses
 * @throws PipelineError if the run has one sample of each doc, or no sample has a score
 */
export async function readRunStability(
  store: Store,
  opened: OpenedRun,
  options: {
    readonly settings: RejudgeSettings
    readonly emit: Hooks['emit']
    readonly others?: readonly OpenedRun[]
  },
): Promise<RunStability> {
  const { others = [] } = options
  const { run } = opened
  const collected = await withSeparateScores(store, opened, options, docs => collectScores(opened, docs))
  const clusters = (await scoredDocs(run, store.judgements.comparedDocs(run, opened.judgement))).clusters
  const otherScores = await Promise.all(
    others.map(other => scoredDocs(other.run, store.judgements.comparedDocs(other.run, other.judgement))),
  )
  if (collected.most < 2) throw oneSample(run.name)
  const tasks = [...collected.metrics.values()].map(({ task, metric, docs }): TaskStability => {
    const clustered = docs.map(doc => ({ ...doc, cluster: clusters.get(metricKey(task, doc.id)) }))
    const scores = otherScores.map(({ values }) => values.get(metricKey(task, metric)) ?? new Map<string, number>())
    return { task, metric, ...measureRunStability(clustered), diagnoses: diagnoseDocs(docs, scores) }
  })
  const { leftOut, reason } = collected
  if (tasks.length === 0)
    throw new PipelineError(
      'usage',
      `No sample of ${run.name} has a number as its score.${reason === undefined ? '' : ` The first reason: ${reason}`}`,
    )
  return {
    ...{ run: run.name, with: others.map(other => other.run.name), tasks, leftOut },
    ...(reason === undefined ? {} : { reason }),
  }
}

interface Collected {
  readonly metrics: ReadonlyMap<string, CollectedMetric>
  /** The highest number of samples of a doc. */
  readonly most: number
  readonly leftOut: number
  readonly reason: string | undefined
}

interface CollectedMetric {
  readonly task: string
  readonly metric: string
  readonly docs: SampledScores[]
}

async function collectScores({ run }: OpenedRun, docs: AsyncIterable<SeparateScores>): Promise<Collected> {
  const metrics = new Map<string, CollectedMetric>()
  const distinguish = distinctIds()
  let [most, leftOut] = [0, 0]
  let reason: string | undefined
  for await (const { sample, scores } of docs) {
    const task = run.asked.tasks[sample.task]?.name ?? ''
    const id = distinguish(task, sample.id)
    most = Math.max(most, scores.length)
    const failed = scores.find(score => isUnscored(score) && Object.keys(score.values).length === 0)
    if (scores.length < 2 || failed !== undefined) {
      reason ??= failed?.reason
      leftOut += 1
      continue
    }
    for (const metric of Object.keys(scores[0]?.values ?? {})) {
      const values = scores.map(({ values: own }) => numberIn(ownValue(own, metric) ?? null, readScoreKey(run, task)))
      const numbers = values.filter(value => value !== undefined)
      if (numbers.length < scores.length) continue
      const key = metricKey(task, metric)
      const metricDocs = metrics.get(key) ?? { task, metric, docs: [] }
      metrics.set(key, metricDocs)
      metricDocs.docs.push({ id, scores: numbers, answers: scores.map(score => readExtracted(score, metric)) })
    }
  }
  return { metrics, most, leftOut, reason }
}

/** The extracted answer, in the filter pipeline of a metric such as `exact_match,strict`. */
function readExtracted({ extracted }: ScoreBody, metric: string): string {
  const filter = metric.includes(',') ? metric.slice(metric.lastIndexOf(',') + 1) : 'none'
  const value = ownValue(extracted, filter) ?? Object.values(extracted)[0] ?? null
  return typeof value === 'string' ? value.trim() : JSON.stringify(value)
}

const oneSample = (name: string): PipelineError =>
  new PipelineError('usage', [
    `${name} has one sample of each doc, which says nothing of stability.`,
    `Evaluate again with ${option('repeats', '5')}. Sample with the temperature that users have, because a model that decodes greedily repeats itself.`,
  ])
