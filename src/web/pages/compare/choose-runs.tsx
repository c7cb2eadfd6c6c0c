import type { Source } from '../../data/source.js'
import { RunField } from '../../parts/run-field.js'

interface ChooseRunsProps {
  readonly source: Source
  readonly a: string
  readonly b: string
  readonly change: (changes: { readonly a?: string; readonly b?: string }) => void
}

/** The two fields take the name of a run, or `NAME@2` for its second judgement. */
export function ChooseRuns({ source, a, b, change }: ChooseRunsProps) {
  return (
    <div class="filters">
      <RunField source={source} title="Baseline A" name={a} choose={name => change({ a: name })} />
      <RunField source={source} title="Run B" name={b} choose={name => change({ b: name })} />
      <button type="button" disabled={a === '' || b === ''} onClick={() => change({ a: b, b: a })}>
        Swap A and B
      </button>
    </div>
  )
}
