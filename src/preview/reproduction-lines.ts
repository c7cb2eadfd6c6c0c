import { oneLine } from '../../base/text/visible-text.js'
import type { Reproduction } from './reproduction.js'
import type { Paint } from '../present/text/layout/paint.js'

/** Formats a run's command line, and what differs now. */
export function formatReproduction(
  { command, yaml, versions, isSameRun, changes, scoringChanges, problem }: Reproduction,
  paint: Paint,
): string[] {
  const isFile = command.endsWith(' run.yaml')
  return [
    ...(command === ''
      ? ['The run does not hold its configuration, as runs that were imported from a log.']
      : [command]),
    ...(isFile ? ['', paint.dim('run.yaml:'), ...yaml.trimEnd().split('\n').map(oneLine)] : []),
    '',
    ...versions.map(({ name, then, now }) => paint.yellow(`${name}: ${oneLine(then)} then, ${oneLine(now)} now`)),
    ...[...changes, ...scoringChanges].map(line => paint.yellow(oneLine(line))),
    ...(problem === undefined ? [] : [paint.yellow(`What else differs is unknown: ${oneLine(problem)}`)]),
    ...(isSameRun === true
      ? ['Tasks, data, model, code and settings are those of the run: its stored answers are valid.']
      : isSameRun === false
        ? ['The same command is another run now. Answers whose requests are the same are reused.']
        : []),
  ]
}
