import { growingColumn, type GrowingColumn } from '../../base/collections/growing-column.js'
import type { Aggregate, ScoreBody } from '../../cache/records.js'
import { summariseMean } from '../../stages/judge/aggregations/means.js'
import { withFiniteNumbers } from '../../stages/judge/finite-summary.js'
import type { ForeignTask, ReportedScore } from './foreign-log.js'

/** A number that the log reports, and the number computed from its samples. */
export interface ScoreDifference {
  readonly task: string
  /** `metric` or `metric,filter`. */
  readonly metric: string
  readonly reported: number
  readonly ours: number
}

interface Column {
  readonly numbers: GrowingColumn
  others: number
  unparsed: number
}

/** Collects the scores of a task's docs, and compares their means with what the log reports. */
export class ImportedScores {
  readonly #columns = new Map<string, Column>()
  #docs = 0

  /** @param unparsed the names of the values of an answer that could not be read */
  add(values: ScoreBody['values'], unparsed: readonly string[] = []): void {
    this.#docs += 1
    for (const [name, value] of Object.entries(values)) {
      const column = this.#columns.get(name) ?? { numbers: growingColumn(), others: 0, unparsed: 0 }
      this.#columns.set(name, column)
      if (typeof value === 'number') column.numbers.push(value)
      else column.others += 1
      if (unparsed.includes(name)) column.unparsed += 1
    }
  }

  finish(
    task: ForeignTask,
    tool: string,
  ): { readonly aggregates: readonly Aggregate[]; readonly differences: readonly ScoreDifference[] } {
    const reported = new Map(task.reported.map(score => [formatMetricName(score), score]))
    const names = new Set([...this.#columns.keys(), ...reported.keys()])
    const differences: ScoreDifference[] = []
    const aggregates = [...names].map((name): Aggregate => {
      const column = this.#columns.get(name)
      const theirs = reported.get(name)
      // The name of a metric may have a comma itself.
      const { metric, filter = 'none' } = theirs ?? parseMetricName(name)
      const head = {
        task: task.task,
        metric,
        filter,
        higherIsBetter: task.higherIsBetter?.[metric] ?? true,
        n: column === undefined ? (theirs?.n ?? 0) : column.numbers.length + column.others,
        total: this.#docs,
        unparsed: column?.unparsed ?? 0,
        empty: 0,
      }
      if (column === undefined || !isAveraged(column, task.aggregations?.[metric]))
        return { ...head, ...withFiniteNumbers(reportedOnly(theirs, tool)) }
      const ours = withFiniteNumbers(summariseMean(column.numbers.values()))
      if (theirs === undefined || ours.value === null || isSame(theirs, ours.value)) return { ...head, ...ours }
      differences.push({ task: task.task, metric: name, reported: theirs.value, ours: ours.value })
      return { ...head, ...ours, note: `the mean of the samples' scores; ${tool} reports ${theirs.value}` }
    })
    return { aggregates, differences }
  }
}

const formatMetricName = ({ metric, filter }: ReportedScore): string =>
  filter === undefined || filter === 'none' ? metric : `${metric},${filter}`

function parseMetricName(name: string): { readonly metric: string; readonly filter: string } {
  const comma = name.lastIndexOf(',')
  return comma < 0 ? { metric: name, filter: 'none' } : { metric: name.slice(0, comma), filter: name.slice(comma + 1) }
}

const isAveraged = ({ numbers, others }: Column, aggregation: string | undefined): boolean =>
  others === 0 && numbers.length > 0 && (aggregation === undefined || aggregation === 'mean')

/** Makes the aggregate of an aggregation that only the other tool has. */
function reportedOnly(
  theirs: ReportedScore | undefined,
  tool: string,
): Pick<Aggregate, 'value' | 'stderr' | 'interval' | 'intervalMethod' | 'note'> {
  const bare = { interval: null, intervalMethod: 'none' } as const
  if (theirs === undefined) return { ...bare, value: null, stderr: null }
  return {
    ...bare,
    value: theirs.value,
    stderr: theirs.stderr ?? null,
    note: `the number that ${tool} reports: its samples' scores do not say how it is computed`,
  }
}

/** Tells whether two numbers are equal but for rounding: to the digits that were written, or of floating-point sums. */
function isSame({ value: reported, digits: statedDigits }: ReportedScore, ours: number): boolean {
  const digits = statedDigits ?? /\.(\d+)$/.exec(String(reported))?.[1]?.length ?? 0
  const rounding = digits >= 2 ? 0.5000001 * 10 ** -digits : 0
  return Math.abs(reported - ours) <= Math.max(rounding, 1e-9 * Math.max(1, Math.abs(reported), Math.abs(ours)))
}
