import type { Address } from '../../routing/address.js'
import { Choice, SearchField } from '../../parts/filter-fields.js'

interface LeaderboardFiltersProps {
  readonly query: Address['query']
  readonly change: (changes: Readonly<Record<string, string | undefined>>) => void
  readonly tags: readonly string[]
  readonly metrics: readonly string[]
}

/** Shows the inputs that select runs and rows. Their values are in the address. */
export function LeaderboardFilters({ query, change, tags, metrics }: LeaderboardFiltersProps) {
  return (
    <form class="filters" role="search" aria-label="Leaderboard" onSubmit={event => event.preventDefault()}>
      <SearchField
        label="Search models"
        placeholder="Model"
        text={query['model'] ?? ''}
        change={model => change({ model })}
      />
      <SearchField
        label="Search tasks"
        placeholder="Task"
        text={query['task'] ?? ''}
        change={task => change({ task })}
      />
      <Choice name="Metric" value={query['metric']} values={metrics} change={metric => change({ metric })} />
      {(tags.length > 0 || query['tag'] !== undefined) && (
        <Choice name="Tag" value={query['tag']} values={tags} change={tag => change({ tag })} />
      )}
    </form>
  )
}
