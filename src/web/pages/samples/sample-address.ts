/** The filter of a list of samples as parameters of the address, such as `only=wrong&task=mmlu&label.subject=law`. */
import { type SampleFilter, type SampleKind, type SampleOrder } from '../../../views/page-data/index.js'
import { sampleKinds, sampleOrders } from '../../../views/page-data/samples.js'
import { hashOf, type Address } from '../../routing/address.js'

const labelPrefix = 'label.'
const markedLabels = ['right', 'wrong', 'unclear'] as const
const ofAnother: ReadonlySet<SampleKind> = new Set(['flipped', 'improved', 'worsened'])

/** Kinds that a list offers. Kinds that need another run are left out where there is none. */
export const kindsFor = (filter: SampleFilter): readonly SampleKind[] =>
  sampleKinds.filter(kind => filter.against !== undefined || !ofAnother.has(kind))

/** Parameters that make no sense are ignored, since a person may have written them. */
export function filterOf(query: Address['query']): SampleFilter {
  const { against, task, q, desc } = query
  const only = sampleKinds.find(kind => kind === query['only'])
  const sort = sampleOrders.find(order => order === query['sort'])
  const marked = markedLabels.find(label => label === query['marked'])
  const labels = Object.entries(query)
    .filter(([name]) => name.startsWith(labelPrefix))
    .map(([name, label]) => [name.slice(labelPrefix.length), label] as const)
  return {
    only: only === undefined || (ofAnother.has(only) && against === undefined) ? 'all' : only,
    ...(against !== undefined && { against }),
    ...(task !== undefined && { task }),
    ...(labels.length > 0 && { labels: Object.fromEntries(labels) }),
    ...(marked !== undefined && { marked }),
    ...(q !== undefined && { q }),
    ...(sort !== undefined && sort !== 'doc' && !(sort === 'change' && against === undefined) && { sort }),
    ...(desc !== undefined && { descending: true }),
  }
}

/** Parameters of the address. A parameter that is undefined is removed from it. */
export function queryOf(filter: SampleFilter): Record<string, string | undefined> {
  return {
    only: filter.only === 'all' ? undefined : filter.only,
    against: filter.against,
    task: filter.task,
    ...Object.fromEntries(
      Object.entries(filter.labels ?? {}).map(([field, label]) => [`${labelPrefix}${field}`, label]),
    ),
    marked: filter.marked,
    q: filter.q,
    sort: filter.sort,
    desc: filter.descending === true ? '1' : undefined,
  }
}

type More = Readonly<Record<string, string | number | undefined>>

/** The address of a list of samples. */
export const samplesHash = (run: string, filter: SampleFilter, more: More = {}): string =>
  hashOf(['runs', run, 'samples'], { ...queryOf(filter), ...more })

/** The address of one sample within a filtered list. `at` is its offset in the list, where it is known. */
export const sampleHash = (
  run: string,
  place: { readonly task: number; readonly index: number },
  filter: SampleFilter,
  more: More = {},
): string => hashOf(['runs', run, 'samples', place.task, place.index], { ...queryOf(filter), ...more })

export const orderNames: Readonly<Record<SampleOrder, string>> = {
  doc: 'Dataset order',
  value: 'Value',
  tokens: 'Tokens of the answer',
  duration: 'Duration',
  change: 'Change against the other run',
}

export const kindNames: Readonly<Record<SampleKind, string>> = {
  all: 'All',
  wrong: 'Wrong',
  right: 'Right',
  unparsed: 'Unparsed',
  failed: 'Failed',
  empty: 'Empty',
  cut: 'Cut off',
  labelled: 'Labelled',
  flipped: 'Flipped',
  improved: 'Improved',
  worsened: 'Worsened',
}
