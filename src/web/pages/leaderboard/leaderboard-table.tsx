import type { LeaderboardCellJson, LeaderboardRowJson, LeaderboardView } from '../../../present/page/data/index.js'
import { formatDecimal, percent, range } from '../../../../base/text/numbers.js'
import { IntervalBar } from '../../parts/interval-bar.js'
import { makeScale, type Scale } from '../../parts/interval-geometry.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'
import { docsHash } from '../docs/docs-address.js'
import type { ArrangedColumns } from './columns.js'
import { formatHash } from '../../routing/address.js'

/** A row for each metric of a task, a column for each model. */
export function LeaderboardTable({
  board: { models, rows },
  arranged: { columns, groups },
  canShowDocs,
}: {
  readonly board: LeaderboardView
  readonly arranged: ArrangedColumns
  /** Whether docs of several runs can be shown side by side. */
  readonly canShowDocs: boolean
}) {
  return (
    <TableBox
      label="Scores by model and task"
      columns={[
        { title: 'Task' },
        { title: 'Metric' },
        ...columns.flatMap(index => {
          const model = models[index]
          return model === undefined
            ? []
            : [{ title: formatLine(model.label, 60), hint: `${model.label}: ${model.runs.join(', ')}` }]
        }),
      ]}
      {...(groups.length > 0 && {
        groups: [
          { title: '', columns: 2 },
          ...groups.map(({ title, columns: wide }) => ({ title: formatLine(title, 60), columns: wide })),
        ],
      })}
      class="leaderboard"
    >
      {rows.map(row => (
        <tr key={`${row.is_group ? 'group' : 'task'} ${row.task} ${row.metric}`} class={row.is_group ? 'is-group' : ''}>
          <th scope="row">
            {formatLine(row.task, 60)}
            {canShowDocs && <DocsLink row={row} />}
          </th>
          <td>
            {formatLine(row.metric, 40)}
            {!row.higher_is_better && (
              <span class="dim" title="Lower is better.">
                {' '}
                ↓
              </span>
            )}
          </td>
          {columns.map(index => {
            const cell = row.cells[index] ?? null
            return (
              <td key={models[index]?.label} class={cell?.mark === undefined ? '' : `is-${cell.mark}`}>
                {cell === null ? <span class="dim">–</span> : <Cell row={row} cell={cell} scale={makeRowScale(row)} />}
              </td>
            )
          })}
        </tr>
      ))}
    </TableBox>
  )
}

/** Leads to the docs of the row's runs side by side. */
function DocsLink({ row }: { readonly row: LeaderboardRowJson }) {
  const runs = [...new Set(row.cells.flatMap(cell => (cell === null ? [] : [cell.run])))]
  if (runs.length < 2) return null
  return (
    <a class="small" href={docsHash(runs, row.is_group ? {} : { task: row.task })}>
      Docs × runs
    </a>
  )
}

interface CellProps {
  readonly row: LeaderboardRowJson
  readonly cell: LeaderboardCellJson
  readonly scale: Scale
}

const marks = {
  best: { sign: '★', words: 'the best' },
  tied: { sign: '≈', words: 'may be as good as the best' },
} as const

function Cell({ row, cell: { run, value, interval, n, total, mark }, scale }: CellProps) {
  const target = row.is_group ? formatHash(['runs', run]) : formatHash(['runs', run, 'samples'], { task: row.task })
  return (
    <>
      <a href={target} title={`${run}, ${n.toLocaleString('en')} docs`}>
        {formatDecimal(value)}
        {mark !== undefined && (
          <span class="mark" role="img" aria-label={marks[mark].words}>
            {marks[mark].sign}
          </span>
        )}
      </a>
      {interval !== null && <span class="dim small">{range(interval)}</span>}
      {n < total && <span class="dim small">{percent(n, total)} of docs</span>}
      <IntervalBar value={value} interval={interval} scale={scale} />
    </>
  )
}

/** One scale for a row, so that its bars can be compared. */
const makeRowScale = ({ cells }: LeaderboardRowJson): Scale =>
  makeScale(cells.flatMap(cell => (cell === null || cell.value === null ? [] : [cell.value, ...(cell.interval ?? [])])))
