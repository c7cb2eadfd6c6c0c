/** Computes the facts about one sample. Lists, filters, reports and comparisons decide kinds of samples only by these facts. */
import { isObject, type Json } from '../../base/values/canonical-json.js'
import { ownValue } from '../../base/values/named-values.js'
import type { Aggregate, Judgement, ResponseBody, Run, ScoreBody } from '../records.js'
import type { Sample } from '../store/sample.js'
import { isUnscored } from './value-facts.js'

/** `failed`: a request has no answer. `pending`: it is not sent or not scored yet. */
export const outcomes = ['scored', 'unparsed', 'judge_failed', 'error', 'failed', 'pending'] as const
/** The outcomes of a sample. */
export type SampleOutcome = (typeof outcomes)[number]

/** The facts about one sample that decide its kind. */
export interface SampleFacts {
  readonly outcome: SampleOutcome
  /** The name of the first metric, `''` without a score. */
  readonly metric: string
  readonly isLowerBetter: boolean
  /** The first metric's number. Null if it has none. */
  readonly value: number | null
  /** True if the number is the best one. Null without a number. */
  readonly isRight: boolean | null
  /** True if the first answer is empty according to its score or, without a score, its text. */
  readonly isEmpty: boolean
  /** True if the first answer was cut off at its token limit. */
  readonly isCut: boolean
  /** True if the judges of a panel gave different values. */
  readonly isDisputed: boolean
}

export interface ScoredRun {
  readonly run: { readonly asked: Pick<Run['asked'], 'tasks'>; readonly provenance: Pick<Run['provenance'], 'scoring'> }
  readonly judgement?: Pick<Judgement, 'aggregates'>
}

/** Reads the facts of a run's samples. */
export type ReadFacts = (sample: Sample) => SampleFacts

/** Makes the function that reads the facts of the samples of a run, as a judgement has them. */
export function factsReader({ run, judgement }: ScoredRun): ReadFacts {
  const isLowerBetter = lowerIsBetter(judgement?.aggregates)
  const tasks = run.asked.tasks.map(({ name }) => ({ name, scoreKey: readScoreKey(run, name) }))
  return sample => {
    const { name, scoreKey } = tasks[sample.task] ?? { name: '', scoreKey: 'score' }
    const { metric, value } = firstNumber(sample.score, scoreKey)
    const isLower = isLowerBetter(name, metric)
    return {
      ...answerFacts(sample),
      metric,
      isLowerBetter: isLower,
      value: value ?? null,
      isRight: value === undefined ? null : isRightValue(value, isLower),
    }
  }
}

/** The facts of a sample that need nothing of its run. */
export function answerFacts({
  score,
  items,
}: Pick<Sample, 'score' | 'items'>): Pick<SampleFacts, 'outcome' | 'isEmpty' | 'isCut' | 'isDisputed'> {
  const hasFailure = items.some(({ failure }) => failure !== undefined)
  const { request, response } = items[0] ?? {}
  return {
    outcome: chooseOutcome(score, hasFailure),
    isEmpty: score === undefined ? isEmptyAnswer(request?.input, response?.body) : score.empty === true,
    isCut: score === undefined ? response?.body.finishReason === 'length' : score.cut === true,
    isDisputed: score?.disputed === true,
  }
}

/** Decides the outcome of a doc. A failed request counts more than the scores of the others. */
export const chooseOutcome = (score: Pick<ScoreBody, 'outcome'> | undefined, hasFailure: boolean): SampleOutcome =>
  hasFailure ? 'failed' : (score?.outcome ?? 'pending')

/** Returns whether a generated answer has neither text nor media. Continuations are not generated. */
export const isEmptyAnswer = (
  input: { readonly continuation?: unknown } | undefined,
  body: (Pick<ResponseBody, 'text'> & Partial<Pick<ResponseBody, 'content'>>) | undefined,
): boolean => input?.continuation === undefined && body?.text.trim() === '' && (body.content ?? []).length === 0

/** Makes a function that tells whether lower is better for a metric of a task, named `metric` or `metric,filter`. */
export function lowerIsBetter(aggregates: readonly Aggregate[] = []): (task: string, metric: string) => boolean {
  const lower = new Set<string>()
  for (const { task, of, metric, filter, higherIsBetter } of aggregates) {
    if (higherIsBetter || of !== undefined) continue
    lower.add(`${task}\u0000${metric},${filter}`)
    if (filter === 'none') lower.add(`${task}\u0000${metric}`)
  }
  return (task, metric) => lower.has(`${task}\u0000${metric}`)
}

/** Returns whether a value is the best one: 1 or more, or 0 or less where lower is better. */
export const isRightValue = (value: number, isLowerBetter: boolean): boolean =>
  isLowerBetter ? value <= 0 : value >= 1

/**
 * The first metric of a score and its number, which is undefined if it has none. A score of which a value failed has none,
 * because its first value may be that of another metric.
 */
export function firstNumber(
  score: Pick<ScoreBody, 'outcome' | 'values'> | undefined,
  scoreKey: string,
): { readonly metric: string; readonly value: number | undefined } {
  if (score !== undefined && isUnscored(score)) return { metric: '', value: undefined }
  const [metric = '', given] = Object.entries(score?.values ?? {})[0] ?? []
  return { metric, value: given === undefined ? undefined : numberIn(given, scoreKey) }
}

/** The field of a value that is an object: the task's `score_key`. */
export const readScoreKey = ({ provenance }: Pick<ScoredRun['run'], 'provenance'>, task: string): string =>
  ownValue(provenance.scoring, task)?.config.score_key ?? 'score'

/** The task's `cluster_key`: the field whose values make clusters of docs. */
export const readClusterKey = (
  { provenance }: Pick<ScoredRun['run'], 'provenance'>,
  task: string,
): string | undefined => ownValue(provenance.scoring, task)?.config.cluster_key

/** Returns a value's number, or the number in its field `key`. */
export function numberIn(value: Json, key: string): number | undefined {
  const found = isObject(value) ? value[key] : value
  if (typeof found === 'boolean') return Number(found)
  return typeof found === 'number' ? found : undefined
}
