import type { DocsPage } from '../../../present/page/data/index.js'
import { docKinds, docOrders } from '../../../reading/samples/doc-kinds.js'
import { formatCount } from '../../../../base/text/numbers.js'
import { SearchField } from '../../parts/filter-fields.js'
import { formatLine } from '../../parts/safe-text.js'
import { docKindNames, docOrderNames, type DocsChoice } from './docs-address.js'

interface DocFiltersProps {
  readonly choice: DocsChoice
  /** The newest page of docs. */
  readonly data: DocsPage | undefined
  readonly change: (changes: Readonly<Record<string, string | undefined>>) => void
}

/** Shows the inputs that filter and order the docs. Their values are in the address. */
export function DocFilters({ choice, data, change }: DocFiltersProps) {
  const { only, task = '', q = '', sort = 'disagreement' } = choice
  const tasks = [...new Set([...(data?.tasks ?? []), ...(task === '' ? [] : [task])])]
  return (
    <div class="filter-bar" role="search" aria-label="Filter of docs">
      <div class="kinds" role="group" aria-label="Kinds of docs">
        {docKinds.map(kind => (
          <button
            key={kind}
            type="button"
            aria-pressed={only === kind}
            onClick={() => change({ only: kind === 'all' ? undefined : kind })}
          >
            {docKindNames[kind]}
            {data !== undefined && <span class="count">{formatCount(data.counts[kind])}</span>}
          </button>
        ))}
      </div>
      <div class="fields">
        <label class="choice search">
          Search
          <SearchField
            id="doc-search"
            label="Search"
            placeholder="Prompt, answer, target or id"
            text={q}
            change={text => change({ q: text.trim() === '' ? undefined : text.trim() })}
          />
        </label>
        {(tasks.length > 1 || task !== '') && (
          <label class="choice">
            Task
            <select value={task} onChange={event => change({ task: event.currentTarget.value })}>
              <option value="">All tasks</option>
              {tasks.map(name => (
                <option key={name} value={name}>
                  {formatLine(name, 60)}
                </option>
              ))}
            </select>
          </label>
        )}
        <label class="choice">
          Sort
          <select value={sort} onChange={event => change({ sort: event.currentTarget.value })}>
            {docOrders.map(order => (
              <option key={order} value={order}>
                {docOrderNames[order]}
              </option>
            ))}
          </select>
        </label>
      </div>
    </div>
  )
}
