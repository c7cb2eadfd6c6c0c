/** Addresses of samples, and the words for their kinds and orders. */
import { type SampleFilter, type SampleKind, type SampleOrder } from '../../../present/page/data/index.js'
import { comparedKinds, sampleKinds } from '../../../reading/samples/sample-kinds.js'
import { formatHash } from '../../routing/address.js'
import { makeQuery } from './filter-query.js'

/** Lists the kinds to choose from. Kinds that need another run are left out without one. */
export const kindsFor = (filter: SampleFilter): readonly SampleKind[] =>
  sampleKinds.filter(kind => filter.against !== undefined || !comparedKinds.has(kind))

type More = Readonly<Record<string, string | number | undefined>>

/** The address of a list of samples. */
export const samplesHash = (run: string, filter: SampleFilter, more: More = {}): string =>
  formatHash(['runs', run, 'samples'], { ...makeQuery(filter), ...more })

/** Makes the address of one sample within a filtered list. `at` is its offset in the list, if it is known. */
export const sampleHash = (
  run: string,
  place: { readonly task: number; readonly index: number },
  filter: SampleFilter,
  more: More = {},
): string => formatHash(['runs', run, 'samples', place.task, place.index], { ...makeQuery(filter), ...more })

/** The names of orders on the page. */
export const orderNames: Readonly<Record<SampleOrder, string>> = {
  doc: 'Dataset order',
  value: 'Value',
  tokens: 'Tokens of the answer',
  duration: 'Duration',
  change: 'Change against the other run',
}

/** The names of kinds of samples on the page. */
export const kindNames: Readonly<Record<SampleKind, string>> = {
  all: 'All',
  wrong: 'Wrong',
  right: 'Right',
  unparsed: 'Unparsed',
  failed: 'Failed',
  empty: 'Empty',
  cut: 'Cut off',
  disputed: 'Disputed',
  labelled: 'Labelled',
  unlabelled: 'Unlabelled',
  flipped: 'Flipped',
  improved: 'Improved',
  worsened: 'Worsened',
}
