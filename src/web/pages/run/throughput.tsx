/** Shows the speed and the cost of the model's answers. */
import type { RunView } from '../../../present/page/data/index.js'
import { axisLabel, formatCount, shortTime } from '../../../../base/text/numbers.js'
import { TimePlot } from '../../parts/plot.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'
import {
  spreadColumns,
  spreadRows,
  taskColumns,
  taskRows,
  readTimeline,
  listTotals,
  type Timeline,
} from './throughput-figures.js'

/** Shows tokens per second, latencies and cost, folded below the scores. */
export function Throughput({ throughput }: Pick<RunView, 'throughput'>) {
  if (throughput === null) return null
  const timeline = readTimeline(throughput)
  const spreads = spreadRows(throughput)
  const tasks = taskRows(throughput)
  return (
    <details class="run-fold">
      <summary>
        <h2>Throughput and cost</h2>
      </summary>
      <dl class="figure-list">
        {listTotals(throughput).map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      {timeline !== undefined && <Plots timeline={timeline} />}
      {spreads.length > 0 && (
        <TableBox
          label="Times of single requests"
          columns={[
            { title: 'Per request' },
            { title: 'n', align: 'right' },
            ...spreadColumns.map(title => ({ title, align: 'right' as const })),
          ]}
          class="compact"
        >
          {spreads.map(({ name, n, times }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="right">{formatCount(n)}</td>
              {times.map((time, index) => (
                <td key={index} class="right">
                  {time}
                </td>
              ))}
            </tr>
          ))}
        </TableBox>
      )}
      {tasks.length > 0 && (
        <TableBox
          label="Throughput by task"
          columns={[{ title: 'Task' }, ...taskColumns.map(title => ({ title, align: 'right' as const }))]}
          class="compact"
        >
          {tasks.map(({ task, cells }) => (
            <tr key={task}>
              <th scope="row">{formatLine(task)}</th>
              {cells.map((cell, index) => (
                <td key={index} class="right">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </TableBox>
      )}
    </details>
  )
}

function Plots({ timeline }: { readonly timeline: Timeline }) {
  const { step, concurrency, requests, tokens, pauses } = timeline
  const marks = pauses.map(({ at }) => at / 1000)
  const plots = [
    { title: 'Requests per second', values: requests },
    { title: 'Output tokens per second', values: tokens },
    { title: 'Requests in flight', values: concurrency },
  ].filter(({ values }) => values.some(value => value > 0))
  if (plots.length === 0) return null
  return (
    <>
      <div class="plots">
        {plots.map(({ title, values }) => (
          <TimePlot key={title} title={title} values={values} step={step / 1000} marks={marks} group="throughput" />
        ))}
      </div>
      <details class="plot-table">
        <summary>The plots as a table</summary>
        <TableBox
          label="Throughput over time"
          columns={[
            { title: 'Time at work', align: 'right' },
            ...plots.map(({ title }) => ({ title, align: 'right' as const })),
          ]}
          class="compact"
        >
          {requests.map((_, index) => (
            <tr key={index}>
              <th scope="row" class="right">
                {shortTime(index * step)}
              </th>
              {plots.map(({ title, values }) => (
                <td key={title} class="right">
                  {axisLabel(values[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </TableBox>
      </details>
    </>
  )
}
