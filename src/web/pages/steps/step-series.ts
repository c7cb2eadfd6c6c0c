/** Finds the training step of each run, and makes lines of scores over steps. */
import type { RunRow } from '../../../present/page/data/index.js'

/** The ways to put runs into lines. */
export const lineKeys = ['model', 'tags', 'none'] as const
export type LineKey = (typeof lineKeys)[number]

/** A run's score at a step. */
export interface StepPoint {
  readonly step: number
  readonly run: Pick<RunRow, 'name' | 'title'>
  readonly value: number
  readonly interval: readonly [number, number] | null
  readonly n: number
}

export interface StepLine {
  /** The model without its step, or the tags. Empty if all runs are in one line. */
  readonly name: string
  /** In ascending order of steps, one for each. */
  readonly points: readonly StepPoint[]
}

/** The scores of one metric over steps. */
export interface StepChart {
  readonly task: string
  readonly metric: string
  readonly lines: readonly StepLine[]
}

const pattern =
  /(?<![\p{L}\p{N}])(?:global[_-]?)?(?:steps?|iter(?:ation)?s?|checkpoint|ckpt|epochs?)[\s=:_-]*(\d+(?:\.\d+)?)(k|m)?(?![\p{L}\p{N}])/iu

interface FoundStep {
  readonly step: number
  /** The text without the step. */
  readonly rest: string
}

/** Finds a step in a text: `step:1000`, `checkpoint-500`, `iter 2k`. The last one counts, because folder names may also contain numbers. */
export function findStep(text: string): FoundStep | undefined {
  const match = [...text.matchAll(new RegExp(pattern, 'giu'))].at(-1)
  if (match === undefined) return undefined
  const [whole, digits = '', unit = ''] = match
  const factor = { k: 1_000, m: 1_000_000 }[unit.toLowerCase()] ?? 1
  const rest = `${text.slice(0, match.index)}…${text.slice(match.index + whole.length)}`
  return { step: Math.round(Number(digits) * factor), rest }
}

interface SteppedRun {
  readonly run: RunRow
  readonly step: number
  readonly line: string
}

/** Finds the step of a run: in a tag, else in its `--name`, else in the model. */
function readSteppedRun(run: RunRow, by: LineKey): SteppedRun | undefined {
  const tag = run.tags.find(candidate => findStep(candidate) !== undefined)
  const inModel = findStep(run.model)
  const step = findStep(tag ?? '')?.step ?? findStep(run.title ?? '')?.step ?? inModel?.step
  if (step === undefined) return undefined
  const lines: Readonly<Record<LineKey, string>> = {
    model: inModel?.rest ?? run.model,
    tags: run.tags.filter(candidate => findStep(candidate) === undefined).join(', ') || 'no other tag',
    none: '',
  }
  return { run, step, line: lines[by] }
}

/** Lists the charts of all metrics of runs that have a step. Of runs with the same step in one line, the newest one counts. */
export function listStepCharts(runs: readonly RunRow[], by: LineKey): readonly StepChart[] {
  const charts = new Map<string, { task: string; metric: string; lines: Map<string, Map<number, StepPoint>> }>()
  const stepped = runs.flatMap(run => readSteppedRun(run, by) ?? [])
  for (const { run, step, line } of stepped.sort((a, b) => (a.run.created < b.run.created ? -1 : 1)))
    for (const { task, metric, filter, value, interval, n } of run.scores) {
      if (value === null) continue
      const name = filter === 'none' ? metric : `${metric},${filter}`
      const key = JSON.stringify([task, name])
      const chart = charts.get(key) ?? { task, metric: name, lines: new Map<string, Map<number, StepPoint>>() }
      const points = chart.lines.get(line) ?? new Map<number, StepPoint>()
      const { name: runName, title } = run
      points.set(step, { step, run: { name: runName, ...(title !== undefined && { title }) }, value, interval, n })
      charts.set(key, { ...chart, lines: chart.lines.set(line, points) })
    }
  return [...charts.values()].map(({ task, metric, lines }) => ({
    task,
    metric,
    lines: [...lines].map(([name, points]) => ({
      name,
      points: [...points.values()].sort((a, b) => a.step - b.step),
    })),
  }))
}
