import { useEffect, useState } from 'preact/hooks'
import type { Address } from '../../routing/address.js'
import { formatLine } from '../../parts/safe-text.js'

interface LeaderboardFiltersProps {
  readonly query: Address['query']
  readonly change: (changes: Readonly<Record<string, string | undefined>>) => void
  readonly tags: readonly string[]
  readonly metrics: readonly string[]
}

/** Shows the inputs that select runs and rows. They stand in the address. */
export function LeaderboardFilters({ query, change, tags, metrics }: LeaderboardFiltersProps) {
  return (
    <form class="filters" role="search" aria-label="Leaderboard" onSubmit={event => event.preventDefault()}>
      <TypedField name="Model" text={query['model'] ?? ''} change={model => change({ model })} />
      <TypedField name="Task" text={query['task'] ?? ''} change={task => change({ task })} />
      <Choice name="Metric" value={query['metric']} values={metrics} change={metric => change({ metric })} />
      {(tags.length > 0 || query['tag'] !== undefined) && (
        <Choice name="Tag" value={query['tag']} values={tags} change={tag => change({ tag })} />
      )}
    </form>
  )
}

interface TypedFieldProps {
  readonly name: string
  readonly text: string
  readonly change: (text: string) => void
}

/** A field for a part of a name. The table is loaded once typing pauses. */
function TypedField({ name, text, change }: TypedFieldProps) {
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return undefined
    const timer = setTimeout(() => change(typed), 250)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <label>
      {name}{' '}
      <input
        type="search"
        value={typed}
        placeholder="part of the name"
        onInput={event => setTyped(event.currentTarget.value)}
      />
    </label>
  )
}

interface ChoiceProps {
  readonly name: string
  readonly value: string | undefined
  readonly values: readonly string[]
  readonly change: (value: string) => void
}

function Choice({ name, value = '', values, change }: ChoiceProps) {
  const offered = [...new Set([...values, ...(value === '' ? [] : [value])])].sort()
  return (
    <label>
      {name}{' '}
      <select value={value} onChange={event => change(event.currentTarget.value)}>
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
