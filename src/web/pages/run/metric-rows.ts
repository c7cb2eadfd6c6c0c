/** Metrics in the order of the table: each with its breakdown by labels. */
import type { RunView } from '../../../present/page/data/index.js'
import { makeScale, type Scale } from '../../parts/interval-geometry.js'

/** One metric of a run's page. */
export type Metric = RunView['metrics'][number]

/** A row of the table of metrics. */
export interface MetricRow {
  readonly whole: Metric
  readonly parts: readonly MetricField[]
}

/** The parts of a metric by the labels of one field. */
export interface MetricField {
  readonly field: string
  readonly labels: readonly (Metric & { readonly label: string })[]
}

/** `exact_match`, or `exact_match,strict` with a named filter pipeline. */
export const metricLabel = ({ metric, filter }: Pick<Metric, 'metric' | 'filter'>): string =>
  filter === 'none' ? metric : `${metric},${filter}`

/** Joins each metric with its values by label into one row. */
export function metricRows(metrics: readonly Metric[]): readonly MetricRow[] {
  const rows = new Map<string, { whole: Metric; fields: Map<string, (Metric & { label: string })[]> }>()
  for (const metric of metrics)
    if (metric.group === undefined) rows.set(makeRowId(metric), { whole: metric, fields: new Map() })
  for (const metric of metrics) {
    const row = rows.get(makeRowId(metric))
    if (metric.group === undefined || row === undefined) continue
    const { field, label } = metric.group
    const labels = row.fields.get(field) ?? []
    labels.push({ ...metric, label })
    row.fields.set(field, labels)
  }
  return Array.from(rows.values(), ({ whole, fields }) => ({
    whole,
    parts: Array.from(fields, ([field, labels]) => ({ field, labels })),
  }))
}

const makeRowId = ({ task, of, metric, filter }: Metric): string =>
  JSON.stringify([task, of !== undefined, metric, filter])

/** One scale for each metric, so that its bars can be compared across tasks and labels. */
export function makeScales(metrics: readonly Metric[]): ReadonlyMap<string, Scale> {
  const values = new Map<string, number[]>()
  for (const { metric, value, interval, bounds } of metrics) {
    const own = values.get(metric) ?? []
    own.push(...(value === null ? [] : [value]), ...(interval ?? []), ...(bounds ?? []))
    values.set(metric, own)
  }
  return new Map(Array.from(values, ([metric, own]) => [metric, makeScale(own)]))
}
