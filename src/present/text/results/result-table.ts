import { metricLabel } from '../../../reading/metric-label.js'
import type { Aggregate, Run } from '../../../../cache/records.js'
import { describeStopping } from '../../../reading/stopping-text.js'
import { withoutInterval } from '../../../../stages/judge/define/define-aggregation.js'
import {
  formatQuantity,
  formatDecimal,
  formatDifference,
  formatCount,
  percent,
  probability,
  range,
  signedRange,
} from '../../../../base/text/numbers.js'
import type { BaselineComparison } from '../../../reading/comparing/baseline.js'
import type { Paint } from '../layout/paint.js'
import { table, type Column } from '../layout/table.js'

const columns: readonly Column[] = [
  { title: 'task', least: 14 },
  { title: 'metric', least: 10 },
  { title: 'score', align: 'right' },
  { title: '95 % CI', drop: 1 },
  { title: 'n', align: 'right', drop: 2 },
  { title: 'coverage', align: 'right' },
]

const groupColumns: readonly Column[] = [{ title: 'group', least: 14 }, ...columns.slice(1)]

/** One table of results. */
export interface ResultSection {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly string[])[]
}

/** Makes the result tables: scores by task and metric with their breakdown, then scores of groups if there are any. */
export function resultSections(
  aggregates: readonly Aggregate[],
  names: readonly ShownName[] = [],
  baseline?: BaselineComparison,
): ResultSection[] {
  const beside = (head: readonly Column[]): readonly Column[] =>
    baseline === undefined ? head : [...head, { title: 'against the baseline', least: 16 }]
  const whole = aggregates.filter(aggregate => aggregate.group === undefined)
  const makeNamedRows = (rows: readonly Aggregate[]): string[][] => {
    let last: string | undefined
    return rows.flatMap(aggregate => {
      const name = aggregate.task === last ? '' : formatTaskName(aggregate, names)
      last = aggregate.task
      const difference = baseline === undefined ? [] : [formatBaseline(aggregate, baseline)]
      const groups = breakdown(aggregates, aggregate)
      return [[...row(aggregate, name), ...difference], ...groups.map(cells => [...cells, ...difference.map(() => '')])]
    })
  }
  const ofGroups = whole.filter(({ of }) => of !== undefined)
  return [
    { columns: beside(columns), rows: makeNamedRows(whole.filter(({ of }) => of === undefined)) },
    ...(ofGroups.length === 0 ? [] : [{ columns: beside(groupColumns), rows: makeNamedRows(ofGroups) }]),
  ]
}

/** `+0.021 (+0.008 … +0.034), p 0.0031` */
function formatBaseline(aggregate: Aggregate, { rows }: BaselineComparison): string {
  const row = rows.find(({ task, metric }) => task === aggregate.task && metric === metricLabel(aggregate))
  if (row === undefined) return '–'
  const { difference, interval, p } = row
  const between = interval === undefined ? '' : ` (${signedRange(interval)})`
  return `${formatDifference(difference)}${between}${p === undefined ? '' : `, p ${probability(p)}`}`
}

/** The counts and notes that readers need to trust the scores. */
export function resultNotes(aggregates: readonly Aggregate[], failedDocs: FailedDocs, paint: Paint): string[] {
  const whole = aggregates.filter(aggregate => aggregate.group === undefined)
  return [...caveats(whole, failedDocs, paint), ...vagueGroups(aggregates)]
}

/** The result table as text: all sections, then the notes. */
export const resultTable = (
  aggregates: readonly Aggregate[],
  failedDocs: FailedDocs,
  paint: Paint,
  names: readonly ShownName[] = [],
  baseline?: BaselineComparison,
): string[] => [
  ...resultSections(aggregates, names, baseline).flatMap(({ columns: head, rows }) => [
    ...table(head, rows, paint),
    '',
  ]),
  ...resultNotes(aggregates, failedDocs, paint),
]

/** The name of a task or group in tables. */
export interface ShownName {
  readonly name: string
  readonly alias?: string
}

/** The names of a run's tasks and groups in tables. */
export const shownNames = ({ asked, provenance }: Pick<Run, 'asked' | 'provenance'>): readonly ShownName[] => [
  ...Object.entries(provenance.aliases ?? {}).map(([name, alias]) => ({ name, alias })),
  ...(asked.groups ?? []),
]

/** The name of an aggregate's task or group in tables. */
export const formatTaskName = ({ task }: Pick<Aggregate, 'task'>, names: readonly ShownName[]): string =>
  names.find(({ name }) => name === task)?.alias ?? task

/** The number of docs without an answer, by task. */
export type FailedDocs = ReadonlyMap<string, number>

const row = (aggregate: Aggregate, name: string): string[] => [
  name,
  aggregate.group === undefined ? metricLabel(aggregate) : '',
  formatDecimal(aggregate.value),
  range(aggregate.interval),
  formatCount(aggregate.n),
  aggregate.group === undefined || aggregate.n < aggregate.total ? percent(aggregate.n, aggregate.total) : '',
]

function breakdown(aggregates: readonly Aggregate[], whole: Aggregate): string[][] {
  const groups = aggregates.filter(
    ({ task, metric, filter, group }) =>
      group !== undefined && task === whole.task && metric === whole.metric && filter === whole.filter,
  )
  const fields = new Set(groups.map(({ group }) => group?.field))
  return groups.map((aggregate, index) => {
    const branch = index === groups.length - 1 ? '└' : '├'
    const label = aggregate.group === undefined ? '' : aggregate.group.label
    return row(aggregate, ` ${branch} ${fields.size > 1 ? `${aggregate.group?.field ?? ''}: ${label}` : label}`)
  })
}

/** Lines about answers that count as wrong without being read, about missing docs, and about the bounds of the score. */
function caveats(whole: readonly Aggregate[], failedDocs: FailedDocs, paint: Paint): string[] {
  const tasks = [...new Set(whole.filter(({ of }) => of === undefined).map(({ task }) => task))]
  const lines = tasks.map(task => {
    const ofTask = whole.filter(aggregate => aggregate.task === task)
    const empty = Math.max(0, ...ofTask.map(aggregate => aggregate.empty))
    const unparsed = Math.max(0, ...ofTask.map(aggregate => aggregate.unparsed))
    const emptyCut = Math.max(0, ...ofTask.map(aggregate => aggregate.emptyCut ?? 0))
    const reasoned = Math.max(0, ...ofTask.map(aggregate => aggregate.reasoned ?? 0))
    const endings = ofTask.find(aggregate => aggregate.endings !== undefined)?.endings ?? {}
    return { task, empty, emptyCut, endings, reasoned, unparsed, failed: failedDocs.get(task) ?? 0 }
  })
  const clean = lines.every(
    ({ empty, endings, unparsed, failed, reasoned }) =>
      empty + unparsed + failed + reasoned + Object.keys(endings).length === 0,
  )
  const shownLines = clean ? lines.slice(0, 1) : lines
  const figures = shownLines.map(({ task, empty, emptyCut, endings, reasoned, unparsed, failed }) => {
    const cut = emptyCut === 0 ? '' : ` (${formatCount(emptyCut)} cut off at the token limit)`
    const text = [
      `${figure('empty', empty, paint)}${cut}`,
      figure('unparsed', unparsed, paint),
      figure('failed', failed, paint),
      ...Object.entries(endings).map(([reason, n]) =>
        figure(`ended by an unknown ${JSON.stringify(reason)}`, n, paint),
      ),
      ...(reasoned === 0 ? [] : [`with reasoning ${formatCount(reasoned)}`]),
    ]
    return `${tasks.length > 1 && !clean ? `${task}: ` : ''}${text.join(' · ')}`
  })
  return [
    ...figures,
    ...tasks.flatMap(task => mediaLine(task, whole)),
    ...whole.flatMap(boundsLine),
    ...whole.flatMap(stoppingLine),
    ...whole.flatMap(noteLine),
  ]
}

/** Says once for a task that its docs are clustered by their media. */
function mediaLine(task: string, whole: readonly Aggregate[]): string[] {
  const clustered = whole.find(aggregate => aggregate.task === task && aggregate.media !== undefined)
  if (clustered === undefined) return []
  const { n, media = n } = clustered
  return [
    `${task}: the interval takes docs that show the same medium as one cluster (${formatQuantity(n, 'doc')}, ${formatQuantity(media, 'cluster')}); --cluster changes that`,
  ]
}

/** `mmlu: exact_match stopped at n = 340 of 2,000: half-width 0.0199 (confidence sequence)` */
const stoppingLine = (aggregate: Aggregate): string[] =>
  aggregate.stopping === undefined
    ? []
    : [
        `${aggregate.task}: ${metricLabel(aggregate)} ${describeStopping({ ...aggregate, stopping: aggregate.stopping })}`,
      ]

/** `flickr30k: bleu is nrefs:5|case:mixed|eff:no|tok:13a|smooth:exp|version:2.6.0` */
const noteLine = (aggregate: Aggregate): string[] => [
  ...(aggregate.note === undefined ? [] : [`${aggregate.task}: ${metricLabel(aggregate)} is ${aggregate.note}`]),
  ...(aggregate.error === undefined
    ? []
    : [`${aggregate.task}: ${metricLabel(aggregate)} has no value: ${aggregate.error}`]),
]

/** `shapes_vqa: exact_match by type is without an interval in 2 rows: the docs come in 3 clusters, …` */
function vagueGroups(aggregates: readonly Aggregate[]): string[] {
  const counts = new Map<string, number>()
  for (const { group, note, task, ...rest } of aggregates) {
    if (group === undefined || note?.startsWith(withoutInterval) !== true) continue
    const text = `${task}: ${metricLabel(rest)} by ${group.field}, ${note}`
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return Array.from(counts, ([text, count]) => (count === 1 ? text : `${text} (${formatCount(count)} rows)`))
}

const figure = (name: string, count: number, paint: Paint): string =>
  count === 0 ? `${name} 0` : paint.yellow(`${name} ${formatCount(count)}`)

/** `mmmu_val: the full accuracy lies between 0.450 and 0.454; 4 of 900 docs are missing` */
function boundsLine(aggregate: Aggregate): string[] {
  if (aggregate.n >= aggregate.total) return []
  const { task, n, total, bounds } = aggregate
  const label = metricLabel(aggregate)
  if (n === 0) return [`${task}: no doc has a score of ${label} yet (0 of ${formatCount(total)})`]
  const missing = `${formatCount(total - n)} of ${formatQuantity(total, 'doc')} ${total - n === 1 ? 'is' : 'are'} missing`
  if (bounds === undefined) return [`${task}: the full ${label} can't be bounded; ${missing}`]
  const [worst, best] = bounds
  return [`${task}: the full ${label} lies between ${formatDecimal(worst)} and ${formatDecimal(best)}; ${missing}`]
}
