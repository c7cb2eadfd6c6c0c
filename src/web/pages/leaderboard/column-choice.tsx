import type { LeaderboardModelJson } from '../../../present/page/data/index.js'
import { formatLine } from '../../parts/safe-text.js'
import { formatHidden } from './columns.js'

interface ColumnChoiceProps {
  readonly models: readonly LeaderboardModelJson[]
  /** The labels of the columns that are left out. */
  readonly hidden: readonly string[]
  readonly by: string
  readonly keys: readonly string[]
  readonly change: (changes: Readonly<Record<string, string | undefined>>) => void
}

/** Shows the inputs that choose and group columns. Their values are in the address. */
export function ColumnChoice({ models, hidden, by, keys, change }: ColumnChoiceProps) {
  const shownCount = models.filter(({ label }) => !hidden.includes(label)).length
  const toggle = (label: string, isShown: boolean): void =>
    change({ without: formatHidden(isShown ? hidden.filter(other => other !== label) : [...hidden, label]) })
  return (
    <div class="filters">
      <label>
        Group by{' '}
        <select value={by} onChange={event => change({ by: event.currentTarget.value })}>
          <option value="">nothing</option>
          {keys.map(key => (
            <option key={key} value={key}>
              {key.replace(/^setting:/, '')}
            </option>
          ))}
        </select>
      </label>
      <details class="column-choice">
        <summary>
          Columns ({shownCount} of {models.length})
        </summary>
        <fieldset>
          <legend class="unseen">Columns</legend>
          {models.map(({ label }) => (
            <label key={label}>
              <input
                type="checkbox"
                checked={!hidden.includes(label)}
                onChange={event => toggle(label, event.currentTarget.checked)}
              />{' '}
              {formatLine(label, 100)}
            </label>
          ))}
          {hidden.length > 0 && (
            <button type="button" class="quiet" onClick={() => change({ without: undefined })}>
              Show all
            </button>
          )}
        </fieldset>
      </details>
    </div>
  )
}
