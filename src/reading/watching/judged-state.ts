/** The scores of a run at one moment, and how they moved since another one. */
import type { Json } from '../../../base/values/canonical-json.js'
import { factsReader, numberIn, readScoreKey } from '../../../cache/facts/sample-facts.js'
import type { OpenedRun, Sample, Store } from '../../../cache/store.js'
import { metricLabel } from '../metric-label.js'
import { distinctIds } from '../samples/doc-names.js'
import { kindTest } from '../samples/sample-kinds.js'
import { unjudgedDocs, type UnjudgedDocs } from '../samples/unjudged-docs.js'

/** A doc that is not right, as a line of a list. */
export interface FailingDoc {
  readonly task: string
  /** The task's and the doc's index in the run. */
  readonly position: readonly [task: number, doc: number]
  readonly id: string
  readonly outcome: string
  /** The first answer's text. */
  readonly answer: string | undefined
  readonly target: Json
}

/** The scores of a run in one judgement. */
export interface JudgedState {
  readonly run: string
  readonly metrics: readonly StateMetric[]
  /** The first failing docs, in the order of the run. */
  readonly failing: readonly FailingDoc[]
  readonly failingCount: number
  /** The docs of which values could not be computed, by reason. */
  readonly unjudged: readonly UnjudgedDocs[]
}

/** A metric of a task, with the values of its docs. */
export interface StateMetric {
  readonly task: string
  /** `metric` or `metric,filter`. */
  readonly metric: string
  readonly value: number | null
  /** The docs that have a value, of all docs of the task. */
  readonly n: number
  readonly total: number
  readonly higherIsBetter: boolean
  readonly values: ReadonlyMap<string, number>
}

/** A metric beside its value in the state before. */
export interface MovedMetric extends Omit<StateMetric, 'values'> {
  /** Undefined if the state before did not have the metric. */
  readonly before: number | null | undefined
  /**
   * The change of the value. If other docs have a value now, it is the mean change of the docs that have one in both states, and
   * null for a metric that is no mean of its docs.
   */
  readonly difference: number | null
  /** The docs that had a value before and have none now. */
  readonly lost: number
  /** The docs that are better or worse than before. */
  readonly better: number
  readonly worse: number
}

/** The maximum number of failing docs to keep. */
const mostFailing = 10

const isWrong = kindTest('wrong').passes

/**
 * Reads the scores of a run and its failing docs: wrong, unparsed, failed, or not judged.
 */
export async function readJudgedState(store: Pick<Store, 'judgements'>, opened: OpenedRun): Promise<JudgedState> {
  const { run, judgement } = opened
  const readFacts = factsReader(opened)
  const tasks = run.asked.tasks.map(({ name }) => ({ name, scoreKey: readScoreKey(run, name) }))
  const distinguish = distinctIds()
  const values = new Map<string, Map<string, number>>()
  const failing: FailingDoc[] = []
  let failingCount = 0
  for await (const sample of store.judgements.samples(run, judgement)) {
    const { name: task, scoreKey } = tasks[sample.task] ?? { name: '', scoreKey: 'score' }
    const id = distinguish(task, sample.id)
    for (const [metric, value] of Object.entries(sample.score?.values ?? {})) {
      const number = numberIn(value, scoreKey)
      if (number === undefined) continue
      const key = makeKey(task, metric)
      const docs = values.get(key) ?? new Map<string, number>()
      values.set(key, docs.set(id, number))
    }
    const facts = readFacts(sample)
    const isFailing =
      facts.outcome === 'scored' ? isWrong({ ...facts, isLabelled: false, change: null }) : facts.outcome !== 'pending'
    if (!isFailing) continue
    failingCount += 1
    if (failing.length < mostFailing) failing.push(describeDoc(sample, { task, id, outcome: facts.outcome }))
  }
  const whole = (judgement?.aggregates ?? []).filter(({ group, of }) => group === undefined && of === undefined)
  const metrics = whole.map((aggregate): StateMetric => {
    const { task, value, n, total, higherIsBetter } = aggregate
    const metric = metricLabel(aggregate)
    return { task, metric, value, n, total, higherIsBetter, values: values.get(makeKey(task, metric)) ?? new Map() }
  })
  const unjudged = judgement === undefined ? [] : await unjudgedDocs(store, run, judgement)
  return { run: run.name, metrics, failing, failingCount, unjudged }
}

const makeKey = (task: string, metric: string): string => `${task}\u0000${metric}`

const describeDoc = (
  { task, index, items, record }: Sample,
  about: Pick<FailingDoc, 'task' | 'id' | 'outcome'>,
): FailingDoc => ({
  ...about,
  position: [task, index],
  answer: items.find(({ response }) => response !== undefined)?.response?.body.text,
  target: record.target,
})

/** Puts each metric beside its value in the state before. A doc moved if both states have a number for it. */
export function compareStates(now: JudgedState, before: JudgedState | undefined): readonly MovedMetric[] {
  const metricsByKey = new Map(before?.metrics.map(metric => [makeKey(metric.task, metric.metric), metric]))
  return now.metrics.map(({ values, ...metric }) => {
    const earlier = metricsByKey.get(makeKey(metric.task, metric.metric))
    let [up, down] = [0, 0]
    for (const [id, value] of values) {
      const old = earlier?.values.get(id)
      if (old === undefined || old === value) continue
      if (value > old) up += 1
      else down += 1
    }
    const [better, worse] = metric.higherIsBetter ? [up, down] : [down, up]
    const lost = [...(earlier?.values.keys() ?? [])].filter(id => !values.has(id)).length
    const difference = earlier === undefined ? null : computeDifference({ ...metric, values }, earlier)
    return { ...metric, before: earlier?.value, difference, better, worse, lost }
  })
}

/** Docs that fell out or were added move a mean, though no doc has become better. */
function computeDifference(now: StateMetric, before: StateMetric): number | null {
  if (now.value === null || before.value === null) return null
  const shared = [...now.values.keys()].filter(id => before.values.has(id))
  if (shared.length === now.values.size && shared.length === before.values.size) return now.value - before.value
  if (shared.length === 0 || ![now, before].every(isMean)) return null
  return computeMean(shared, now.values) - computeMean(shared, before.values)
}

const isMean = ({ value, values }: StateMetric): boolean =>
  value !== null && Math.abs(computeMean([...values.keys()], values) - value) < 1e-9

const computeMean = (ids: readonly string[], values: ReadonlyMap<string, number>): number =>
  ids.reduce((sum, id) => sum + (values.get(id) ?? 0), 0) / ids.length
