import type { Aggregate, Judgement, Run } from '../../../cache/records.js'
import type { Store } from '../../../cache/store.js'

/** A stored run with the results of a finished judgement. */
export interface ScoredRun {
  readonly store: Store
  readonly run: Run
  readonly judgement: Judgement & { readonly aggregates: readonly Aggregate[] }
}
