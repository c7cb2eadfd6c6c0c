import { PipelineError } from '../../../base/errors/errors.js'
import { didYouMean, nearest } from '../../../base/text/suggest.js'
import { formatDecimal, formatDifference, signedRange } from '../../../base/text/numbers.js'
import { wildcard } from '../../../base/text/wildcard.js'
import type { Aggregate, Run } from '../../../cache/records.js'
import type { BaselineComparison } from '../comparing/baseline.js'
import type { BaselineDifference } from '../comparing/baseline-difference.js'
import { metricLabel } from '../metric-label.js'
import type { BoundOperator, BoundRule, ComparisonRule, Gate } from './gate.js'

/** The result of a gate on one score. A gate that cannot be decided has not passed. */
export interface GateResult {
  readonly gate: string
  readonly task?: string
  readonly metric?: string
  readonly passed: boolean
  /** The score of the run. */
  readonly value: number | null
  /** The number that the score was compared with, for a gate with a bound. */
  readonly bound?: number
  /** One sentence with the numbers. */
  readonly reason: string
}

/** Tells whether a gate did not hold. */
export const hasFailedGate = (gates: readonly GateResult[]): boolean => gates.some(({ passed }) => !passed)

/** Checks gates on the scores of a run's tasks and groups. Breakdowns have no gates. */
export function checkGates(
  gates: readonly Gate[],
  aggregates: readonly Aggregate[],
  baseline: BaselineComparison | undefined,
): readonly GateResult[] {
  const whole = aggregates.filter(({ group }) => group === undefined)
  return gates.flatMap(gate => {
    const pattern = wildcard(gate.subject)
    const matchingAggregates = whole.filter(aggregate => pattern.test(formatSubject(aggregate)))
    if (matchingAggregates.length === 0)
      return [{ gate: gate.text, passed: false, value: null, reason: noScore(gate, whole) }]
    return matchingAggregates.map(aggregate => checkScore(gate, aggregate, baseline))
  })
}

/**
 * Rejects gates on tasks that a run does not have, before any request is sent.
 *
 * @throws PipelineError that names all of them
 */
export function refuseUnknownTasks(gates: readonly Gate[], { asked }: Pick<Run, 'asked'>): void {
  const names = [...asked.tasks, ...(asked.groups ?? [])].map(({ name }) => name)
  const problems = gates.flatMap(({ subject, text }) => {
    if (/[*?[]/.test(subject) || names.some(name => subject.startsWith(`${name}.`))) return []
    const taskName = subject.slice(0, subject.lastIndexOf('.'))
    const hint = didYouMean(taskName, names) || ` It has ${listFew(names)}.`
    return [`the gate ${JSON.stringify(text)} is of a task that the run does not have.${hint}`]
  })
  if (problems.length > 0) throw new PipelineError('usage', problems)
}

const listFew = (names: readonly string[]): string => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', …' : ''}`

const formatSubject = (aggregate: Aggregate): string => `${aggregate.task}.${metricLabel(aggregate)}`

function noScore({ subject }: Gate, whole: readonly Aggregate[]): string {
  const names = whole.map(formatSubject)
  if (names.length === 0) return 'the run has no scores'
  const meant = nearest(subject, names)
  const hint = meant === undefined ? `It has ${listFew(names)}` : `Did you mean ${meant}?`
  return `the run has no score ${subject}. ${hint}`
}

function checkScore(gate: Gate, aggregate: Aggregate, baseline: BaselineComparison | undefined): GateResult {
  const { task, value } = aggregate
  const metric = metricLabel(aggregate)
  const about = { gate: gate.text, task, metric, value }
  if (value === null) return { ...about, passed: false, reason: `${formatSubject(aggregate)} has no value` }
  const difference = baseline?.rows.find(row => row.task === task && row.metric === metric)
  if (gate.rule.kind === 'bound') return { ...about, ...checkBound(value, gate.rule, difference, baseline) }
  return { ...about, ...checkComparison(gate.rule, aggregate, difference, baseline) }
}

type Decision = Pick<GateResult, 'passed' | 'reason' | 'bound'>

function checkBound(
  value: number,
  { operator, base, offset }: BoundRule,
  difference: BaselineDifference | undefined,
  baseline: BaselineComparison | undefined,
): Decision {
  if (base === 'baseline' && difference === undefined) return { passed: false, reason: noBaseline(baseline) }
  const bound = (base === 'baseline' ? (difference?.baseline ?? 0) : 0) + offset
  const passed = holds(value, operator, bound)
  return {
    passed,
    bound,
    reason: `${formatDecimal(value)} ${passed ? '' : 'is not '}${operator} ${formatDecimal(bound)}`,
  }
}

/** Sums of decimals such as 0.9 − 0.01 carry rounding noise, which decides no gate. */
function holds(value: number, operator: BoundOperator, bound: number): boolean {
  const isEqual = Math.abs(value - bound) <= 1e-12 * Math.max(1, Math.abs(value), Math.abs(bound))
  if (operator === '>=') return isEqual || value > bound
  if (operator === '<=') return isEqual || value < bound
  return !isEqual && (operator === '>' ? value > bound : value < bound)
}

/** With a margin, the interval decides, whatever the verdict is. Without one, the verdict does. */
function checkComparison(
  { kind, margin }: ComparisonRule,
  { higherIsBetter }: Aggregate,
  row: BaselineDifference | undefined,
  baseline: BaselineComparison | undefined,
): Decision {
  if (row === undefined) return { passed: false, reason: noBaseline(baseline) }
  const { difference, interval, verdict } = row
  const differenceText =
    verdict === 'same' ? 'no doc differs from the baseline' : `the difference is ${formatDifference(difference)}`
  const text = interval === undefined ? differenceText : `${differenceText} (${signedRange(interval)})`
  if (margin === undefined) {
    if (verdict === undefined) return { passed: false, reason: `${text}, and it has no interval that could decide` }
    const passed = kind === 'better' ? verdict === 'better' : verdict !== 'worse'
    return { passed, reason: verdict === 'same' ? differenceText : `${text}: ${verdict}` }
  }
  if (interval === undefined) return { passed: false, reason: `${text}, and it has no interval that could decide` }
  const worst = higherIsBetter ? interval[0] : -interval[1]
  // The verdict of one metric among several allows for their number, which the interval does not.
  if (kind === 'better' && verdict !== 'better') return { passed: false, reason: `${text}: ${verdict ?? 'undecided'}` }
  const passed = kind === 'better' ? worst >= margin : worst >= -margin
  const limit = formatDifference(kind === 'better' ? margin : -margin)
  return { passed, reason: `${text}: its worse end is ${formatDifference(worst)}, and ${limit} is the limit` }
}

const noBaseline = (baseline: BaselineComparison | undefined): string =>
  baseline === undefined ? 'no baseline is given' : `the baseline ${baseline.label} has no such score`
