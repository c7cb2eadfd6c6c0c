import { formatLine } from '../../parts/safe-text.js'

interface ChosenRunsProps {
  readonly names: readonly string[]
  /** The run that the last choice put out. */
  readonly left: string | undefined
  readonly compare: () => void
  readonly clear: () => void
}

/** The runs that were chosen for a comparison. The first is the baseline. */
export function ChosenRuns({ names, left, compare, clear }: ChosenRunsProps) {
  const [a, b] = names
  if (a === undefined) return null
  return (
    <div class="chosen" role="status">
      <span>
        {b === undefined ? (
          <>
            <b>{formatLine(a)}</b> is the baseline. Choose a second run.
          </>
        ) : (
          <>
            <b>{formatLine(b)}</b> against <b>{formatLine(a)}</b>
            {left !== undefined && (
              <span class="left-out">
                {' '}
                Two runs are compared, so <b>{formatLine(left)}</b> is no longer chosen.
              </span>
            )}
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
