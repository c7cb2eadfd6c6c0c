import type { ComparedMetricView } from '../../../present/page/data/index.js'
import { VerdictBadge } from '../../parts/badge.js'
import { IntervalBar } from '../../parts/interval-bar.js'
import {
  axisLabel,
  formatQuantity,
  formatDecimal,
  formatCount,
  probability,
  formatDifference,
  signedRange,
} from '../../../../base/text/numbers.js'
import { scaleAroundZero, type Scale } from '../../parts/interval-geometry.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'

interface ComparedTableProps {
  readonly metrics: readonly ComparedMetricView[]
}

/** The paired differences, a row for each metric of a task. */
export function ComparedTable({ metrics }: ComparedTableProps) {
  if (metrics.length === 0) return <p>The runs have no metric of a task in common.</p>
  const most = Math.max(...metrics.map(({ onlyOne }) => onlyOne))
  return (
    <>
      <TableBox
        label="Differences of B from A"
        columns={[
          { title: 'Task' },
          { title: 'Metric' },
          { title: 'n', align: 'right', hint: 'Docs with a value in both runs.' },
          { title: 'A', align: 'right' },
          { title: 'B', align: 'right' },
          { title: 'Δ', align: 'right', hint: 'B minus A.' },
          { title: '95 % interval of Δ' },
          { title: 'p', align: 'right' },
          { title: 'Flips', align: 'right', hint: 'Docs that became better and docs that became worse.' },
          { title: 'Verdict' },
        ]}
        class="compared"
      >
        {metrics.map((metric, index) => (
          <MetricRow
            key={`${metric.task} ${metric.metric}`}
            metric={metric}
            scale={makeScale(metrics, metric)}
            isRepeated={metrics[index - 1]?.task === metric.task}
          />
        ))}
      </TableBox>
      <p class="dim small">
        {describeMethod(metrics)}
        {most > 0 && ` ${formatQuantity(most, 'doc')} scored in one run only ${most === 1 ? 'is' : 'are'} left out.`}
      </p>
    </>
  )
}

/** One scale for a metric, so that its bars can be compared across tasks. */
const makeScale = (metrics: readonly ComparedMetricView[], { metric }: ComparedMetricView): Scale =>
  scaleAroundZero(
    metrics
      .filter(other => other.metric === metric)
      .flatMap(({ difference, interval }) => [difference, ...(interval ?? [])]),
  )

interface MetricRowProps {
  readonly metric: ComparedMetricView
  readonly scale: Scale
  readonly isRepeated: boolean
}

function MetricRow({ metric: compared, scale, isRepeated }: MetricRowProps) {
  const { task, metric, n, a, b, difference, interval, p, isScoreTest, higherIsBetter, improved, worsened, verdict } =
    compared
  return (
    <tr class={isRepeated ? 'repeated' : ''}>
      <th scope="row">
        <span class={isRepeated ? 'unseen' : ''}>{formatLine(task)}</span>
      </th>
      <td>
        {formatLine(metric)}
        {!higherIsBetter && <div class="dim small">lower is better</div>}
      </td>
      <td class="right">{formatCount(n)}</td>
      <td class="right">{formatDecimal(a)}</td>
      <td class="right">{formatDecimal(b)}</td>
      <td class="right score-value">{formatDifference(difference)}</td>
      <td>
        <div class="interval-line" title={`The bar goes from ${axisLabel(scale.low)} to ${axisLabel(scale.high)}.`}>
          <IntervalBar value={difference} interval={interval} scale={scale} verdict={verdict} />
          <span class="numbers">{signedRange(interval)}</span>
        </div>
      </td>
      <td class="right" title={isScoreTest ? "Score test (McNemar's)" : 'Paired t test'}>
        {p === null ? '–' : probability(p)}
      </td>
      <td class="right">{improved + worsened === 0 ? '–' : `${formatCount(improved)}↑ ${formatCount(worsened)}↓`}</td>
      <td>
        <Verdict metric={compared} />
      </td>
    </tr>
  )
}

function Verdict({ metric: { verdict, moreDocs } }: { readonly metric: ComparedMetricView }) {
  return (
    <>
      <VerdictBadge verdict={verdict} />
      {verdict === 'undecided' && moreDocs !== undefined && (
        <div class="dim small">about {formatQuantity(moreDocs, 'more doc')} would decide with a power of 80 %</div>
      )}
    </>
  )
}

function describeMethod(metrics: readonly ComparedMetricView[]): string {
  const isClustered = metrics.some(metric => metric.isClustered)
  const isScoreTest = metrics.some(metric => metric.isScoreTest)
  return [
    'Samples are paired by task and doc.',
    ...(isClustered ? ['Intervals are clustered, because several docs share a medium or a cluster key.'] : []),
    isScoreTest ? 'p is of the score test (McNemar) where scores are 0 or 1.' : 'p is of the paired t test.',
  ].join(' ')
}
