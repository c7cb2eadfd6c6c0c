import { escapeHtml } from './html/page-shell.js'
import { roundToTenths } from '../../../base/values/rounding.js'
import type { RunStats } from '../../../stages/model/stats/run-stats.js'
import type { Pause } from '../../../stages/model/stats/timeline.js'
import { axisLabel, duration, shortTime } from '../../../base/text/numbers.js'
import { throughputLines } from '../text/throughput/throughput-lines.js'

const width = 760
const left = 64
const right = 16
const panelHeight = 120
const top = 76
const between = 46
const height = top + 2 * panelHeight + between + 42
const plotted = width - left - right

interface Panel {
  readonly title: string
  readonly values: readonly number[]
  readonly colour: string
  /** Its upper edge. */
  readonly y: number
}

/** Draws an SVG of requests in flight and answers per second over a run's busy time. The SVG has no script and embeds no font. */
export function throughputSvg(name: string, figures: RunStats): string {
  const { timeline, busyMs } = figures
  const panels: readonly Panel[] = [
    { title: 'requests in flight', values: timeline.concurrency, colour: '#3b6fb6', y: top },
    { title: 'answers a second', values: timeline.requests, colour: '#2f8f5b', y: top + panelHeight + between },
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="#222">`,
    `<title>${escapeHtml(`Throughput of ${name}`)}</title>`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${left}" y="22" font-size="14" font-weight="600">${escapeHtml(name)}</text>`,
    `<text x="${left}" y="40" fill="#555">${escapeHtml(throughputLines(figures)[0] ?? 'nothing asked')}</text>`,
    ...panels.flatMap(panel => drawPanel(panel, busyMs)),
    ...figures.pauses.flatMap(pause => pauseMark(pause, busyMs)),
    ...timeLabels(busyMs),
    '</svg>',
    '',
  ].join('\n')
}

function drawPanel({ title, values, colour, y }: Panel, busyMs: number): string[] {
  const bottom = y + panelHeight
  const scale = niceTop(Math.max(0, ...values))
  const lines = [0, 0.5, 1].map(share => {
    const at = roundToTenths(bottom - share * panelHeight)
    const label = `<text x="${left - 8}" y="${at + 4}" text-anchor="end" fill="#555">${escapeHtml(axisLabel(share * scale))}</text>`
    return `<line x1="${left}" y1="${at}" x2="${width - right}" y2="${at}" stroke="#ddd"/>${label}`
  })
  const heading = `<text x="${left}" y="${y - 8}" fill="#555">${escapeHtml(title)}</text>`
  if (busyMs === 0 || values.length === 0) return [heading, ...lines]
  const step = plotted / values.length
  const steps = values.map((value, index) => {
    const level = roundToTenths(bottom - (value / scale) * panelHeight)
    return `L${roundToTenths(left + index * step)} ${level}L${roundToTenths(left + (index + 1) * step)} ${level}`
  })
  const path = `M${left} ${bottom}${steps.join('')}L${width - right} ${bottom}Z`
  return [
    heading,
    ...lines,
    `<path d="${path}" fill="${colour}" fill-opacity="0.25" stroke="${colour}" stroke-width="1.5"/>`,
  ]
}

/** Draws a mark where time without work was cut out. */
function pauseMark({ at, lasted }: Pause, busyMs: number): string[] {
  const x = roundToTenths(left + (at / busyMs) * plotted)
  const bottom = top + 2 * panelHeight + between
  return [
    `<line x1="${x}" y1="${top}" x2="${x}" y2="${bottom}" stroke="#b33" stroke-dasharray="3 3"><title>${escapeHtml(`pause of ${duration(lasted)}, not counted`)}</title></line>`,
  ]
}

function timeLabels(busyMs: number): string[] {
  const y = top + 2 * panelHeight + between + 18
  const labels = [0, 0.25, 0.5, 0.75, 1].map(share => {
    const anchor = share === 0 ? 'start' : share === 1 ? 'end' : 'middle'
    const text = share === 0 ? '0' : shortTime(share * busyMs)
    return `<text x="${roundToTenths(left + share * plotted)}" y="${y}" text-anchor="${anchor}" fill="#555">${escapeHtml(text)}</text>`
  })
  return [
    ...labels,
    `<text x="${left + plotted / 2}" y="${y + 16}" text-anchor="middle" fill="#555">time at work</text>`,
  ]
}

/** Rounds up to 1, 2, 2.5, 5 or 7.5 times a power of ten, so that lines are at round numbers. */
function niceTop(highest: number): number {
  if (highest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(highest))
  return ([1, 2, 2.5, 5, 7.5].find(factor => factor * power >= highest * (1 - 1e-9)) ?? 10) * power
}
