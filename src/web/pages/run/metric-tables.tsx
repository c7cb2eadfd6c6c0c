/** Scores by task and metric, and of groups of tasks. Breakdowns by label fold out. */
import { metricLabel } from '../../../reading/metric-label.js'
import type { RunView } from '../../../present/page/data/index.js'
import type { Scale } from '../../parts/interval-geometry.js'
import { formatLine } from '../../parts/safe-text.js'
import { usePrinting } from '../../parts/printing.js'
import { TableBox, type Column } from '../../parts/table-box.js'
import { useQuery } from '../../routing/address.js'
import { BreakdownRows } from './breakdown-rows.js'
import { FigureCells } from './figure-cells.js'
import { metricRows, makeScales, type MetricRow } from './metric-rows.js'

interface MetricTablesProps {
  readonly view: RunView
  readonly reference: string
}

const figures: readonly Column[] = [
  { title: 'Metric' },
  { title: 'Score', align: 'right' },
  {
    title: '95 % interval',
    hint: 'The pale band behind the bar is where the score may end once the missing docs are scored.',
  },
  { title: 'n', align: 'right', hint: 'Docs that have a value.' },
  { title: 'Coverage', align: 'right', hint: 'The share of docs that have a value.' },
  { title: 'Unparsed', align: 'right', hint: 'Docs in whose answer no filter found a result.' },
  { title: 'Empty', align: 'right', hint: 'Docs whose answer is empty.' },
  { title: 'Cut off', align: 'right', hint: 'Docs whose answer was cut off at its token limit.' },
  { title: 'Samples' },
]

/** Shows the scores of a run with their intervals. */
export function MetricTables({ view, reference }: MetricTablesProps) {
  const rows = metricRows(view.metrics)
  const scales = makeScales(view.metrics)
  const isOpenFirst = countLabels(rows) <= fewLabels
  const tasks = rows.filter(({ whole }) => whole.of === undefined)
  const groups = rows.filter(({ whole }) => whole.of !== undefined)
  if (rows.length === 0)
    return (
      <section>
        <h2>Scores</h2>
        <p>{view.state === 'running' ? 'The run has no scores yet.' : 'The run is not judged: it has no scores.'}</p>
      </section>
    )
  return (
    <>
      <section>
        <h2>Scores</h2>
        <TableBox label="Scores by task and metric" columns={[{ title: 'Task' }, ...figures]} class="metrics">
          <Rows rows={tasks} of="task" {...{ view, reference, scales, isOpenFirst }} />
        </TableBox>
      </section>
      {groups.length > 0 && (
        <section>
          <h2>Groups</h2>
          <TableBox label="Scores of groups" columns={[{ title: 'Group' }, ...figures]} class="metrics">
            <Rows rows={groups} of="group" {...{ view, reference, scales, isOpenFirst }} />
          </TableBox>
        </section>
      )}
    </>
  )
}

/** The maximum number of labels for which a breakdown is open by default. */
const fewLabels = 24

const countLabels = (rows: readonly MetricRow[]): number =>
  rows.reduce((sum, { parts }) => sum + parts.reduce((count, { labels }) => count + labels.length, 0), 0)

interface RowsProps extends MetricTablesProps {
  readonly rows: readonly MetricRow[]
  readonly of: 'task' | 'group'
  readonly scales: ReadonlyMap<string, Scale>
  /** Whether breakdowns are open as long as the address says nothing. */
  readonly isOpenFirst: boolean
}

/** The address holds which breakdowns are open, as `open=task0,group2`, or `open=none`. */
function Rows({ rows, of, view, reference, scales, isOpenFirst }: RowsProps) {
  const [query, change] = useQuery()
  const isPrinting = usePrinting()
  const first = isOpenFirst ? listFoldIds(view).join(',') : ''
  const open = new Set((query['open'] ?? first).split(',').filter(id => id !== '' && id !== 'none'))
  const toggle = (id: string): void => {
    const next = open.has(id) ? [...open].filter(other => other !== id) : [...open, id]
    change({ open: next.length === 0 ? 'none' : next.join(',') })
  }
  return (
    <>
      {rows.map(({ whole, parts }, index) => {
        const id = `${of}${index}`
        const isOpen = isPrinting || open.has(id)
        const isRepeated = rows[index - 1]?.whole.task === whole.task
        const scale = scales.get(whole.metric) ?? { low: 0, high: 1 }
        const task = formatLine(view.aliases[whole.task] ?? whole.task)
        return (
          <>
            <tr key={id} class={isRepeated ? 'repeated' : ''}>
              <th scope="row" title={formatLine(whole.of === undefined ? whole.task : whole.of.join(', '), 1000)}>
                <span class={isRepeated ? 'unseen' : ''}>{task}</span>
              </th>
              <td class="metric">
                {parts.length === 0 ? (
                  formatLine(metricLabel(whole))
                ) : (
                  <button
                    type="button"
                    class="plain fold"
                    aria-expanded={isOpen}
                    aria-label={`${formatLine(metricLabel(whole))} of ${task} by label`}
                    onClick={() => toggle(id)}
                  >
                    {formatLine(metricLabel(whole))}
                  </button>
                )}
              </td>
              <FigureCells metric={whole} scale={scale} reference={reference} />
            </tr>
            {isOpen && <BreakdownRows key={`${id} parts`} parts={parts} scale={scale} reference={reference} />}
          </>
        )
      })}
    </>
  )
}

/** Lists the ids of all breakdowns of a run, of its tasks and of its groups. */
function listFoldIds(view: RunView): readonly string[] {
  const rows = metricRows(view.metrics)
  return [
    ...rows.filter(({ whole }) => whole.of === undefined).map((_, index) => `task${index}`),
    ...rows.filter(({ whole }) => whole.of !== undefined).map((_, index) => `group${index}`),
  ]
}
