/** Splits the difference of two runs among groups of docs. */
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { didYouMean } from '../../../base/text/suggest.js'
import type { ComparedDoc } from '../../../cache/store.js'
import { makeLabel } from '../../../stages/judge/score-marks.js'
import { readField } from '../samples/sample-filter.js'
import { alignDocs, isImported } from './align-docs.js'
import { compareMetrics, type ComparedMetric } from './compare-metrics.js'
import { nothingInCommon, readJudgedRun, type CompareHints, type StoredReference } from './compare-runs.js'
import { metricKey, pairMetrics, type PairedDoc } from './pair-samples.js'
import { openRun } from '../runs/run-reference.js'

/** Run B against run A on the docs of one group. */
export type ComparedGroup = ComparedMetric & {
  /** The value of the field, or undefined for docs without one. */
  readonly group: string | undefined
  /** This group's part of the metric's whole difference. The parts add up to the difference. */
  readonly contribution: number
}

/** The difference of two runs by a field of their docs. */
export interface GroupComparison {
  readonly a: string
  readonly b: string
  readonly field: string
  /** By metric, and within a metric the greatest loss first. */
  readonly groups: readonly ComparedGroup[]
}

/**
 * Compares two runs on each group of docs with one value of a field, which is a breakdown of the task or a field of the row.
 * The verdicts allow for the number of groups (Holm).
 *
 * @throws PipelineError if a run has no scores, the runs have no metric in common, or no doc has the field
 */
export async function compareGroups(
  a: StoredReference,
  b: StoredReference,
  {
    field,
    hints,
    margin,
  }: { readonly field: string; readonly hints: CompareHints; readonly margin?: number | undefined },
): Promise<GroupComparison> {
  const withPlaces =
    isImported((await openRun(a.store, a.reference)).run) || isImported((await openRun(b.store, b.reference)).run)
  const labels = new Map<string, string>()
  const fieldNames = new Set<string>()
  const add = (key: string, doc: ComparedDoc): void => {
    const value = readField(doc, field, fieldNames)
    if (value !== undefined) labels.set(key, doc.score?.groups?.[field] ?? makeLabel(value))
  }
  const first = await readJudgedRun(a.store, a.reference, { hints, withPlaces })
  // If a log only numbers its docs, the first run's ids are replaced by the second run's.
  const second = await readJudgedRun(b.store, b.reference, { hints, withPlaces, add })
  if (labels.size === 0)
    throw new PipelineError('usage', [
      `${option('by')}: no doc of ${second.label} has a field "${field}".${didYouMean(field, fieldNames)}`,
      ...(fieldNames.size === 0 ? [] : [`  fields: ${[...fieldNames].join(', ')}`]),
    ])
  const paired = pairMetrics({ ...first, docs: alignDocs(first, second).a }, second)
  if (paired.length === 0) throw nothingInCommon(first, second)
  const parts = paired.flatMap(metric => {
    const byGroup = new Map<string | undefined, PairedDoc[]>()
    for (const pair of metric.pairs) {
      const label = labels.get(metricKey(metric.task, pair.id))
      const members = byGroup.get(label) ?? []
      byGroup.set(label, members)
      members.push(pair)
    }
    return [...byGroup].map(([group, pairs]) => ({ ...metric, onlyOne: 0, group, pairs, all: metric.pairs.length }))
  })
  const compared = compareMetrics(parts, margin).map((metric, at): ComparedGroup => {
    const { group, all } = parts[at] ?? { group: undefined, all: metric.n }
    return { ...metric, group, contribution: (metric.difference * metric.n) / all }
  })
  const order = new Map(paired.map((metric, at) => [metricKey(metric.task, metric.metric), at]))
  const readPosition = ({ task, metric }: ComparedGroup): number => order.get(metricKey(task, metric)) ?? 0
  const loss = ({ contribution, higherIsBetter }: ComparedGroup): number =>
    higherIsBetter ? contribution : -contribution
  const groups = [...compared].sort(
    (left, right) => readPosition(left) - readPosition(right) || loss(left) - loss(right),
  )
  return { a: first.label, b: second.label, field, groups }
}
