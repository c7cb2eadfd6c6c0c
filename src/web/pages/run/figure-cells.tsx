import type { SampleFilter, SampleKind } from '../../../present/page/data/index.js'
import { IntervalBar } from '../../parts/interval-bar.js'
import type { Scale } from '../../parts/interval-geometry.js'
import { axisLabel, formatDecimal, formatCount, percent, range } from '../../../../base/text/numbers.js'
import { formatLine } from '../../parts/safe-text.js'
import { samplesHash } from '../samples/sample-address.js'
import type { Metric } from './metric-rows.js'

interface FigureCellsProps {
  readonly metric: Metric
  readonly scale: Scale
  readonly reference: string
}

/** The numbers of a metric, from its score on. Counts of odd answers link to these samples. */
export function FigureCells({ metric, scale, reference }: FigureCellsProps) {
  const { task, of, group, value, interval, n, total, bounds, unparsed, empty, cut = 0 } = metric
  const filter: Omit<SampleFilter, 'only'> = {
    ...(of === undefined && { task }),
    ...(group !== undefined && { labels: { [group.field]: group.label } }),
  }
  const where = formatLine(group === undefined ? task : `${group.field} ${group.label} of ${task}`)
  const count = (only: SampleKind, docs: number) => (
    <td class="right">
      {docs === 0 ? (
        <span class="dim">0</span>
      ) : (
        <a
          href={samplesHash(reference, { ...filter, only })}
          aria-label={`${formatCount(docs)} ${only} samples of ${where}`}
        >
          {formatCount(docs)}
        </a>
      )}
    </td>
  )
  return (
    <>
      <td class="right score-value">{formatDecimal(value)}</td>
      <td class="interval-cell">
        <div class="interval-line">
          <IntervalBar value={value} interval={interval} scale={scale} bounds={bounds} />
          <span class="numbers">{range(interval)}</span>
        </div>
        {scale.high !== 1 && (
          <div class="dim small numbers">
            from {axisLabel(scale.low)} to {axisLabel(scale.high)}
          </div>
        )}
        {bounds !== undefined && n < total && (
          <div class="warn small numbers">
            {formatDecimal(bounds[0])} – {formatDecimal(bounds[1])} with all docs
          </div>
        )}
      </td>
      <td class="right">{formatCount(n)}</td>
      <td class={`right ${n < total ? 'warn' : ''}`} title={`${formatCount(n)} of ${formatCount(total)} docs`}>
        {percent(n, total)}
      </td>
      {count('unparsed', unparsed)}
      {count('empty', empty)}
      {count('cut', cut)}
      <td class="links">
        {of === undefined && (
          <>
            <a href={samplesHash(reference, { ...filter, only: 'wrong' })} aria-label={`Wrong samples of ${where}`}>
              wrong
            </a>{' '}
            <a href={samplesHash(reference, { ...filter, only: 'all' })} aria-label={`All samples of ${where}`}>
              all
            </a>
          </>
        )}
      </td>
    </>
  )
}
