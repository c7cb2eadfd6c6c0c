/** The table of tasks: one part a benchmark, folded where it has several names. */
import type { TaskRow } from '../../../present/page/data/index.js'
import { formatCount, formatQuantity } from '../../../../base/text/numbers.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox, type Column } from '../../parts/table-box.js'
import { formatHash } from '../../routing/address.js'
import type { Benchmark } from './benchmarks.js'

const columns: readonly Column[] = [
  { title: 'Task' },
  { title: 'Modality', hint: 'What prompts show beside text.' },
  { title: 'Docs', align: 'right', hint: 'Known once a run has read all docs.' },
  { title: 'Metric' },
  { title: 'Dataset' },
  { title: 'Run' },
]

interface TaskTableProps {
  readonly benchmarks: readonly Benchmark[]
  /** Whether a benchmark shows its tasks. */
  readonly isOpen: (name: string) => boolean
  readonly toggle: (name: string) => void
}

/** Shows benchmarks with their tasks. */
export const TaskTable = ({ benchmarks, isOpen, toggle }: TaskTableProps) => (
  <TableBox label="Tasks by benchmark" columns={columns} class="task-table">
    {benchmarks.flatMap(benchmark => {
      const [only] = benchmark.rows
      if (benchmark.rows.length === 1 && only !== undefined) return [<Row key={rowKey(only)} row={only} />]
      const isShown = isOpen(benchmark.name)
      return [
        <BenchmarkRow key={benchmark.name} {...{ benchmark, isShown }} toggle={() => toggle(benchmark.name)} />,
        ...(isShown ? benchmark.rows.map(row => <Row key={rowKey(row)} row={row} isInner />) : []),
      ]
    })}
  </TableBox>
)

const rowKey = ({ kind, name }: TaskRow): string => `${kind} ${name}`

interface BenchmarkRowProps {
  readonly benchmark: Benchmark
  readonly isShown: boolean
  readonly toggle: () => void
}

function BenchmarkRow({ benchmark: { name, tasks, modality, metrics, source }, isShown, toggle }: BenchmarkRowProps) {
  return (
    <tr class="benchmark">
      <th scope="row">
        <button type="button" class="fold" aria-expanded={isShown} onClick={toggle}>
          {formatLine(name, 80)}
        </button>{' '}
        <span class="dim">{formatQuantity(tasks, 'task')}</span>
      </th>
      <td>{formatLine(modality, 60)}</td>
      <td />
      <td>{formatLine(metrics, 80)}</td>
      <td>{formatLine(source, 80)}</td>
      <td />
    </tr>
  )
}

function Row({ row, isInner = false }: { readonly row: TaskRow; readonly isInner?: boolean }) {
  const { name, kind, members, modality = '', docs, metrics = [], source = '' } = row
  return (
    <tr class={isInner ? 'inner' : ''}>
      <th scope="row">
        <a href={formatHash(['tasks', name])}>{formatLine(name, 120)}</a>
        {kind !== 'task' && (
          <span class="kind">
            {kind} of {formatCount(members ?? 0)}
          </span>
        )}
      </th>
      <td>{formatLine(modality, 60)}</td>
      <td class="right">{docs === undefined || docs === null ? '' : formatCount(docs)}</td>
      <td>{formatLine(metrics.join(', '), 80)}</td>
      <td>{formatLine(source, 80)}</td>
      <td>
        <a href={formatHash(['new'], { tasks: name })} aria-label={`Start a run with ${formatLine(name, 120)}`}>
          Run
        </a>
      </td>
    </tr>
  )
}
