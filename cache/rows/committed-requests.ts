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
  /** The preimage of `input`. Null if it was not requested. */
  readonly text: string | null
}

/** Returns the place after which the next page begins. */
export const pageStart = (last: CommittedRow | undefined): Pick<CommittedRow, 'task' | 'doc' | 'choice' | 'sample'> =>
  last ?? { task: -1, doc: -1, choice: -1, sample: -1 }

/** Converts a row to a request without its place. */
export const toCommittedRequest = ({ input, config, draw, text }: CommittedRow): CommittedRequest => ({
  input,
  config,
  draw,
  ...(text !== null && { text }),
})
