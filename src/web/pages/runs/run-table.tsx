/** Shows the table of runs. Only visible rows are elements. */
import { useEffect, useRef } from 'preact/hooks'
import type { RunRow } from '../../../present/page/data/index.js'
import { StateBadge } from '../../parts/badge.js'
import { dateTime, formatDecimal, range } from '../../../../base/text/numbers.js'
import { RunProgressBar } from '../../parts/progress-bar.js'
import { formatLine } from '../../parts/safe-text.js'
import { TagList } from '../../parts/tag-list.js'
import { useNarrow } from '../samples/use-narrow.js'
import { useVisibleRows } from '../../parts/scrolling/use-visible-rows.js'
import { formatHash } from '../../routing/address.js'
import type { RunRows } from './run-rows.js'

/** Pixels of a row and of the head. On a narrow screen, rows are cards without a head. */
const wideSizes = { rowHeight: 58, headHeight: 33 }
const cardSizes = { rowHeight: 176, headHeight: 0 }
const shownScores = 2
const columns = ['Run and model', 'State', 'Scores (95 % interval)', 'Tasks', 'Tags', 'Created'] as const

interface RunTableProps {
  readonly rows: RunRows
  readonly selected: number
  readonly select: (index: number) => void
  readonly chosen: readonly string[]
  readonly choose: (name: string) => void
  readonly canTag: boolean
}

/** Shows runs as rows that can be chosen and tagged. */
export function RunTable({ rows, selected, select, chosen, choose, canTag }: RunTableProps) {
  const box = useRef<HTMLDivElement>(null)
  const isNarrow = useNarrow()
  const { rowHeight, headHeight } = isNarrow ? cardSizes : wideSizes
  const count = rows.total ?? 0
  const { start, end, onScroll } = useVisibleRows(box, { count, rowHeight, headHeight, selected })
  useEffect(() => {
    if (end > start) void rows.show(start, end)
  }, [start, end, rows])
  const indices = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index)
  return (
    <div
      ref={box}
      class={`table-box run-list ${isNarrow ? 'is-cards' : ''}`}
      onScroll={onScroll}
      tabIndex={0}
      role="region"
      aria-label="Runs"
    >
      <table aria-label="Runs" aria-rowcount={count + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">
              <span class="unseen">Comparison</span>
            </th>
            {columns.map(title => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Space height={start * rowHeight} />
          {indices.map(index => (
            <tr
              key={rows.rows.get(index)?.id ?? index}
              aria-rowindex={index + 2}
              class={index === selected ? 'is-selected' : ''}
              onClick={() => select(index)}
            >
              <Cells row={rows.rows.get(index)} chosen={chosen} choose={choose} canTag={canTag} />
            </tr>
          ))}
          <Space height={(count - end) * rowHeight} />
        </tbody>
      </table>
    </div>
  )
}

const Space = ({ height }: { readonly height: number }) =>
  height <= 0 ? null : (
    <tr class="space" aria-hidden="true">
      <td colSpan={columns.length + 1} style={{ height: `${height}px` }} />
    </tr>
  )

type CellsProps = Pick<RunTableProps, 'chosen' | 'choose' | 'canTag'> & { readonly row: RunRow | undefined }

function Cells({ row, chosen, choose, canTag }: CellsProps) {
  if (row === undefined)
    return (
      <td colSpan={columns.length + 1} class="dim">
        Loading…
      </td>
    )
  const { name, title, model, state, progress, tasks, tags, created } = row
  return (
    <>
      <td class="choice-cell">
        <input
          type="checkbox"
          aria-label={`Choose ${formatLine(name)} for a comparison`}
          checked={chosen.includes(name)}
          onChange={() => choose(name)}
        />
      </td>
      <th scope="row">
        <a href={formatHash(['runs', name])}>{formatLine(title === undefined ? name : `${name} · ${title}`)}</a>
        <div class="dim cut" title={formatLine(model)}>
          {formatLine(model)}
        </div>
      </th>
      <td class="state-cell">
        <StateBadge state={state} />
        {(state === 'running' || state === 'incomplete') && (
          <div>
            <RunProgressBar progress={progress} />
          </div>
        )}
      </td>
      <td class="scores-cell">
        <Scores row={row} />
      </td>
      <td class="tasks" title={formatLine(tasks.join(', '), 1000)}>
        {formatLine(tasks.join(', '))}
      </td>
      <td class="tagged">
        <TagList run={name} tags={tags} canChange={canTag} />
      </td>
      <td class="numbers created">
        <time dateTime={created}>{dateTime(created)}</time>
      </td>
    </>
  )
}

function Scores({ row: { scores, tasks } }: { readonly row: RunRow }) {
  const more = scores.length - shownScores
  return (
    <>
      {scores.slice(0, shownScores).map(({ task, metric, filter, value, interval }, index) => (
        <div key={index} class="score" title={formatLine(`${task} ${metric}`)}>
          <b class="numbers">{formatDecimal(value)}</b>{' '}
          <span class="dim numbers">{interval === null ? '' : range(interval)}</span>{' '}
          <span class="cut">
            {formatLine(`${tasks.length > 1 ? `${task} ` : ''}${metric}${filter === 'none' ? '' : `,${filter}`}`)}
          </span>
          {index === shownScores - 1 && more > 0 && <span class="dim"> +{more}</span>}
        </div>
      ))}
    </>
  )
}
