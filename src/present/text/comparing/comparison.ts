import type { ComparedMetric } from '../../../reading/comparing/compare-metrics.js'
import { oneLine } from '../../../../base/text/visible-text.js'

import {
  formatQuantity,
  formatDecimal,
  formatCount,
  probability,
  formatDifference,
} from '../../../../base/text/numbers.js'
import { type Paint } from '../layout/paint.js'
import { docList } from '../results/incomplete-run.js'
import { table, type Column } from '../layout/table.js'

const columns = (a: string, b: string): Column[] => [
  { title: 'task', least: 12 },
  { title: 'metric', least: 10 },
  { title: 'n', align: 'right', drop: 3 },
  { title: a, align: 'right', least: 6 },
  { title: b, align: 'right', least: 6 },
  { title: 'Δ', align: 'right' },
  { title: '95 % CI', drop: 1 },
  { title: 'p', align: 'right', drop: 2 },
  { title: 'flips', drop: 4 },
  { title: 'verdict', least: 9 },
]

/** The comparison as text: one line for each task and metric, how docs were paired, and the flipped docs. */
export function comparison(
  compared: readonly ComparedMetric[],
  names: { readonly a: string; readonly b: string },
  paint: Paint,
  notes: readonly string[] = [],
): string[] {
  const rows = compared.map(metric => row(metric, paint))
  const missing = compared.reduce((most, { onlyOne }) => Math.max(most, onlyOne), 0)
  return [
    ...table(columns(names.a, names.b), rows, paint),
    '',
    paint.dim(describeMethod(compared)),
    ...withoutInterval(compared),
    ...(missing === 0 ? [] : [paint.yellow(`${formatQuantity(missing, 'doc')} scored in one run only, left out`)]),
    ...notes.map(paint.yellow),
    ...flips(compared, paint),
  ]
}

function row(metric: ComparedMetric, paint: Paint): string[] {
  const { improved, worsened, interval } = metric
  return [
    metric.task,
    metric.metric,
    formatCount(metric.n),
    formatDecimal(metric.a),
    formatDecimal(metric.b),
    formatDifference(metric.difference),
    interval === undefined ? '–' : `${formatDifference(interval[0])} … ${formatDifference(interval[1])}`,
    probabilityText(metric),
    improved.length + worsened.length === 0 ? '–' : `${formatCount(improved.length)}↑ ${formatCount(worsened.length)}↓`,
    verdictText(metric, paint),
  ]
}

/** The p value of the verdict, adjusted if several comparisons are read together. */
function probabilityText({ p, adjustedP }: ComparedMetric): string {
  const pValue = adjustedP ?? p
  return pValue === undefined ? '–' : probability(pValue)
}

function verdictText({ verdict, moreDocs }: ComparedMetric, paint: Paint): string {
  switch (verdict) {
    case 'better':
      return paint.green('better')
    case 'worse':
      return paint.red('worse')
    case 'same':
      return 'no doc differs'
    case 'equivalent':
      return 'equivalent'
    case 'undecided':
      return moreDocs === undefined
        ? 'undecided'
        : `undecided: about ${formatQuantity(moreDocs, 'more doc')} would decide with a power of 80 %`
  }
}

export function describeMethod(compared: readonly ComparedMetric[]): string {
  const parts = ['paired by task and doc']
  if (compared.some(({ isClustered }) => isClustered))
    parts.push('interval clustered by cluster_key, medium or shared answer')
  const isBinary = compared.some(({ mcnemar }) => mcnemar !== undefined)
  parts.push(isBinary ? 'p of the score test (McNemar) where scores are 0 or 1' : 'p of the paired t test')
  const tests = compared.filter(({ p }) => p !== undefined).length
  if (tests > 1) parts.push(`adjusted for ${formatQuantity(tests, 'comparison')} (Holm)`)
  const margin = compared.find(({ equivalence }) => equivalence !== undefined)?.equivalence?.margin
  if (margin !== undefined) parts.push(`equivalent means within ±${margin} (two one-sided tests)`)
  return parts.join(', ')
}

const reasons = {
  'too few clusters': 'the docs come in too few clusters for one, which takes at least 5 of about one size',
  'all differences are equal': 'all docs differ by the same',
  'one pair': 'it takes two docs',
} as const satisfies Record<NonNullable<ComparedMetric['noInterval']>, string>

const withoutInterval = (compared: readonly ComparedMetric[]): string[] =>
  compared.flatMap(({ n, noInterval, task, metric }) =>
    noInterval === undefined || n === 0 ? [] : [`${task} ${metric} is without an interval: ${reasons[noInterval]}`],
  )

function flips(compared: readonly ComparedMetric[], paint: Paint): string[] {
  const lines = compared.flatMap(({ task, metric, improved, worsened, mcnemar, p, isClustered }) => {
    if (improved.length + worsened.length === 0) return []
    const exact =
      isClustered && mcnemar !== undefined && p !== undefined
        ? `   (McNemar's exact test, without clusters: p ${probability(mcnemar)})`
        : ''
    return [
      `${oneLine(task)} ${oneLine(metric)}${exact}`,
      ...(improved.length === 0 ? [] : [`  ${paint.green('↑')} ${docList(improved, 12)}`]),
      ...(worsened.length === 0 ? [] : [`  ${paint.red('↓')} ${docList(worsened, 12)}`]),
    ]
  })
  return lines.length === 0 ? [] : ['', ...lines]
}
