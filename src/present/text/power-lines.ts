import { axisLabel, formatCount, formatDecimal, formatQuantity, percent } from '../../../base/text/numbers.js'
import { oneLine } from '../../../base/text/visible-text.js'
import type { PowerPlan } from '../../reading/planning/plan-power.js'
import type { RunPower, TaskPower } from '../../reading/planning/run-power.js'
import type { Paint } from './layout/paint.js'
import { table } from './layout/table.js'

const share = (value: number): string => percent(value, 1)

/** Formats a plan: its assumptions, the number of docs that it needs, and the power curve. */
export function formatPowerPlan(plan: PowerPlan, paint: Paint): string[] {
  const { current } = plan
  return [
    paint.bold(`${formatQuantity(plan.neededDocs, 'doc')} to find a difference of ${formatDecimal(plan.effect)}`),
    `  ${formatNeed(plan)}`,
    ...(current === undefined
      ? []
      : [
          `  ${formatQuantity(current.docs, 'doc')} find it with a power of ${share(current.power)}, and find ${formatDecimal(current.detectable)} with a power of ${share(plan.power)}`,
        ]),
    '',
    ...table(
      [
        { title: 'docs', align: 'right' },
        { title: 'power', align: 'right' },
        { title: 'smallest difference', align: 'right' },
      ],
      plan.curve.map(({ docs, power, detectable }) => [formatCount(docs), share(power), formatDecimal(detectable)]),
      paint,
    ),
    '',
    paint.dim(formatAssumptions(plan)),
  ]
}

const formatNeed = ({ power, test, alpha, neededClusters, clusterSize, designEffect }: PowerPlan): string =>
  `with a power of ${share(power)} at α = ${alpha}, by ${test === 'score' ? 'the score test of pairs' : 'the paired t test'}${
    clusterSize === 1
      ? ''
      : `; in ${formatQuantity(neededClusters, 'cluster')} of ${axisLabel(clusterSize)} docs, design effect ${axisLabel(designEffect)}`
  }`

const formatAssumptions = ({ stdA, stdB, correlation, stdOfDifferences, icc, clusterSize }: PowerPlan): string =>
  `assumed: standard deviations ${formatDecimal(stdA)} and ${formatDecimal(stdB)}, correlation ${formatDecimal(correlation)}, so ${formatDecimal(stdOfDifferences)} of the differences${clusterSize === 1 ? ', independent docs' : `, intra-cluster correlation ${formatDecimal(icc)}`}`

/** Formats the power of tasks whose number of docs is known, a line for each. */
export const formatTaskPlans = (
  tasks: readonly { readonly task: string; readonly docs: number; readonly plan: PowerPlan }[],
  paint: Paint,
): string[] =>
  table(
    [
      { title: 'task', least: 12 },
      { title: 'docs', align: 'right' },
      { title: 'power', align: 'right' },
      { title: 'smallest difference', align: 'right' },
      { title: 'enough', align: 'right' },
    ],
    tasks.map(({ task, docs, plan: { current, neededDocs } }) => [
      task,
      formatCount(docs),
      share(current?.power ?? 0),
      formatDecimal(current?.detectable ?? null),
      docs >= neededDocs ? 'yes' : 'no',
    ]),
    paint,
  )

/** Formats the plans from stored runs, a line for each metric. */
export function formatRunPower({ a, b, tasks }: RunPower, paint: Paint): string[] {
  const reasons = tasks.flatMap(({ task, metric, reason }) =>
    reason === undefined ? [] : [paint.yellow(`${oneLine(task)} ${oneLine(metric)} has no plan. ${reason}`)],
  )
  const first = tasks.find(({ plan }) => plan !== undefined)?.plan
  return [
    ...table(
      [
        { title: 'task', least: 12 },
        { title: 'metric', least: 10 },
        { title: 'docs', align: 'right' },
        { title: 'std of Δ', align: 'right', drop: 2 },
        { title: 'correlation', align: 'right', drop: 3 },
        { title: 'design effect', align: 'right', drop: 1 },
        { title: 'power', align: 'right' },
        { title: 'smallest Δ', align: 'right' },
        { title: 'docs needed', align: 'right' },
      ],
      tasks.map(formatTaskRow),
      paint,
    ),
    '',
    ...(first === undefined
      ? []
      : [
          paint.dim(
            `power: the probability that a difference of ${formatDecimal(first.effect)} is found at α = ${first.alpha}. smallest Δ and docs needed: for a power of ${share(first.power)}`,
          ),
        ]),
    paint.dim(
      b === undefined
        ? `spread and clusters are those of ${a}'s scores. The correlation with another model is assumed: name a second run to measure it   (--run RUN)`
        : `spread, correlation and clusters are those of the differences of ${a} and ${b}`,
    ),
    ...reasons,
  ]
}

function formatTaskRow({ task, metric, docs, plan }: TaskPower): string[] {
  const start = [task, metric, formatCount(docs)]
  if (plan?.current === undefined) return [...start, '–', '–', '–', '–', '–', '–']
  return [
    ...start,
    formatDecimal(plan.stdOfDifferences),
    formatDecimal(plan.correlation),
    formatDecimal(plan.designEffect),
    share(plan.current.power),
    formatDecimal(plan.current.detectable),
    formatCount(plan.neededDocs),
  ]
}
