import { lineOf } from '../../parts/safe-text.js'

interface ChosenRunsProps {
  readonly names: readonly string[]
  readonly compare: () => void
  readonly clear: () => void
}

/** The runs that were chosen for a comparison. The first is the baseline. */
export function ChosenRuns({ names, compare, clear }: ChosenRunsProps) {
  const [a, b] = names
  if (a === undefined) return null
  return (
    <div class="chosen" role="status">
      <span>
        {b === undefined ? (
          <>
            <b>{lineOf(a)}</b> is the baseline. Choose a second run.
          </>
        ) : (
          <>
            <b>{lineOf(b)}</b> against <b>{lineOf(a)}</b>
          </>
        )}
      </span>
      <button type="button" onClick={compare} disabled={b === undefined}>
        Compare
      </button>
      <button type="button" onClick={clear}>
        Clear
      </button>
    </div>
  )
}
