/** A value with its interval as a small picture. The numbers stand beside it, so that screen readers skip the picture. */
import { computePosition, type Scale } from './interval-geometry.js'

interface IntervalBarProps {
  readonly value: number | null
  readonly interval: readonly [number, number] | null
  readonly scale: Scale
  /** The range that the value can reach once the missing docs are scored. */
  readonly bounds?: readonly [number, number] | undefined
  /** The meaning of a difference, as a colour. A difference has a mark at 0. */
  readonly verdict?: 'better' | 'worse' | 'equivalent' | 'same' | 'undecided' | undefined
}

const width = 122
const height = 14

/** The value as a dot, the interval as a line, the bounds as a pale band. */
export function IntervalBar({ value, interval, scale, bounds, verdict }: IntervalBarProps) {
  const at = (number: number): number => (computePosition(number, scale) / 100) * width
  const middle = height / 2
  const tone = verdict === 'better' ? ' is-good' : verdict === 'worse' ? ' is-bad' : ''
  return (
    <svg class={`interval-bar${tone}`} viewBox={`-4 0 ${width + 8} ${height}`} aria-hidden="true">
      <line class="track" x1={0} x2={width} y1={middle} y2={middle} />
      {verdict !== undefined && <line class="zero" x1={at(0)} x2={at(0)} y1={1} y2={height - 1} />}
      {bounds !== undefined && (
        <rect class="bounds" x={at(bounds[0])} y={2} width={at(bounds[1]) - at(bounds[0])} height={height - 4} rx={2} />
      )}
      {interval !== null && (
        <>
          <line class="interval" x1={at(interval[0])} x2={at(interval[1])} y1={middle} y2={middle} />
          {interval.map((end, index) => (
            <line key={index} class="end" x1={at(end)} x2={at(end)} y1={middle - 4} y2={middle + 4} />
          ))}
        </>
      )}
      {value !== null && <circle class="value" cx={at(value)} cy={middle} r={3.5} />}
    </svg>
  )
}
