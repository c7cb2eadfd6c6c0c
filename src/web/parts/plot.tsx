/** Draws values over time. uPlot draws on a canvas, so each plot also has a table of its values. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'
import { axisLabel, shortTime } from '../../../base/text/numbers.js'

interface TimePlotProps {
  readonly title: string
  readonly values: readonly number[]
  /** Seconds between values. */
  readonly step: number
  /** Seconds at which a dashed line stands. */
  readonly marks?: readonly number[]
  /** Plots of one group show their cursors at the same time. */
  readonly group: string
}

const height = 150

/** Plots values over time. */
export function TimePlot({ title, values, step, marks = [], group }: TimePlotProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | undefined>(undefined)
  const [cursor, setCursor] = useState<number>()
  const theme = useTheme()
  const data = makeSteps(values, step)
  const latest = useRef(data)
  latest.current = data

  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    let isOver = false
    let observer: ResizeObserver | undefined
    void import('uplot').then(({ default: Plot }) => {
      if (isOver) return
      const plot = new Plot(
        {
          width: Math.max(120, element.clientWidth),
          height,
          legend: { show: false },
          cursor: { sync: { key: group }, drag: { x: false, y: false }, points: { size: 6 } },
          scales: { x: { time: false }, y: { range: (_, __, highest) => [0, highest > 0 ? highest * 1.1 : 1] } },
          axes: makeAxes(element),
          series: [{}, makeSeries(element, Plot)],
          hooks: {
            draw: [own => drawMarks(own, marks, resolveColour(element, '--warn'))],
            setCursor: [own => setCursor(own.cursor.idx ?? undefined)],
          },
        },
        latest.current,
        element,
      )
      drawn.current = plot
      observer = new ResizeObserver(() => plot.setSize({ width: Math.max(120, element.clientWidth), height }))
      observer.observe(element)
    })
    return () => {
      isOver = true
      observer?.disconnect()
      drawn.current?.destroy()
      drawn.current = undefined
    }
  }, [theme, marks.join(' ')])

  useEffect(() => drawn.current?.setData(data), [values.join(' '), step])

  const value = cursor === undefined ? undefined : values[Math.min(cursor, values.length - 1)]
  return (
    <figure class="plot">
      <figcaption>
        {title}
        {value !== undefined && cursor !== undefined && (
          <span class="dim numbers">
            {' '}
            {axisLabel(value)} at {shortTime(cursor * step * 1000)}
          </span>
        )}
      </figcaption>
      <div ref={box} aria-hidden="true" />
    </figure>
  )
}

/** Each value holds for its step, the last one up to the end. */
function makeSteps(values: readonly number[], step: number): uPlot.AlignedData {
  const times = Array.from({ length: values.length + 1 }, (_, index) => index * step)
  return [times, [...values, values.at(-1) ?? 0]]
}

function makeAxes(element: HTMLElement): uPlot.Axis[] {
  const [stroke, line] = [resolveColour(element, '--dim'), resolveColour(element, '--line')]
  const look = {
    stroke,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
    font: '12px system-ui',
  }
  return [
    {
      ...look,
      size: 28,
      space: 72,
      values: (_, seconds) => seconds.map(tick => (tick === 0 ? '0' : shortTime(tick * 1000))),
    },
    { ...look, size: 52, space: 30, values: (_, numbers) => numbers.map(axisLabel) },
  ]
}

function makeSeries(element: HTMLElement, Plot: typeof uPlot): uPlot.Series {
  const accent = resolveColour(element, '--accent')
  const stepped = Plot.paths.stepped?.({ align: 1 })
  return {
    stroke: accent,
    width: 1.5,
    fill: resolveColour(element, '--accent-ground'),
    points: { show: false },
    ...(stepped !== undefined && { paths: stepped }),
  }
}

function drawMarks(plot: uPlot, marks: readonly number[], colour: string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.strokeStyle = colour
  ctx.setLineDash([4, 4])
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark, 'x', true)) + 0.5
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

/** A canvas does not know the variables of style sheets, so an element resolves them for the theme that is shown. */
function resolveColour(element: HTMLElement, variable: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${variable})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function useTheme(): 'dark' | 'light' {
  const [isDark, setIsDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const dark = matchMedia('(prefers-color-scheme: dark)')
    const updateDark = (): void => setIsDark(dark.matches)
    dark.addEventListener('change', updateDark)
    return () => dark.removeEventListener('change', updateDark)
  }, [])
  return isDark ? 'dark' : 'light'
}
