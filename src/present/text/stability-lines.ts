import { formatCount, formatDecimal, formatQuantity, range } from '../../../base/text/numbers.js'
import { oneLine } from '../../../base/text/visible-text.js'
import type { StabilityValue } from '../../reading/stability/measure-run-stability.js'
import type { RunStability, TaskStability } from '../../rescoring/run-stability.js'
import type { Paint } from './layout/paint.js'
import { table } from './layout/table.js'
import { docList } from './results/incomplete-run.js'

/** Formats the stability of a run: a table for each metric, and the docs to look at. */
export function formatStability({ tasks, leftOut, reason }: RunStability, paint: Paint): string[] {
  return [
    ...tasks.flatMap((task, i) => [...(i === 0 ? [] : ['']), ...formatTask(task, paint)]),
    ...(leftOut === 0
      ? []
      : [
          '',
          paint.yellow(
            `${formatQuantity(leftOut, 'doc')} left out, because a sample has no answer or no score${reason === undefined ? '' : `: ${oneLine(reason)}`}`,
          ),
        ]),
  ]
}

function formatTask(task: TaskStability, paint: Paint): string[] {
  const { samples, mostSamples } = task
  const count =
    samples === mostSamples ? formatCount(samples) : `${formatCount(samples)} to ${formatCount(mostSamples)}`
  const rows: readonly (readonly [string, StabilityValue])[] = [
    ['EA, expected accuracy', task.expectedAccuracy],
    ['CA, consensus accuracy', task.consensusAccuracy],
    ['IV, internal variance', task.internalVariance],
    ['CR, consistency rate', task.consistencyRate],
    ...task.attempts.flatMap(
      ({ k, passAtK, passHatK, majAtK }) =>
        [
          [`pass@${k}`, passAtK],
          [`pass^${k}`, passHatK],
          [`maj@${k}`, majAtK],
        ] as const,
    ),
  ]
  return [
    paint.bold(
      `${oneLine(task.task)} ${oneLine(task.metric)}: ${formatQuantity(task.docs, 'doc')}, ${count} samples each`,
    ),
    ...table(
      [{ title: 'measure', least: 10 }, { title: 'value', align: 'right' }, { title: '95 % CI' }],
      rows.map(([name, { value, interval }]) => [name, formatDecimal(value), range(interval)]),
      paint,
    ),
    ...formatDiagnoses(task, paint),
  ]
}

function formatDiagnoses({ diagnoses }: TaskStability, paint: Paint): string[] {
  const { ambiguous, confidentlyWrong, modelSpecific, wrongEverywhere } = diagnoses
  const list = (words: string, ids: readonly string[]): readonly string[] =>
    ids.length === 0 ? [] : [`${formatQuantity(ids.length, 'doc')} ${words}: ${docList(ids, 12)}`]
  const lines = [
    ...list('ambiguous (the samples disagree)', ambiguous),
    ...list(
      'confidently wrong (all samples give one wrong answer)',
      confidentlyWrong.map(({ id }) => id),
    ),
    ...list('wrong here and right in the other runs', modelSpecific ?? []),
    ...list('wrong in all runs: look at the target', wrongEverywhere ?? []),
  ]
  return lines.length === 0 ? [] : ['', ...lines.map(line => paint.yellow(line))]
}
