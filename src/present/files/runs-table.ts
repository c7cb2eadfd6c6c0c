import { metricLabel } from '../../reading/metric-label.js'
import type { Aggregate } from '../../../cache/records.js'
import { formatDecimal, percent, range } from '../../../base/text/numbers.js'
import type { Paint } from '../text/layout/paint.js'
import { pairs, table, type Column } from '../text/layout/table.js'
import { formatTaskName, shownNames } from '../text/results/result-table.js'
import type { TableColumn } from './table-columns.js'
import { compareColumns } from '../../reading/comparing/compare-columns.js'

/**
 * Formats several runs or models as a table for the terminal, with a row for each metric and a column for each run or model. A legend below names the
 * columns.
 */
export async function runsTable(shownColumns: readonly TableColumn[], paint: Paint): Promise<string[]> {
  const names = shownColumns.flatMap(({ runs }) => runs.flatMap(({ run }) => shownNames(run)))
  const rows = await compareColumns(shownColumns.map(({ runs }) => runs))
  const columns: readonly Column[] = [
    { title: 'task', least: 10 },
    { title: 'metric', least: 10 },
    ...shownColumns.map(({ title }): Column => ({ title, align: 'right', least: 12 })),
  ]
  const cells = rows.map(({ first, results, best, ties }) => [
    formatTaskName(first, names),
    metricLabel(first),
    ...results.map((result, index) => cell(result, index === best ? '*' : ties.includes(index) ? '≈' : '')),
  ])
  const hasBest = rows.some(({ best }) => best !== undefined)
  const hasTies = rows.some(({ ties }) => ties.length > 0)
  return [
    ...pairs(
      shownColumns.map(({ title, about }) => [title, about]),
      paint,
    ),
    '',
    ...table(columns, cells, paint),
    '',
    paint.dim('95 % intervals in parentheses.'),
    ...(hasBest ? [paint.dim('* is better than each other one by the paired comparison (Holm over the table).')] : []),
    ...(hasTies ? [paint.dim('≈ is the best score, or not shown to be worse than it.')] : []),
  ]
}

/** `0.905* (0.885 – 0.922)`, with the coverage if docs are missing. */
function cell(result: Aggregate | undefined, mark: string): string {
  if (result === undefined) return '–'
  const interval = result.interval === null ? '' : ` (${range(result.interval)})`
  const coverage = result.n < result.total ? `, ${percent(result.n, result.total)} of docs` : ''
  return `${formatDecimal(result.value)}${mark}${interval}${coverage}`
}
