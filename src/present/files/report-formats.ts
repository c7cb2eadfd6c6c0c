import { PipelineError } from '../../../base/errors/errors.js'
import type { Run } from '../../../cache/records.js'
import { csvReport } from './csv.js'
import { junitReport } from './junit.js'
import { latexReport } from './latex.js'
import { markdownReport } from './markdown.js'
import { isScored, type ReportedRun, type ReportedScores } from './reported-run.js'

/** The formats of results for other programs. */
export const fileFormats = ['csv', 'md', 'junit', 'latex'] as const
/** The formats of report files. */
export type FileFormat = (typeof fileFormats)[number]

/**
 * Writes runs in a format, piece by piece. Each piece consists of whole lines, and holds no control characters that act on a terminal.
 *
 * @param judgeHint how the user scores a run: a command or a function call
 * @throws PipelineError if a run has no results, or the format is for one run only
 */
export function formattedReport(
  format: FileFormat,
  runs: readonly ReportedRun[],
  judgeHint: (run: Run) => string,
): Iterable<string> | AsyncIterable<string> {
  if (format === 'junit') return junitReport(onlyRun(runs))
  const scored = runs.map(reported => withScores(reported, judgeHint))
  if (format === 'csv') return csvReport(scored)
  return format === 'md' ? markdownReport(scored) : latexReport(scored)
}

function onlyRun(runs: readonly ReportedRun[]): ReportedRun {
  const [run, ...others] = runs
  if (run !== undefined && others.length === 0) return run
  throw new PipelineError('usage', `junit is a format of one run; ${runs.length} are given. Write a file for each run`)
}

/** @throws PipelineError if the run has no results */
export function withScores(reported: ReportedRun, judgeHint: (run: Run) => string): ReportedScores {
  if (isScored(reported)) return reported
  const { run } = reported
  throw new PipelineError('usage', `run ${run.name} is not judged yet. Score it: ${judgeHint(run)}`)
}
