import type { RunKey } from '../../../cache/digest.js'
import type { ResponseMeta, Run } from '../../../cache/records.js'

/** What a run is called beside the answers that it asked for: enough of its id to tell it from all others. */
export const runMark = (id: RunKey): string => id.slice('sha256:'.length, 'sha256:'.length + 16)

/**
 * Whether this run asked for the answer, and did not find it in the store. A run that was removed and made again finds
 * there what it had asked for before. Answers without a mark are older than marks: they are its own if they are younger
 * than the run.
 */
export const isAskedBy = (run: Pick<Run, 'id' | 'createdAt'>, { run: mark, answeredAt }: ResponseMeta): boolean =>
  answeredAt >= run.createdAt && (mark === undefined || mark === runMark(run.id))
