/** The address of the page that shows several runs side by side for each doc, such as `#/docs?runs=A,B&only=disagree`. */
import type { DocKind, DocOrder, DocsQuery } from '../../../present/page/data/index.js'
import { docKinds, docOrders, mostRuns } from '../../../reading/samples/doc-kinds.js'
import { formatHash } from '../../routing/address.js'

/** The names of kinds of docs on the page. */
export const docKindNames: Readonly<Record<DocKind, string>> = {
  all: 'All',
  disagree: 'Runs disagree',
  'all-right': 'All right',
  'all-wrong': 'All wrong',
  unscored: 'Without a value',
}

/** The names of orders on the page. */
export const docOrderNames: Readonly<Record<DocOrder, string>> = {
  disagreement: 'Largest disagreement',
  doc: 'Dataset order',
  hardest: 'Fewest right',
}

/** The runs and the filter of the page. */
export type DocsChoice = Omit<DocsQuery, 'offset' | 'limit'>

/** Parses the address. Parameters that make no sense are ignored, since a person may have written them. */
export function parseDocsChoice(query: Readonly<Record<string, string>>): DocsChoice {
  const { task, q } = query
  const runs = (query['runs'] ?? '').split(',').filter(name => name !== '')
  const sort = docOrders.find(order => order === query['sort'])
  return {
    runs: [...new Set(runs)].slice(0, mostRuns),
    only: docKinds.find(kind => kind === query['only']) ?? 'all',
    ...(task !== undefined && { task }),
    ...(q !== undefined && { q }),
    ...(sort !== undefined && { sort }),
  }
}

/** The address of the page with these runs. */
export const docsHash = (runs: readonly string[], { task }: { readonly task?: string } = {}): string =>
  formatHash(['docs'], { runs: runs.slice(0, mostRuns).join(','), task })
