import {
  formatCount,
  formatDecimal,
  formatDifference,
  formatQuantity,
  signedRange,
} from '../../../base/text/numbers.js'
import { oneLine } from '../../../base/text/visible-text.js'
import type { BlamedMetric } from '../../rescoring/blame/blame-metric.js'
import type { Blame } from '../../rescoring/blame/blame-runs.js'
import type { Paint } from './layout/paint.js'
import { table, type Column } from './layout/table.js'

const columns: readonly Column[] = [
  { title: 'factor', least: 10 },
  { title: 'effect', align: 'right' },
  { title: '95 % interval', align: 'right' },
]

/** The names of factors in words. */
const words: Readonly<Record<string, string>> = {
  parameters: 'generation parameters',
  fields: 'other fields of the docs',
  samples: 'other samples of the same requests',
  rules: 'rules of scoring',
}

/** Formats the difference of two runs, with a table of factors for each metric. The effects of the factors add up to the difference. */
export function formatBlame({ a, b, metrics, notes }: Blame, paint: Paint): string[] {
  return [
    `A  ${a}`,
    `B  ${b}`,
    '',
    ...metrics.flatMap(metric => [...formatMetric(metric, paint), '']),
    paint.dim(
      'Effects are means over all orders in which the factors can change from A to B (Shapley), and add up to the difference.',
    ),
    ...notes.map(paint.yellow),
  ]
}

function formatMetric(metric: BlamedMetric, paint: Paint): string[] {
  const { task, metric: name, a, b, difference, n, leftOut, factors } = metric
  const leftOutText = leftOut === 0 ? '' : `, ${formatQuantity(leftOut, 'doc')} left out without a mixed score`
  const title = `${oneLine(task)} ${oneLine(name)}   ${formatDecimal(a)} → ${formatDecimal(b)}   ${formatDifference(difference)}   ${formatCount(n)} docs${leftOutText}`
  if (factors.length === 0) return [title, 'The runs differ in nothing that was asked or scored.']
  const rows = factors.map(({ factor, effect, interval }) => [
    factor
      .split(' + ')
      .map(part => words[part] ?? part)
      .join(' + '),
    formatDifference(effect),
    interval === null ? '–' : signedRange(interval),
  ])
  return [title, ...table(columns, rows, paint)]
}
