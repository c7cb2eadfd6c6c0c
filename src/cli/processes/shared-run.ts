/** Checks a command line for a run that several processes share. */
import { Option, type Command } from 'commander'
import { PipelineError } from '../../../base/errors/errors.js'
import { addFlags, type FlagsOf } from '../../config/option.js'
import { processOptions } from '../../config/options/process-options.js'
import type { AskedRun } from '../commands/runs/run-list.js'

/** Flags for sharing a run among processes. */
export type ProcessFlags = FlagsOf<typeof processOptions> & {
  /** The id of the run that this process joins. `--workers` starts processes with it. */
  readonly join?: string
}

export const withProcesses = (command: Command): Command =>
  addFlags(command, processOptions, 'Several processes:').addOption(new Option('--join <run>').hideHelp())

const afterwards = 'a detached run only leaves jobs for workers. When it has ended:'

/**
 * Rejects flags that several processes, or processes that start later, cannot keep.
 *
 * @throws PipelineError (usage)
 */
export function refuseUnshared(
  { settings, output, destinations, isListed }: AskedRun,
  { workers = 1, detach = false }: ProcessFlags,
): void {
  const { maxRequests, maxTokensTotal, maxCost } = settings
  const limits =
    workers === 1
      ? []
      : [
          ['--max-requests', maxRequests],
          ['--max-tokens-total', maxTokensTotal],
          ['--max-cost', maxCost],
        ].flatMap(([name, value]) =>
          value === undefined ? [] : [`${name}: the limit is of one process. Leave it or --workers out`],
        )
  const listed =
    isListed && workers > 1 && !detach
      ? ['--workers: the file holds a list of runs. Start its runs one by one, or add --detach']
      : []
  const results = detach
    ? [
        ...(output.outputPath === undefined ? [] : [`--output-path: ${afterwards} pipeline report RUN --json`]),
        ...(output.html === undefined ? [] : [`--html: ${afterwards} pipeline report RUN --html FILE`]),
        ...(output.baseline === undefined && (output.gate ?? []).length === 0
          ? []
          : [`--gate, --baseline: ${afterwards} pipeline resume RUN --gate CONDITION`]),
        ...(output.webhook === undefined ? [] : [`--webhook: ${afterwards} pipeline resume RUN --webhook ADDRESS`]),
        ...(destinations.length === 0 ? [] : [`--track: ${afterwards} pipeline resume RUN --track TRACKER`]),
      ]
    : []
  const problems = [...limits, ...listed, ...results]
  if (problems.length > 0) throw new PipelineError('usage', problems)
}

/** The evaluation as a process does it that joins a run: the process that started it shows and writes the results. */
export const makeJoined = (evaluation: AskedRun, run: string): AskedRun => ({
  ...evaluation,
  settings: {
    ...evaluation.settings,
    // The process that started this one has reopened what failed.
    retryFailed: false,
    resume: { id: run as NonNullable<AskedRun['settings']['resume']>['id'], name: run },
  },
  output: { quiet: true },
  destinations: [],
})
