/** The filter of the list of runs, which stands in the address. */
import type { RefObject } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { RunRow, RunState } from '../../../present/page/data/index.js'
import type { Address } from '../../routing/address.js'
import { formatLine } from '../../parts/safe-text.js'
import type { RunFilter } from './run-rows.js'

const states = ['running', 'complete', 'incomplete', 'not judged'] as const satisfies readonly RunState[]
const sorts = { created: 'Newest first', name: 'Name', model: 'Model' } as const

/** Parameters that make no sense are ignored, since a person may have written them. */
export function parseRunFilter(query: Address['query']): RunFilter {
  const state = states.find(known => known === query['state'])
  const sort = (['name', 'model'] as const).find(known => known === query['sort'])
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
  /** Rows that were loaded, whose tasks and tags are offered. */
  readonly known: readonly RunRow[]
  readonly search: RefObject<HTMLInputElement | null>
}

/** Shows the inputs that filter the list of runs. */
export function RunFilters({ query, change, known, search }: RunFiltersProps) {
  return (
    <form class="filters" role="search" aria-label="Runs" onSubmit={event => event.preventDefault()}>
      <SearchField text={query['q'] ?? ''} change={q => change({ q })} field={search} />
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
        id="task"
        value={query['task']}
        values={known.flatMap(({ tasks }) => tasks)}
        change={change}
      />
      <Choice name="Tag" id="tag" value={query['tag']} values={known.flatMap(({ tags }) => tags)} change={change} />
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

interface SearchFieldProps {
  readonly text: string
  readonly change: (text: string) => void
  readonly field: RefObject<HTMLInputElement | null>
}

/** The list is asked once typing pauses. */
function SearchField({ text, change, field }: SearchFieldProps) {
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return undefined
    const timer = setTimeout(() => change(typed), 200)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      ref={field}
      type="search"
      size={26}
      aria-label="Search runs"
      placeholder="Name, model, task or tag"
      value={typed}
      onInput={event => setTyped(event.currentTarget.value)}
    />
  )
}

interface ChoiceProps {
  readonly name: string
  readonly id: string
  readonly value: string | undefined
  readonly values: readonly string[]
  readonly change: RunFiltersProps['change']
}

function Choice({ name, id, value = '', values, change }: ChoiceProps) {
  const offered = [...new Set([...values, ...(value === '' ? [] : [value])])].sort()
  return (
    <label>
      {name}{' '}
      <select value={value} onChange={event => change({ [id]: event.currentTarget.value })}>
        <option value="">all</option>
        {offered.map(one => (
          <option key={one} value={one}>
            {formatLine(one, 60)}
          </option>
        ))}
      </select>
    </label>
  )
}
