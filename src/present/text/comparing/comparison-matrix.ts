import { oneLine } from '../../../../base/text/visible-text.js'
import { formatCount, formatDecimal, formatDifference } from '../../../../base/text/numbers.js'
import type { ComparisonVerdict } from '../../../../stages/judge/statistics/paired/compare-paired.js'
import type { ComparedMetric } from '../../../reading/comparing/compare-metrics.js'
import type { RunComparison } from '../../../reading/comparing/compare-runs.js'
import { rankRuns, type RunRanking } from '../../../reading/comparing/rank-runs.js'
import type { Paint } from '../layout/paint.js'
import { table, type Column } from '../layout/table.js'
import { describeMethod } from './comparison.js'

/** Comparisons of several runs as text: for each metric of a task a table of runs against runs, the best mean first. */
export function comparisonMatrix(comparisons: readonly RunComparison[], paint: Paint): string[] {
  const metrics = comparisons.flatMap(({ a, b, metrics: compared }) => compared.map(metric => ({ a, b, metric })))
  const rankings = rankRuns(comparisons)
  const keys = [...new Set(metrics.map(({ metric }) => formatTitle(metric)))]
  const tables = keys.flatMap(key => [
    key,
    ...matrix(
      metrics.filter(({ metric }) => formatTitle(metric) === key),
      paint,
    ),
    ...rankings.filter(ranking => formatTitle(ranking) === key).map(formatRanking),
    '',
  ])
  const notes = comparisons.flatMap(({ a, b, notes: pairNotes }) =>
    pairNotes.map(note => `${a} and ${b}: ${note.trim()}`),
  )
  return [
    ...tables,
    paint.dim(
      'A cell is the difference of the run on the left from the run above, over the docs that both have a score for.',
    ),
    paint.dim('▲ better, ▼ worse, ≈ equivalent, = no doc differs, and without a mark undecided.'),
    paint.dim(describeMethod(metrics.map(({ metric }) => metric))),
    ...notes.map(paint.yellow),
  ]
}

/** `Bradley–Terry, in Elo: calm-heron +52 ± 31, bold-finch −52 ± 31`. */
const formatRanking = ({ runs }: RunRanking): string =>
  `Bradley–Terry, in Elo: ${runs.map(({ run, elo, halfWidth }) => `${run} ${elo < 0 ? '−' : '+'}${Math.abs(elo).toFixed(0)} ± ${halfWidth.toFixed(0)}`).join(', ')}`

const formatTitle = ({ task, metric }: Pick<ComparedMetric, 'task' | 'metric'>): string =>
  `${oneLine(task)} ${oneLine(metric)}`

interface PairedRuns {
  readonly a: string
  readonly b: string
  readonly metric: ComparedMetric
}

function matrix(pairs: readonly PairedRuns[], paint: Paint): string[] {
  // Of the comparison with the most docs: runs may have different docs in common.
  const largestLast = [...pairs].sort((first, second) => first.metric.n - second.metric.n)
  const scores = new Map(largestLast.flatMap(({ a, b, metric }) => [[a, metric.a] as const, [b, metric.b] as const]))
  const isLowerBetter = pairs.some(({ metric }) => !metric.higherIsBetter)
  const runs = [...scores].sort(([, first], [, second]) => (isLowerBetter ? first - second : second - first))
  const columns: readonly Column[] = [
    { title: 'run', least: 12 },
    { title: 'n', align: 'right', drop: 1 },
    { title: 'score', align: 'right' },
    ...runs.map(([name]): Column => ({ title: name, align: 'right', least: 8 })),
  ]
  const rows = runs.map(([name, score]) => [
    name,
    formatCount(Math.max(...pairs.flatMap(({ a, b, metric }) => (a === name || b === name ? [metric.n] : [])))),
    formatDecimal(score),
    ...runs.map(([other]) => cell(name, other, pairs, paint)),
  ])
  return table(columns, rows, paint)
}

const marks = { better: '▲', worse: '▼', equivalent: '≈', same: '=', undecided: ' ' } as const

function cell(name: string, other: string, pairs: readonly PairedRuns[], paint: Paint): string {
  if (name === other) return '·'
  const own = pairs.find(({ a, b }) => a === other && b === name)
  const pair = own ?? pairs.find(({ a, b }) => a === name && b === other)
  if (pair === undefined) return '–'
  const { difference, verdict } = pair.metric
  const turned: ComparisonVerdict = verdict === 'better' ? 'worse' : verdict === 'worse' ? 'better' : verdict
  const shownDifference = own === undefined && difference !== 0 ? -difference : difference
  const ownVerdict = own === undefined ? turned : verdict
  const text = `${formatDifference(shownDifference)} ${marks[ownVerdict]}`
  return ownVerdict === 'better' ? paint.green(text) : ownVerdict === 'worse' ? paint.red(text) : text
}
