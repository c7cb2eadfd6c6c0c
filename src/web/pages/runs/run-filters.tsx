/** Shows the filters of the list of runs. Their values are in the address. */
import type { RefObject } from 'preact'
import type { RunRow, RunState } from '../../../present/page/data/index.js'
import type { Address } from '../../routing/address.js'
import { Choice, SearchField } from '../../parts/filter-fields.js'
import type { RunFilter } from './run-rows.js'

const states = ['running', 'complete', 'incomplete', 'not judged'] as const satisfies readonly RunState[]
const sorts = { created: 'Newest first', name: 'Name', model: 'Model' } as const

/** Parameters that make no sense are ignored, since a person may have written them. */
export function parseRunFilter(query: Address['query']): RunFilter {
  const state = states.find(candidate => candidate === query['state'])
  const sort = (['name', 'model'] as const).find(candidate => candidate === query['sort'])
  return {
    ...(query['q'] !== undefined && { q: query['q'] }),
    ...(query['task'] !== undefined && { task: query['task'] }),
    ...(query['tag'] !== undefined && { tag: query['tag'] }),
    ...(state !== undefined && { state }),
    ...(sort !== undefined && { sort }),
  }
}

interface RunFiltersProps {
  readonly query: Address['query']
  readonly change: (changes: Readonly<Record<string, string | undefined>>) => void
  /** The loaded rows, whose tasks and tags are suggested. */
  readonly known: readonly RunRow[]
  readonly search: RefObject<HTMLInputElement | null>
}

/** Shows the inputs that filter the list of runs. */
export function RunFilters({ query, change, known, search }: RunFiltersProps) {
  return (
    <form class="filters" role="search" aria-label="Runs" onSubmit={event => event.preventDefault()}>
      <SearchField
        label="Search runs"
        placeholder="Name, model, task or tag"
        text={query['q'] ?? ''}
        size={26}
        change={q => change({ q })}
        field={search}
      />
      <label>
        State{' '}
        <select value={query['state'] ?? ''} onChange={event => change({ state: event.currentTarget.value })}>
          <option value="">all</option>
          {states.map(state => (
            <option key={state}>{state}</option>
          ))}
        </select>
      </label>
      <Choice
        name="Task"
        value={query['task']}
        values={known.flatMap(({ tasks }) => tasks)}
        change={task => change({ task })}
      />
      <Choice
        name="Tag"
        value={query['tag']}
        values={known.flatMap(({ tags }) => tags)}
        change={tag => change({ tag })}
      />
      <label>
        Sort{' '}
        <select value={query['sort'] ?? 'created'} onChange={event => change({ sort: event.currentTarget.value })}>
          {Object.entries(sorts).map(([sort, title]) => (
            <option key={sort} value={sort}>
              {title}
            </option>
          ))}
        </select>
      </label>
    </form>
  )
}
