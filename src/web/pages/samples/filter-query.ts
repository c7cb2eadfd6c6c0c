/** The filter of a list of samples as parameters of the address, such as `only=wrong&task=mmlu&label.subject=law`. */
import type { SampleFilter } from '../../../present/page/data/index.js'
import { measures, parseRange } from '../../../reading/samples/number-ranges.js'
import { comparedKinds, sampleKinds } from '../../../reading/samples/sample-kinds.js'
import { sampleOrders } from '../../../present/page/data/samples.js'

const labelPrefix = 'label.'
const rangePrefix = 'range.'
const markedLabels = ['right', 'wrong', 'unclear'] as const

/** Parameters that make no sense are ignored, since a person may have written them. */
export function parseSampleFilter(query: Readonly<Record<string, string>>): SampleFilter {
  const { against, task, q, desc } = query
  const only = sampleKinds.find(kind => kind === query['only'])
  const sort = sampleOrders.find(order => order === query['sort'])
  const marked = markedLabels.find(label => label === query['marked'])
  const labels = Object.entries(query)
    .filter(([name]) => name.startsWith(labelPrefix))
    .map(([name, label]) => [name.slice(labelPrefix.length), label] as const)
  const ranges = measures.flatMap(measure => {
    const range = query[`${rangePrefix}${measure}`]
    return range === undefined || parseRange(range) === undefined ? [] : [[measure, range] as const]
  })
  return {
    only: only === undefined || (comparedKinds.has(only) && against === undefined) ? 'all' : only,
    ...(against !== undefined && { against }),
    ...(task !== undefined && { task }),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...(marked !== undefined && { marked }),
    ...(ranges.length > 0 && { ranges: Object.fromEntries(ranges) }),
    ...(q !== undefined && { q }),
    ...(sort !== undefined && sort !== 'doc' && !(sort === 'change' && against === undefined) && { sort }),
    ...(desc !== undefined && { descending: true }),
  }
}

/** Parameters of the address. A parameter that is undefined is removed from it. */
export function makeQuery(filter: SampleFilter): Record<string, string | undefined> {
  return {
    only: filter.only === 'all' ? undefined : filter.only,
    against: filter.against,
    task: filter.task,
    ...Object.fromEntries(
      Object.entries(filter.labels ?? {}).map(([field, label]) => [`${labelPrefix}${field}`, label]),
    ),
    marked: filter.marked,
    ...Object.fromEntries(measures.map(measure => [`${rangePrefix}${measure}`, filter.ranges?.[measure]])),
    q: filter.q,
    sort: filter.sort,
    desc: filter.descending === true ? '1' : undefined,
  }
}
