/** What a script learns from how a command ended. */
const exitCodes = { complete: 0, refused: 1, incomplete: 2, unjudged: 3, interrupted: 130 } as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export interface Ending {
  /** Wrong usage, configuration, dataset or store. */
  readonly isRefused?: boolean
  readonly isInterrupted?: boolean
  /** Items that failed. */
  readonly failed?: number
  /** Items that were neither answered nor failed, or docs not read. */
  readonly pending?: number
  /** Docs that the judge could not score. Unparsed ones are scored. */
  readonly unjudged?: number
}

/** Where several hold: refused, interrupted, incomplete, not judged. */
export function exitCode(ending: Ending): ExitCode {
  if (ending.isRefused === true) return exitCodes.refused
  if (ending.isInterrupted === true) return exitCodes.interrupted
  if ((ending.failed ?? 0) + (ending.pending ?? 0) > 0) return exitCodes.incomplete
  if ((ending.unjudged ?? 0) > 0) return exitCodes.unjudged
  return exitCodes.complete
}

/** Of several commands or runs: the first of refused, interrupted, incomplete, not judged that holds of one of them. */
export const worstOf = (codes: readonly ExitCode[]): ExitCode =>
  (['refused', 'interrupted', 'incomplete', 'unjudged'] as const)
    .map(name => exitCodes[name])
    .find(code => codes.includes(code)) ?? exitCodes.complete
