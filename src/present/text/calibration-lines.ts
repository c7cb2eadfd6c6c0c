import { formatCount, formatDecimal, formatQuantity, percent, range } from '../../../base/text/numbers.js'
import { oneLine } from '../../../base/text/visible-text.js'
import { fewestLabels } from '../../../stages/judge/statistics/ppi/ppi-mean.js'
import type { JudgeCalibration, TaskCalibration } from '../../reading/calibration/calibrate-judge.js'
import type { Paint } from './layout/paint.js'
import { table } from './layout/table.js'

/** Formats how far the judge agrees with people, task by task. */
export function formatCalibration({ tasks, unmatched }: JudgeCalibration, paint: Paint): string[] {
  return [
    ...tasks.flatMap((task, i) => [...(i === 0 ? [] : ['']), ...formatTask(task, paint)]),
    ...(unmatched === 0
      ? []
      : [
          paint.yellow(
            `${formatQuantity(unmatched, 'row')} of the file left out: no doc of the run has this id and task`,
          ),
        ]),
  ]
}

function formatTask(task: TaskCalibration, paint: Paint): string[] {
  const { labelled, unclear, docs, agreement, kappa, alpha, alphaOfPeople } = task
  return [
    paint.bold(
      `${oneLine(task.task)} ${oneLine(task.metric)}: ${formatQuantity(labelled, 'label')} of ${formatQuantity(docs, 'doc')}`,
    ),
    ...table(
      [{ title: '' }, { title: 'judge: right', align: 'right' }, { title: 'judge: wrong', align: 'right' }],
      [
        ['people: right', formatCount(task.table.bothRight), formatCount(task.table.judgeTooStrict)],
        ['people: wrong', formatCount(task.table.judgeTooLenient), formatCount(task.table.bothWrong)],
      ],
      paint,
    ),
    '',
    `agreement ${agreement === null ? '–' : percent(agreement, 1)}, Cohen's kappa ${kappa === null ? '– (one category alone)' : `${formatDecimal(kappa.kappa)} (${kappa.interval === null ? 'too few labels for an interval' : range(kappa.interval)})`}, Krippendorff's alpha ${formatDecimal(alpha)}${alphaOfPeople === null ? '' : `, of the people alone ${formatDecimal(alphaOfPeople)}`}`,
    ...formatPeople(task, paint),
    ...formatMeans(task),
    ...(unclear === 0
      ? []
      : [paint.dim(`${formatQuantity(unclear, 'doc')} counted as unlabelled: unclear, or people disagree`)]),
    paint.dim('the estimate holds if the labelled docs are a random part of all docs'),
  ]
}

/** Formats the agreement of several people. With one person, the table above has everything. */
function formatPeople({ people, pairs }: TaskCalibration, paint: Paint): string[] {
  if (people.length < 2) return []
  const share = (agreement: number | null): string => (agreement === null ? '–' : percent(agreement, 1))
  return [
    '',
    ...table(
      [
        { title: 'who', least: 10 },
        { title: 'right', align: 'right' },
        { title: 'wrong', align: 'right' },
        { title: 'unclear', align: 'right' },
        { title: 'as the judge', align: 'right' },
        { title: 'kappa', align: 'right' },
      ],
      people.map(({ author, right, wrong, unclear, agreement, kappa }) => [
        oneLine(author),
        ...[right, wrong, unclear].map(formatCount),
        share(agreement),
        formatDecimal(kappa),
      ]),
      paint,
    ),
    ...pairs.map(
      ({ authors: [a, b], docs, agreement, kappa }) =>
        `${oneLine(a)} and ${oneLine(b)} agree on ${share(agreement)} of ${formatQuantity(docs, 'doc')}, kappa ${formatDecimal(kappa)}`,
    ),
    '',
  ]
}

function formatMeans({ judgeMean, humanMean, estimate, judgeWorth, labelled, docs }: TaskCalibration): string[] {
  return [
    `right by the judge alone: ${formatDecimal(judgeMean)}`,
    ...(humanMean === null
      ? []
      : [`right by the labels alone: ${formatDecimal(humanMean.mean)} (${range(humanMean.interval)})`]),
    ...(estimate === null || judgeWorth === null
      ? labelled < fewestLabels && labelled < docs
        ? [`right by both: too few labels (${formatCount(labelled)} of at least ${fewestLabels})`]
        : []
      : [
          `right by both (PPI++, weight ${formatDecimal(estimate.weight)}): ${formatDecimal(estimate.mean)} (${range(estimate.interval)})`,
          `this judge is worth ${formatQuantity(judgeWorth, 'human label')}: ${formatQuantity(labelled, 'label')} and the judge tell as much as ${formatQuantity(estimate.effectiveLabels, 'label')}`,
        ]),
  ]
}
