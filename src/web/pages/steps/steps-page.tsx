/** Shows scores over the steps of a training run, with one chart for each metric. The step comes from a run's tag, name or model. */
import { formatCount, formatDecimal, formatQuantity, range } from '../../../../base/text/numbers.js'
import type { PageProps } from '../../app.js'
import { useLive } from '../../data/use-live.js'
import { Choice } from '../../parts/filter-fields.js'
import { formatLine } from '../../parts/safe-text.js'
import { lineStyles, StepPlot, StepPoint } from '../../parts/step-plot.js'
import { TableBox } from '../../parts/table-box.js'
import { formatHash, useQuery } from '../../routing/address.js'
import { lineKeys, listStepCharts, type LineKey, type StepChart } from './step-series.js'

/** The newest runs are read. */
const mostRuns = 500
const mostCharts = 24

const lineNames: Readonly<Record<LineKey, string>> = { model: 'model', tags: 'set of other tags', none: 'metric' }

/** Shows how scores change over steps. */
export function StepsPage({ source }: PageProps) {
  const [query, change] = useQuery()
  const { tag, task, metric } = query
  const by = lineKeys.find(key => key === query['by']) ?? 'model'
  const { value: page, error } = useLive({
    source,
    key: JSON.stringify([tag]),
    load: () => source.runs({ offset: 0, limit: mostRuns, ...(tag !== undefined && { tag }) }),
    concerns: () => true,
  })
  const charts = listStepCharts(page?.rows ?? [], by)
  const shownCharts = charts.filter(
    chart => (task ?? chart.task) === chart.task && (metric ?? chart.metric) === chart.metric,
  )
  return (
    <article class="steps-page">
      <h1>Scores over steps</h1>
      <form class="filters" role="search" aria-label="Scores over steps" onSubmit={event => event.preventDefault()}>
        <Choice
          name="Tag"
          value={tag}
          values={(page?.rows ?? []).flatMap(run => run.tags)}
          change={value => change({ tag: value })}
        />
        <Choice
          name="Task"
          value={task}
          values={charts.map(chart => chart.task)}
          change={value => change({ task: value })}
        />
        <Choice
          name="Metric"
          value={metric}
          values={charts.map(chart => chart.metric)}
          change={value => change({ metric: value })}
        />
        <label>
          A line for each{' '}
          <select
            value={by}
            onChange={event =>
              change({ by: event.currentTarget.value === 'model' ? undefined : event.currentTarget.value })
            }
          >
            {lineKeys.map(key => (
              <option key={key} value={key}>
                {lineNames[key]}
              </option>
            ))}
          </select>
        </label>
      </form>
      {error !== undefined && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
      {page === undefined && error === undefined && <p class="dim">Loading…</p>}
      {page !== undefined && shownCharts.length === 0 && (
        <p>
          No judged run that fits has a step. A tag such as <code>step:1000</code>, or a step in the name or the model
          of a run such as <code>checkpoint-1000</code>, puts it here: <code>pipeline runs tag RUN step:1000</code>
        </p>
      )}
      {shownCharts.slice(0, mostCharts).map(chart => (
        <Chart key={`${chart.task} ${chart.metric}`} chart={chart} />
      ))}
      {shownCharts.length > mostCharts && (
        <p role="note">
          {formatQuantity(shownCharts.length - mostCharts, 'further chart')} are left out. Choose a task.
        </p>
      )}
      {page !== undefined && page.total > page.rows.length && (
        <p role="note">
          Only the newest {formatCount(page.rows.length)} runs are read. Choose a tag to see older ones.
        </p>
      )}
    </article>
  )
}

function Chart({ chart: { task, metric, lines } }: { readonly chart: StepChart }) {
  const hasNames = lines.some(({ name }) => name !== '')
  const title = `${formatLine(task, 80)} ${formatLine(metric, 60)}`
  return (
    <section>
      <h2>{title}</h2>
      {hasNames && (
        <ul class="step-legend" aria-hidden="true">
          {lines.map(({ name }, number) => (
            <li key={name} class={`step-line is-${number % lineStyles}`}>
              <svg width={28} height={14} viewBox="0 -1 28 14">
                <polyline points="0,6 28,6" />
                <StepPoint number={number} x={14} y={6} />
              </svg>{' '}
              {formatLine(name, 120)}
            </li>
          ))}
        </ul>
      )}
      <StepPlot lines={lines} />
      <TableBox
        label={`${title} over steps`}
        columns={[
          { title: 'Step', align: 'right' },
          { title: 'Score', align: 'right' },
          { title: '95 % interval' },
          { title: 'n', align: 'right' },
          ...(hasNames ? [{ title: 'Line' }] : []),
          { title: 'Run' },
        ]}
        class="compact"
      >
        {lines.flatMap(({ name, points }) =>
          points.map(({ step, value, interval, n, run }) => (
            <tr key={`${name} ${step}`}>
              <th scope="row" class="right">
                {formatCount(step)}
              </th>
              <td class="right">{formatDecimal(value)}</td>
              <td>{interval === null ? '–' : range(interval)}</td>
              <td class="right">{formatCount(n)}</td>
              {hasNames && <td class="name">{formatLine(name, 120)}</td>}
              <td class="name">
                <a href={formatHash(['runs', run.name])}>{formatLine(run.title ?? run.name, 80)}</a>
              </td>
            </tr>
          )),
        )}
      </TableBox>
    </section>
  )
}
