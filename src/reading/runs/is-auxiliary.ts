import type { RunSpec } from '../../../cache/records.js'

/** Tells whether a run holds the requests of a judge or of a conversation's rounds. `last` never means such a run. */
export const isAuxiliary = ({ asked }: { readonly asked?: Pick<RunSpec, 'judge' | 'rounds'> }): boolean =>
  asked?.judge !== undefined || asked?.rounds !== undefined
