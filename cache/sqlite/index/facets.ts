import type { Aggregate } from '../../records.js'
import type { Facet } from '../../store.js'
import type { Columns } from './columns.js'

const mostLabels = 50

/** The most frequent labels of each field, counted. */
export function facetsOfColumns(columns: Columns): readonly Facet[] {
  return columns.dictionary.fields.map(({ name, labels }) => {
    const counts = new Uint32Array(labels.length)
    const numbers = columns.labels(name) ?? new Int32Array(0)
    for (let at = 0; at < columns.length; at += 1) {
      const number = numbers[at] ?? 0
      counts[number] = (counts[number] ?? 0) + 1
    }
    return facet(name, new Map(labels.slice(1).map((label, at) => [label, counts[at + 1] ?? 0])))
  })
}

/** Derives the facets from the aggregates of a judgement. Each doc is counted by one metric of its task. */
export function facetsOfAggregates(aggregates: readonly Aggregate[]): readonly Facet[] {
  const fields = new Map<string, Map<string, number>>()
  const countedKeys = new Set<string>()
  for (const { task, of, group, total } of aggregates) {
    if (group === undefined || of !== undefined) continue
    const { field, label } = group
    const key = JSON.stringify([task, field, label])
    if (countedKeys.has(key)) continue
    countedKeys.add(key)
    const labels = fields.get(field) ?? new Map<string, number>()
    fields.set(field, labels.set(label, (labels.get(label) ?? 0) + total))
  }
  return [...fields].map(([field, labels]) => facet(field, labels))
}

function facet(field: string, counts: ReadonlyMap<string, number>): Facet {
  const labels = [...counts]
    .map(([label, docs]) => ({ label, docs }))
    .sort((a, b) => b.docs - a.docs || (a.label < b.label ? -1 : 1))
  return { field, labels: labels.slice(0, mostLabels), more: Math.max(0, labels.length - mostLabels) }
}
