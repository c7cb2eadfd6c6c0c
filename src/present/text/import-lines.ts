import { formatCount, formatQuantity } from '../../../base/text/numbers.js'
import type { ImportOutcome } from '../../../cache/bundle/portable.js'

/** Says what an import added to a store. */
export function importLines({ run, isNew, added, present, remarks, judgeCalls, conflicts }: ImportOutcome): string[] {
  const state = isNew ? 'new' : 'known'
  return [
    `${run.name} (${state}): ${formatQuantity(added.responses, 'answer')} and ${formatQuantity(added.scores, 'score')} added, ${formatCount(present.responses)} and ${formatCount(present.scores)} were here`,
    ...(remarks === undefined
      ? []
      : [`  ${formatQuantity(remarks.labels, 'label')} and ${formatQuantity(remarks.tags, 'tag')} of people added`]),
    ...(judgeCalls === undefined
      ? []
      : [
          `  ${formatQuantity(judgeCalls.added, 'reply of judges', 'replies of judges')} added, ${formatCount(judgeCalls.present)} were here`,
        ]),
    ...(conflicts.length === 0 ? [] : [`  ${formatQuantity(conflicts.length, 'conflict')}: what was here stays`]),
  ]
}
