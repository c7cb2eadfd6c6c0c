import { formatCount, formatDecimal, formatDifference, probability } from '../../../../base/text/numbers.js'
import type { ComparedGroup, GroupComparison } from '../../../reading/comparing/compare-groups.js'
import type { Paint } from '../layout/paint.js'
import { table, type Column } from '../layout/table.js'
import { noLabel } from '../../../../stages/judge/score-marks.js'
import { describeMethod } from './comparison.js'

const columns = ({ a, b, field }: GroupComparison): Column[] => [
  { title: 'task', least: 10, drop: 4 },
  { title: 'metric', least: 8 },
  { title: field, least: 8 },
  { title: 'n', align: 'right', drop: 3 },
  { title: a, align: 'right', least: 6 },
  { title: b, align: 'right', least: 6 },
  { title: 'Δ', align: 'right' },
  { title: '95 % CI', drop: 1 },
  { title: 'p', align: 'right', drop: 2 },
  { title: 'of Δ', align: 'right' },
  { title: 'verdict', least: 9 },
]

/** The difference of two runs by groups of docs as text. `of Δ` is the part of the whole difference that a group causes. */
export function groupComparison(compared: GroupComparison, paint: Paint): string[] {
  const rows = compared.groups.map(group => formatGroup(group, paint))
  return [
    ...table(columns(compared), rows, paint),
    '',
    paint.dim(`${describeMethod(compared.groups)}; "of Δ" adds up to the whole difference`),
  ]
}

function formatGroup(compared: ComparedGroup, paint: Paint): string[] {
  const { task, metric, group, n, a, b, difference, interval, adjustedP, p, contribution, verdict } = compared
  const shownP = adjustedP ?? p
  const word = verdict === 'same' ? 'no doc differs' : verdict
  return [
    task,
    metric,
    group ?? noLabel,
    formatCount(n),
    formatDecimal(a),
    formatDecimal(b),
    formatDifference(difference),
    interval === undefined ? '–' : `${formatDifference(interval[0])} … ${formatDifference(interval[1])}`,
    shownP === undefined ? '–' : probability(shownP),
    formatDifference(contribution),
    verdict === 'better' ? paint.green(word) : verdict === 'worse' ? paint.red(word) : word,
  ]
}
