import { messageOf } from '../../base/errors/errors.js'
import type { Aggregate } from '../../cache/records.js'
import { answerStats, endingStats } from './answer-stats.js'
import { withoutInterval } from './define/define-aggregation.js'

/** A group's own function, which computes one number from those of its tasks. */
export type GroupFunction = (
  values: readonly number[],
  sizes: readonly number[],
  weightBySize: boolean,
) => number | null

/** One number of a group: the mean of a metric over its tasks, or the result of a function. */
export interface GroupRuleSpec {
  readonly metric: string
  /** Names of filter pipelines. All pipelines of the tasks are used if it is absent. */
  readonly filters?: readonly string[]
  /** Whether tasks are weighted by their number of docs. If false, each task counts the same. */
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
export function groupAggregates(groups: readonly GroupSpec[], aggregates: readonly Aggregate[]): readonly Aggregate[] {
  const whole = aggregates.filter(({ group }) => group === undefined)
  return groups.flatMap(group =>
    group.rules.flatMap(rule => {
      const own = whole.filter(
        ({ task, metric, filter }) =>
          group.tasks.includes(task) && metric === rule.metric && (rule.filters?.includes(filter) ?? true),
      )
      const filters = [...new Set(own.map(({ filter }) => filter))]
      return filters.map(filter =>
        combined(
          group,
          rule,
          own.filter(part => part.filter === filter),
        ),
      )
    }),
  )
}

interface Part {
  readonly aggregate: Aggregate
  readonly value: number
}

function combined(group: GroupSpec, rule: GroupRuleSpec, all: readonly Aggregate[]): Aggregate {
  const [first] = all
  const sum = (pick: (part: Aggregate) => number): number => all.reduce((total, part) => total + pick(part), 0)
  const parts = all.flatMap((aggregate): readonly Part[] =>
    aggregate.value === null ? [] : [{ aggregate, value: aggregate.value }],
  )
  const [n, total] = [sum(part => part.n), sum(part => part.total)]
  const bounds = n < total && rule.combine === undefined ? boundsOf(rule, all) : undefined
  const note = missingNote(group, all)
  return {
    task: group.name,
    of: all.map(({ task }) => task),
    metric: rule.metric,
    filter: first?.filter ?? 'none',
    higherIsBetter: first?.higherIsBetter ?? true,
    ...summaryOf(rule, parts),
    n,
    total,
    unparsed: sum(part => part.unparsed),
    empty: sum(part => part.empty),
    ...answerStats({
      cut: sum(part => part.cut ?? 0),
      emptyCut: sum(part => part.emptyCut ?? 0),
      reasoned: sum(part => part.reasoned ?? 0),
      reasoningCharacters: sum(part => part.reasoningCharacters ?? 0),
    }),
    ...endingStats(all.flatMap(part => Object.entries(part.endings ?? {}))),
    ...(bounds && { bounds }),
    ...(note === undefined ? {} : { note }),
  }
}

const weightOf = ({ weightBySize }: GroupRuleSpec, size: number): number => (weightBySize ? size : 1)

type Summary = Pick<Aggregate, 'value' | 'stderr' | 'interval' | 'intervalMethod' | 'error'>

function summaryOf(rule: GroupRuleSpec, parts: readonly Part[]): Summary {
  const bare = { stderr: null, interval: null, intervalMethod: 'none' } as const
  if (parts.length === 0) return { value: null, ...bare }
  if (rule.combine !== undefined) {
    try {
      const value = rule.combine(
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
  const weights = parts.map(({ aggregate }) => weightOf(rule, aggregate.n))
  const whole = weights.reduce((total, weight) => total + weight, 0)
  const value = parts.reduce((total, part, at) => total + (weights[at] ?? 0) * part.value, 0) / whole
  return { value, stderr: stderrOf(parts, weights, whole), ...intervalOf(parts, weights, { value, whole }) }
}

function stderrOf(parts: readonly Part[], weights: readonly number[], whole: number): number | null {
  let square = 0
  for (const [at, { aggregate }] of parts.entries()) {
    if (aggregate.stderr === null) return null
    square += ((weights[at] ?? 0) * aggregate.stderr) ** 2
  }
  return Math.sqrt(square) / whole
}

/**
 * The interval of a weighted mean from the intervals of its parts. It keeps their asymmetry.
 *
 * Source: Zou and Donner, Construction of confidence limits about effect measures (2008), the method of variance
 * estimates recovery.
 */
function intervalOf(
  parts: readonly Part[],
  weights: readonly number[],
  { value, whole }: { readonly value: number; readonly whole: number },
): Pick<Aggregate, 'interval' | 'intervalMethod'> {
  let [below, above] = [0, 0]
  for (const [at, part] of parts.entries()) {
    const { interval } = part.aggregate
    if (interval === null) return { interval: null, intervalMethod: 'none' }
    const weight = (weights[at] ?? 0) / whole
    below += (weight * (part.value - interval[0])) ** 2
    above += (weight * (interval[1] - part.value)) ** 2
  }
  const methods = new Set(parts.map(({ aggregate }) => aggregate.intervalMethod))
  const [method = 'none'] = methods
  return {
    interval: [value - Math.sqrt(below), value + Math.sqrt(above)],
    intervalMethod: methods.size === 1 ? method : 't',
  }
}

/** Bounds of the group's mean for any value of the missing docs: the mean of the tasks' bounds, over all their docs. */
function boundsOf(rule: GroupRuleSpec, all: readonly Aggregate[]): readonly [number, number] | undefined {
  const ends = all.map(part => ({
    weight: weightOf(rule, part.total),
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
function missingNote({ tasks }: GroupSpec, all: readonly Aggregate[]): string | undefined {
  const without = tasks.filter(task => !all.some(part => part.task === task))
  const empty = all.filter(({ value }) => value === null).map(({ task }) => task)
  const vague = all.filter(({ note }) => note?.startsWith(withoutInterval) === true).map(({ task }) => task)
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
