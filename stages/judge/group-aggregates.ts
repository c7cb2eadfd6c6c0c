import { withFiniteNumbers } from './finite-summary.js'
import { messageOf } from '../../base/errors/errors.js'
import type { Aggregate } from '../../cache/records.js'
import { answerStats, endingStats } from './answer-stats.js'
import { withoutInterval } from './define/define-aggregation.js'
import { groupInterval, type PartOfMean } from './statistics/intervals/group-interval.js'
import { combineMeans } from './statistics/intervals/group-mean.js'

/** A group's function, which computes one number from its tasks' numbers. */
export type GroupFunction = (
  values: readonly number[],
  sizes: readonly number[],
  weightBySize: boolean,
) => number | null | Promise<number | null>

/** One number of a group: the mean of a metric over its tasks, or the result of a function. */
export interface GroupRuleSpec {
  readonly metric: string
  /** Names of filter pipelines. All pipelines of the tasks are used if it is absent. */
  readonly filters?: readonly string[]
  /** True if tasks are weighted by their number of docs. If false, each task counts the same. */
  readonly weightBySize: boolean
  readonly combine?: GroupFunction
}

export interface GroupSpec {
  readonly name: string
  /** All tasks of the group and of its subgroups. */
  readonly tasks: readonly string[]
  readonly rules: readonly GroupRuleSpec[]
}

/**
 * Computes the aggregates of groups. A mean is over the tasks that have the metric: Σ wᵢ·vᵢ / Σ wᵢ. The weight wᵢ
 * is the number of docs with a value, or 1. The standard error assumes independent tasks: √(Σ (wᵢ·seᵢ)²) / Σ wᵢ.
 * lmms-eval pools the variances within tasks, which differs for unequal sizes and for unweighted means.
 */
export function groupAggregates(
  groups: readonly GroupSpec[],
  aggregates: readonly Aggregate[],
): Promise<readonly Aggregate[]> {
  const whole = aggregates.filter(({ group }) => group === undefined)
  const combining = groups.flatMap(group =>
    group.rules.flatMap(rule => {
      const own = whole.filter(
        ({ task, metric, filter }) =>
          group.tasks.includes(task) && metric === rule.metric && (rule.filters?.includes(filter) ?? true),
      )
      const filters = [...new Set(own.map(({ filter }) => filter))]
      return filters.map(filter =>
        combineAggregates(
          group,
          rule,
          own.filter(part => part.filter === filter),
        ),
      )
    }),
  )
  return Promise.all(combining)
}

interface Part {
  readonly aggregate: Aggregate
  readonly value: number
}

async function combineAggregates(
  group: GroupSpec,
  rule: GroupRuleSpec,
  aggregates: readonly Aggregate[],
): Promise<Aggregate> {
  const [first] = aggregates
  const sum = (pick: (part: Aggregate) => number): number => aggregates.reduce((total, part) => total + pick(part), 0)
  const parts = aggregates.flatMap((aggregate): readonly Part[] =>
    aggregate.value === null ? [] : [{ aggregate, value: aggregate.value }],
  )
  const [n, total] = [sum(part => part.n), sum(part => part.total)]
  const bounds = n < total && rule.combine === undefined ? computeBounds(rule, aggregates) : undefined
  const note = missingNote(group, aggregates)
  return {
    task: group.name,
    of: aggregates.map(({ task }) => task),
    metric: rule.metric,
    filter: first?.filter ?? 'none',
    higherIsBetter: first?.higherIsBetter ?? true,
    ...withFiniteNumbers(await computeSummary(rule, parts)),
    n,
    ...(aggregates.some(part => part.draws !== undefined) && { draws: sum(part => part.draws ?? part.n) }),
    total,
    unparsed: sum(part => part.unparsed),
    empty: sum(part => part.empty),
    ...answerStats({
      cut: sum(part => part.cut ?? 0),
      emptyCut: sum(part => part.emptyCut ?? 0),
      reasoned: sum(part => part.reasoned ?? 0),
      reasoningCharacters: sum(part => part.reasoningCharacters ?? 0),
    }),
    ...endingStats(aggregates.flatMap(part => Object.entries(part.endings ?? {}))),
    ...(bounds && { bounds }),
    ...(note === undefined ? {} : { note }),
  }
}

const chooseWeight = ({ weightBySize }: GroupRuleSpec, size: number): number => (weightBySize ? size : 1)

type Summary = Pick<Aggregate, 'value' | 'stderr' | 'interval' | 'intervalMethod' | 'intervalRange' | 'error'>

async function computeSummary(rule: GroupRuleSpec, parts: readonly Part[]): Promise<Summary> {
  const bare = { stderr: null, interval: null, intervalMethod: 'none' } as const
  if (parts.length === 0) return { value: null, ...bare }
  if (rule.combine !== undefined) {
    try {
      const value = await rule.combine(
        parts.map(part => part.value),
        parts.map(({ aggregate }) => aggregate.n),
        rule.weightBySize,
      )
      if (value === null || Number.isFinite(value)) return { value, ...bare }
      return { value: null, ...bare, error: `the group's function gives ${String(value)}, which is no finite number` }
    } catch (error) {
      return { value: null, ...bare, error: messageOf(error) }
    }
  }
  const weights = parts.map(({ aggregate }) => chooseWeight(rule, aggregate.n))
  const whole = weights.reduce((total, weight) => total + weight, 0)
  const { mean: value, stderr } = combineMeans(
    parts.map(({ aggregate, value: mean }, at) => ({ mean, stderr: aggregate.stderr, weight: weights[at] ?? 0 })),
  )
  return { value, stderr, ...computeInterval(parts, weights, { value, whole }) }
}

/** The interval of a weighted mean. A method that all tasks share is the group's; see {@link groupInterval}. */
function computeInterval(
  parts: readonly Part[],
  weights: readonly number[],
  { value, whole }: { readonly value: number; readonly whole: number },
): Pick<Aggregate, 'interval' | 'intervalMethod' | 'intervalRange'> {
  const means: PartOfMean[] = []
  for (const [at, { aggregate, value: own }] of parts.entries()) {
    const { interval, intervalMethod, intervalRange = [0, 1] } = aggregate
    if (interval === null) return { interval: null, intervalMethod: 'none' }
    const wilsonRange = intervalMethod.endsWith('wilson') ? intervalRange : undefined
    means.push({ weight: (weights[at] ?? 0) / whole, value: own, interval, wilsonRange })
  }
  const { interval, isWilson } = groupInterval(means, value)
  const methods = new Set(parts.map(({ aggregate }) => aggregate.intervalMethod))
  const [first] = methods
  // Wilson's intervals of different ranges are combined like others.
  const isShared = methods.size === 1 && first !== undefined && (isWilson || !first.endsWith('wilson'))
  const intervalRange = parts.find(({ aggregate }) => aggregate.intervalRange !== undefined)?.aggregate.intervalRange
  return {
    interval,
    intervalMethod: isShared ? first : isWilson ? 'wilson' : 't',
    ...(isWilson && intervalRange && { intervalRange }),
  }
}

/** Bounds of the group's mean for any value of the missing docs: the mean of the tasks' bounds, over all their docs. */
function computeBounds(rule: GroupRuleSpec, aggregates: readonly Aggregate[]): readonly [number, number] | undefined {
  const ends = aggregates.map(part => ({
    weight: chooseWeight(rule, part.total),
    ends: part.bounds ?? (part.n === part.total && part.value !== null ? [part.value, part.value] : undefined),
  }))
  const whole = ends.reduce((total, { weight }) => total + weight, 0)
  let [low, high] = [0, 0]
  for (const { weight, ends: pair } of ends) {
    if (pair === undefined) return undefined
    low += (weight * pair[0]) / whole
    high += (weight * pair[1]) / whole
  }
  return [low, high]
}

/** Names the tasks that the number leaves out, or that prevent an interval. */
function missingNote({ tasks }: GroupSpec, aggregates: readonly Aggregate[]): string | undefined {
  const without = tasks.filter(task => !aggregates.some(part => part.task === task))
  const empty = aggregates.filter(({ value }) => value === null).map(({ task }) => task)
  const vague = aggregates.filter(({ note }) => note?.startsWith(withoutInterval) === true).map(({ task }) => task)
  const texts = [
    ...(without.length === 0 ? [] : [`${without.join(', ')} ${without.length === 1 ? 'has' : 'have'} no such metric`]),
    ...(empty.length === 0 ? [] : [`${empty.join(', ')} ${empty.length === 1 ? 'has' : 'have'} no score`]),
  ]
  const notes = [
    ...(texts.length === 0 ? [] : [`without some tasks: ${texts.join('; ')}`]),
    ...(vague.length === 0
      ? []
      : [`${withoutInterval}: ${vague.join(', ')} ${vague.length === 1 ? 'has' : 'have'} none`]),
  ]
  return notes.length === 0 ? undefined : notes.join('; ')
}
