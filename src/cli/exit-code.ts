/** The exit codes of commands. */
const exitCodes = { complete: 0, refused: 1, incomplete: 2, unjudged: 3, gateFailed: 4, interrupted: 130 } as const

/** The exit codes of the program. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The facts about a command's end that decide its exit code. */
export interface Ending {
  /** True for wrong usage, configuration, dataset or store. */
  readonly isRefused?: boolean
  readonly isInterrupted?: boolean
  /** The number of failed items. */
  readonly failed?: number
  /** The number of items that are neither answered nor failed, and of docs that were not read. */
  readonly pending?: number
  /** The number of docs that the judge could not score. Unparsed docs have a score. */
  readonly unjudged?: number
  /** True if a gate did not hold, or another check found what it looks for. */
  readonly isGateFailed?: boolean
}

/** Returns the exit code. If several apply, the order is: rejected, interrupted, incomplete, not judged, gate failed. */
export function exitCode(ending: Ending): ExitCode {
  if (ending.isRefused === true) return exitCodes.refused
  if (ending.isInterrupted === true) return exitCodes.interrupted
  if ((ending.failed ?? 0) + (ending.pending ?? 0) > 0) return exitCodes.incomplete
  if ((ending.unjudged ?? 0) > 0) return exitCodes.unjudged
  return ending.isGateFailed === true ? exitCodes.gateFailed : exitCodes.complete
}

/** Combines the exit codes of several runs in the same order. */
export const chooseWorst = (codes: readonly ExitCode[]): ExitCode =>
  (['refused', 'interrupted', 'incomplete', 'unjudged', 'gateFailed'] as const)
    .map(name => exitCodes[name])
    .find(code => codes.includes(code)) ?? exitCodes.complete
