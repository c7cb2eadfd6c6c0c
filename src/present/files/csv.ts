import { visibleText } from '../../../base/text/visible-text.js'
import type { Aggregate } from '../../../cache/records.js'
import type { Leaderboard } from '../../reading/leaderboard/read-leaderboard.js'
import { failedDocs } from '../../reading/samples/failed-docs.js'
import type { ReportedScores } from './reported-run.js'

/** Texts are names from task files and datasets. All other values are the program's own. */
type Value = string | number | boolean | null | undefined

const columns = [
  'task',
  'kind',
  'group_field',
  'group',
  'metric',
  'filter',
  'value',
  'stderr',
  'interval_low',
  'interval_high',
  'interval_method',
  'n',
  'total',
  'coverage',
  'unparsed',
  'empty',
  'failed',
  'higher_is_better',
  'run',
  'judgement',
] as const

/** The results of runs as CSV (RFC 4180): a header, then a row for each aggregate of each run. Numbers are not rounded. */
export function* csvReport(runs: readonly ReportedScores[]): Generator<string> {
  yield csvLine(columns)
  for (const reported of runs) {
    const failed = failedDocs(reported.failures)
    for (const aggregate of reported.judgement.aggregates) {
      const row = csvRow(reported, aggregate, failed)
      yield csvLine(columns.map(column => row[column]))
    }
  }
}

function csvRow(
  { run, judgement }: ReportedScores,
  aggregate: Aggregate,
  failed: ReadonlyMap<string, number>,
): Record<(typeof columns)[number], Value> {
  const { task, of, group, metric, filter, value, stderr, interval, n, total } = aggregate
  return {
    task,
    kind: of !== undefined ? 'group' : group !== undefined ? 'breakdown' : 'task',
    group_field: group?.field,
    group: group?.label,
    metric,
    filter,
    value,
    stderr,
    interval_low: interval?.[0],
    interval_high: interval?.[1],
    interval_method: aggregate.intervalMethod,
    n,
    total,
    coverage: total === 0 ? null : n / total,
    unparsed: aggregate.unparsed,
    empty: aggregate.empty,
    // Failures are counted by task. Their labels for a breakdown are unknown.
    failed: group === undefined ? countFailed(of ?? [task], failed) : null,
    higher_is_better: aggregate.higherIsBetter,
    run: run.name,
    judgement: judgement.number,
  }
}

const countFailed = (tasks: readonly string[], failed: ReadonlyMap<string, number>): number =>
  tasks.reduce((sum, task) => sum + (failed.get(task) ?? 0), 0)

const cellColumns = [
  'task',
  'kind',
  'metric',
  'filter',
  'model',
  'value',
  'stderr',
  'interval_low',
  'interval_high',
  'n',
  'total',
  'coverage',
  'mark',
  'higher_is_better',
  'run',
  'judgement',
] as const

/** Writes a leaderboard as CSV, with a row for each metric of each model. `mark` is `best` or `tied` by the paired comparison. */
export function* csvMatrix({ models, rows }: Leaderboard): Generator<string> {
  yield csvLine(cellColumns)
  for (const { results, sources, best, ties } of rows)
    for (const [index, result] of results.entries()) {
      const source = sources[index]
      if (result === undefined || source === undefined) continue
      const { task, of, metric, filter, value, stderr, interval, n, total, higherIsBetter } = result
      const row: Record<(typeof cellColumns)[number], Value> = {
        ...{
          task,
          kind: of === undefined ? 'task' : 'group',
          metric,
          filter,
          model: models[index]?.label,
          value,
          stderr,
        },
        ...{ interval_low: interval?.[0], interval_high: interval?.[1], n, total },
        coverage: total === 0 ? null : n / total,
        mark: index === best ? 'best' : ties.includes(index) ? 'tied' : null,
        higher_is_better: higherIsBetter,
        run: source.run.name,
        judgement: source.judgement.number,
      }
      yield csvLine(cellColumns.map(column => row[column]))
    }
}

/** Joins values to a record with its line end. A missing value is an empty field. */
export const csvLine = (values: readonly Value[]): string => `${values.map(csvValue).join(',')}\r\n`

function csvValue(value: Value): string {
  const text = typeof value === 'string' ? textCell(visibleText(value)) : String(value ?? '')
  return /[",\r\n]|^\s|\s$/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * Puts an apostrophe before a text that a spreadsheet would compute as a formula. A text that begins with an apostrophe gets a second one, so
 * that a reader restores every text by the removal of one.
 */
const textCell = (text: string): string => (/^\s*[=+\-@＝＋－＠]|^[\t\r\n']/u.test(text) ? `'${text}` : text)
