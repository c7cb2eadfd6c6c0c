import type { ImportOutcome } from '../../../cache/bundle/portable.js'

/** The outcome of an import, for programs. */
export const importJson = ({ run, isNew, added, present, remarks, judgeCalls, conflicts }: ImportOutcome) => ({
  run: run.name,
  id: run.id,
  is_new: isNew,
  added,
  present,
  ...(remarks && { remarks }),
  ...(judgeCalls && { judge_calls: judgeCalls }),
  conflicts,
})
