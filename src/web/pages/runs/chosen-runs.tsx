import { formatLine } from '../../parts/safe-text.js'
import { docsHash } from '../docs/docs-address.js'

interface ChosenRunsProps {
  readonly names: readonly string[]
  /** The run that the last choice put out. */
  readonly left: string | undefined
  readonly compare: () => void
  readonly clear: () => void
  /** Whether the source shows the docs of several runs side by side. */
  readonly hasDocs: boolean
}

/** The runs that were chosen in the list. The first is the baseline of a comparison. */
export function ChosenRuns({ names, left, compare, clear, hasDocs }: ChosenRunsProps) {
  const [a, b] = names
  if (a === undefined) return null
  return (
    <div class="chosen" role="status">
      <span>
        {b === undefined ? (
          <>
            <b>{formatLine(a)}</b> is the baseline. Choose a second run.
          </>
        ) : names.length === 2 ? (
          <>
            <b>{formatLine(b)}</b> against <b>{formatLine(a)}</b>
          </>
        ) : (
          <>
            <b>{names.length} runs</b> are chosen. A comparison takes two.
          </>
        )}
        {left !== undefined && (
          <span class="left-out">
            {' '}
            At most {names.length} runs are shown side by side, so <b>{formatLine(left)}</b> is no longer chosen.
          </span>
        )}
      </span>
      <button type="button" onClick={compare} disabled={names.length !== 2}>
        Compare
      </button>
      {hasDocs && b !== undefined && (
        <a class="button" href={docsHash(names)}>
          Docs × runs
        </a>
      )}
      <button type="button" onClick={clear}>
        Clear
      </button>
    </div>
  )
}
