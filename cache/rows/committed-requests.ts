/** Reads the requests of committed docs page by page, in the order of the run. */
import type { ConfigKey, InputKey } from '../digest.js'
import type { CommittedRequest } from '../store.js'

/** A request with its place in the run. */
export interface CommittedRow {
  readonly task: number
  readonly doc: number
  readonly choice: number
  readonly sample: number
  readonly input: InputKey
  readonly config: ConfigKey
  readonly draw: number
  /** The preimage of `input`. Null if it was not asked for. */
  readonly text: string | null
}

/** Returns the place behind which the next page begins. */
export const pageStart = (last: CommittedRow | undefined): Pick<CommittedRow, 'task' | 'doc' | 'choice' | 'sample'> =>
  last ?? { task: -1, doc: -1, choice: -1, sample: -1 }

/** Leaves the place out. */
export const toCommittedRequest = ({ input, config, draw, text }: CommittedRow): CommittedRequest => ({
  input,
  config,
  draw,
  ...(text !== null && { text }),
})
