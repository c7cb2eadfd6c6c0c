import type { PairedComparison } from '../../../stages/judge/statistics/compare-paired.js'
import { counted, fixed, grouped, probability, signed } from '../layout/numbers.js'
import { oneLine, type Paint } from '../layout/paint.js'
import { docList } from '../results/incomplete-run.js'
import { table, type Column } from '../layout/table.js'

/** Compares run B with run A on one metric of one task, over the docs with a value in both. */
export interface ComparedMetric extends PairedComparison {
  readonly task: string
  /** `metric` or `metric,filter`. */
  readonly metric: string
  /** Docs with a value in only one of the runs. */
  readonly onlyOne: number
  /** Whether the interval is clustered, because several docs share a picture. */
  readonly isClustered: boolean
}

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
    paint.dim(method(compared)),
    ...withoutInterval(compared),
    ...(missing === 0 ? [] : [paint.yellow(`${counted(missing, 'doc')} scored in one run only, left out`)]),
    ...notes.map(paint.yellow),
    ...flips(compared, paint),
  ]
}

function row(metric: ComparedMetric, paint: Paint): string[] {
  const { improved, worsened, interval } = metric
  return [
    metric.task,
    metric.metric,
    grouped(metric.n),
    fixed(metric.a),
    fixed(metric.b),
    signed(metric.difference),
    interval === undefined ? '–' : `${signed(interval[0])} … ${signed(interval[1])}`,
    probabilityText(metric),
    improved.length + worsened.length === 0 ? '–' : `${grouped(improved.length)}↑ ${grouped(worsened.length)}↓`,
    verdictText(metric, paint),
  ]
}

/** The p-value of McNemar's exact test for 0/1 values, else of the t test. */
function probabilityText({ mcnemar, p }: ComparedMetric): string {
  const shown = mcnemar ?? p
  return shown === undefined ? '–' : probability(shown)
}

function verdictText({ verdict, docsToDecide }: ComparedMetric, paint: Paint): string {
  switch (verdict) {
    case 'better':
      return paint.green('better')
    case 'worse':
      return paint.red('worse')
    case 'same':
      return 'no doc differs'
    case 'undecided':
      return docsToDecide === undefined ? 'undecided' : `undecided: about ${grouped(docsToDecide)} docs would decide`
  }
}

function method(compared: readonly ComparedMetric[]): string {
  const parts = ['paired by request']
  if (compared.some(({ isClustered }) => isClustered)) parts.push('interval clustered by cluster_key or medium')
  const exact = compared.some(({ mcnemar }) => mcnemar !== undefined)
  parts.push(exact ? "p of McNemar's exact test where scores are 0 or 1" : 'p of the paired t test')
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
    const clustered =
      isClustered && mcnemar !== undefined && p !== undefined ? `   (clustered t test: p ${probability(p)})` : ''
    return [
      `${oneLine(task)} ${oneLine(metric)}${clustered}`,
      ...(improved.length === 0 ? [] : [`  ${paint.green('↑')} ${docList(improved, 12)}`]),
      ...(worsened.length === 0 ? [] : [`  ${paint.red('↓')} ${docList(worsened, 12)}`]),
    ]
  })
  return lines.length === 0 ? [] : ['', ...lines]
}
