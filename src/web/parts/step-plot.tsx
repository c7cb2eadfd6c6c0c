/** Draws scores over steps with their intervals. A table has the numbers, so screen readers skip the drawing. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { axisLabel, formatCount } from '../../../base/text/numbers.js'

const height = 220
const margin = { left: 48, right: 16, top: 12, bottom: 26 }
const wantedTicks = 4

/** A line of values over steps or other whole numbers. */
interface PlottedLine {
  readonly name: string
  readonly points: readonly {
    readonly step: number
    readonly value: number
    readonly interval: readonly [number, number] | null
  }[]
}

interface Range {
  readonly least: number
  readonly most: number
}

/** Draws lines of scores over steps. */
export function StepPlot({ lines }: { readonly lines: readonly PlottedLine[] }) {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  const points = lines.flatMap(line => line.points)
  const steps = rangeOver(points.map(({ step }) => step))
  const scores = rangeOver(points.flatMap(({ value, interval }) => [value, ...(interval ?? [])]))
  const x = (step: number): number => scaleTo(step, steps, margin.left, width - margin.right)
  const y = (score: number): number => scaleTo(score, scores, height - margin.bottom, margin.top)
  return (
    <div ref={box} class="step-plot" aria-hidden="true">
      <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`}>
        {listTicks(scores).map(tick => (
          <g key={tick}>
            <line class="grid" x1={margin.left} x2={width - margin.right} y1={y(tick)} y2={y(tick)} />
            <text x={margin.left - 6} y={y(tick) + 4} text-anchor="end">
              {axisLabel(tick)}
            </text>
          </g>
        ))}
        {listTicks(steps).map(tick => (
          <text key={tick} x={x(tick)} y={height - 6} text-anchor="middle">
            {formatCount(tick)}
          </text>
        ))}
        {lines.map((line, number) => (
          <g key={line.name} class={`step-line is-${number % lineStyles}`}>
            <polyline points={line.points.map(({ step, value }) => `${x(step)},${y(value)}`).join(' ')} />
            {line.points.map(({ step, value, interval }) => (
              <g key={step}>
                {interval !== null && (
                  <line x1={x(step)} x2={x(step)} y1={y(interval[0])} y2={y(interval[1])} class="interval" />
                )}
                <StepPoint number={number} x={x(step)} y={y(value)} />
              </g>
            ))}
          </g>
        ))}
      </svg>
    </div>
  )
}

/** The number of line styles in the style sheet. Further lines repeat them. */
export const lineStyles = 12

/** The outlines of marks around the point 0,0. */
const marks = [
  'M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0',
  'M-4,-4h8v8h-8z',
  'M0,-5.5L5.5,4H-5.5z',
  'M0,-5.5L5.5,0L0,5.5L-5.5,0z',
  'M0,5.5L5.5,-4H-5.5z',
] as const

/** Draws the mark of a line, whose form tells lines apart without their colours. */
export const StepPoint = ({ number, x, y }: { readonly number: number; readonly x: number; readonly y: number }) => (
  <path class="point" d={marks[number % marks.length]} transform={`translate(${x} ${y})`} />
)

function useWidth(box: { readonly current: HTMLElement | null }): number {
  const [width, setWidth] = useState(600)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const measure = (): void => setWidth(Math.max(200, element.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return width
}

/** The range of some numbers with a margin. Equal numbers get a range around them. */
function rangeOver(numbers: readonly number[]): Range {
  const least = numbers.reduce((a, b) => Math.min(a, b), Infinity)
  const most = numbers.reduce((a, b) => Math.max(a, b), -Infinity)
  const room = most > least ? (most - least) * 0.05 : Math.abs(most) * 0.1 || 1
  return { least: least - room, most: most + room }
}

const scaleTo = (number: number, { least, most }: Range, from: number, to: number): number =>
  from + ((number - least) / (most - least)) * (to - from)

/** Round numbers within a range, about four. */
function listTicks({ least, most }: Range): readonly number[] {
  const rough = (most - least) / wantedTicks
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5].find(factor => factor * power >= rough) ?? 10) * power
  const first = Math.ceil(least / step)
  const count = Math.floor(most / step) - first + 1
  return Array.from({ length: Math.max(0, count) }, (_, index) => Number(((first + index) * step).toPrecision(12)))
}
