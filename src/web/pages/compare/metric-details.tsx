/** Lists the docs that flipped: right and wrong in both runs, and flips by label. */
import type { ComparedMetricView } from '../../../present/page/data/index.js'
import { computePosition } from '../../parts/interval-geometry.js'
import { formatCount } from '../../../../base/text/numbers.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'
import { samplesHash } from '../samples/sample-address.js'

interface DetailsProps {
  readonly metrics: readonly ComparedMetricView[]
  readonly a: string
  readonly b: string
}

/** Shows where two runs differ in each compared metric. */
export function MetricDetails({ metrics, a, b }: DetailsProps) {
  const shownMetrics = metrics.filter(({ table, flips }) => table !== null || flips.length > 0)
  if (shownMetrics.length === 0) return null
  return (
    <section>
      <h2>Where they differ</h2>
      <div class="details-list">
        {shownMetrics.map((metric, index) => (
          <details key={`${metric.task} ${metric.metric}`} open={index === 0}>
            <summary>
              {formatLine(metric.task)} <span class="dim">{formatLine(metric.metric)}</span>
            </summary>
            <div class="side-by-side">
              {metric.table !== null && <Outcomes task={metric.task} table={metric.table} a={a} b={b} />}
              {metric.improved + metric.worsened > 0 && metric.flips.length > 0 && (
                <FlipsByLabel metric={metric} a={a} b={b} />
              )}
            </div>
          </details>
        ))}
      </div>
    </section>
  )
}

interface OutcomesProps {
  readonly task: string
  readonly table: NonNullable<ComparedMetricView['table']>
  readonly a: string
  readonly b: string
}

/** Docs by right or wrong in each run. */
function Outcomes({ task, table: { bothRight, onlyA, onlyB, bothWrong }, a, b }: OutcomesProps) {
  const linkFlips = (only: 'improved' | 'worsened', docs: number, words: string) =>
    docs === 0 ? (
      <span class="dim">0</span>
    ) : (
      <a
        href={samplesHash(b, { only, against: a, task })}
        aria-label={`${formatCount(docs)} samples that are ${words}`}
      >
        {formatCount(docs)}
      </a>
    )
  // The link shows all samples that are right in B, which include samples that only B gets right.
  const all = (only: 'right' | 'wrong', docs: number) => (
    <>
      {formatCount(docs)}
      <a class="small" href={samplesHash(b, { only, against: a, task })}>
        all {only} in B
      </a>
    </>
  )
  return (
    <div class="table-box outcomes" tabIndex={0} role="region" aria-label={`Outcomes of ${formatLine(task)}`}>
      <table aria-label="Docs by outcome in A and B">
        <thead>
          <tr>
            <td />
            <th scope="col">B right</th>
            <th scope="col">B wrong</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">A right</th>
            <td>{all('right', bothRight)}</td>
            <td class={onlyA > 0 ? 'is-bad' : ''}>{linkFlips('worsened', onlyA, 'right in A and wrong in B')}</td>
          </tr>
          <tr>
            <th scope="row">A wrong</th>
            <td class={onlyB > 0 ? 'is-good' : ''}>{linkFlips('improved', onlyB, 'wrong in A and right in B')}</td>
            <td>{all('wrong', bothWrong)}</td>
          </tr>
        </tbody>
      </table>
    </div>
  )
}

const shownLabels = 60

interface FlipsProps {
  readonly metric: ComparedMetricView
  readonly a: string
  readonly b: string
}

function FlipsByLabel({ metric: { task, flips: all }, a, b }: FlipsProps) {
  const flips = all.filter(({ improved, worsened }) => improved + worsened > 0)
  const most = Math.max(1, ...flips.map(({ improved, worsened }) => Math.max(improved, worsened)))
  const link = (only: 'improved' | 'worsened', { field, label }: { field: string; label: string }, docs: number) =>
    docs === 0 ? (
      <span class="dim">0</span>
    ) : (
      <a
        href={samplesHash(b, { only, against: a, task, labels: { [field]: label } })}
        aria-label={`${formatCount(docs)} samples of ${formatLine(label)} that ${only}`}
      >
        {formatCount(docs)}
        {only === 'improved' ? '↑' : '↓'}
      </a>
    )
  const rest = flips.length - shownLabels
  return (
    <TableBox
      label={`Flips of ${formatLine(task)} by label`}
      columns={[
        { title: 'Field' },
        { title: 'Label' },
        { title: 'n', align: 'right' },
        { title: 'Worse', align: 'right' },
        { title: 'Flips' },
        { title: 'Better' },
      ]}
      class="flips"
    >
      {flips.slice(0, shownLabels).map(flip => (
        <tr key={`${flip.field} ${flip.label}`}>
          <td class="dim">{formatLine(flip.field)}</td>
          <th scope="row">{formatLine(flip.label)}</th>
          <td class="right">{formatCount(flip.n)}</td>
          <td class="right">{link('worsened', flip, flip.worsened)}</td>
          <td>
            <FlipBar improved={flip.improved} worsened={flip.worsened} most={most} />
          </td>
          <td>{link('improved', flip, flip.improved)}</td>
        </tr>
      ))}
      {rest > 0 && (
        <tr>
          <td colSpan={6} class="dim">
            {formatCount(rest)} more labels have fewer flips.
          </td>
        </tr>
      )}
    </TableBox>
  )
}

/** Worse to the left of the middle, better to its right. */
function FlipBar({ improved, worsened, most }: { improved: number; worsened: number; most: number }) {
  const half = 60
  const length = (docs: number): number => (computePosition(docs, { low: 0, high: most }) / 100) * half
  return (
    <svg class="flip-bar" viewBox={`0 0 ${2 * half} 12`} aria-hidden="true">
      <rect class="worse" x={half - length(worsened)} y={2} width={length(worsened)} height={8} />
      <rect class="better" x={half} y={2} width={length(improved)} height={8} />
      <line x1={half} x2={half} y1={0} y2={12} />
    </svg>
  )
}
