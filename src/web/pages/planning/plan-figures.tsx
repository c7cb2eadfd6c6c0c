/** The figures of plans: needed docs, power, smallest difference, and the power curve. */
import { axisLabel, formatCount, formatDecimal, formatQuantity, percent } from '../../../../base/text/numbers.js'
import type { PowerPlan, RunPower } from '../../../present/page/data/index.js'
import { formatLine } from '../../parts/safe-text.js'
import { StepPlot } from '../../parts/step-plot.js'
import { TableBox } from '../../parts/table-box.js'

const share = (value: number): string => percent(value, 1)

/** Shows one plan. */
export function PlanFigures({ plan }: { readonly plan: PowerPlan }) {
  const { test, neededDocs, neededClusters, clusterSize, designEffect, effect, alpha, power, current } = plan
  return (
    <section>
      <h2>
        {formatQuantity(neededDocs, 'doc')} to find a difference of {formatDecimal(effect)}
      </h2>
      <p>
        With a power of {share(power)} at α = {alpha}, by{' '}
        {test === 'score' ? 'the score test of pairs' : 'the paired t test'}
        {clusterSize > 1 &&
          `; in ${formatQuantity(neededClusters, 'cluster')} of ${axisLabel(clusterSize)} docs, design effect ${axisLabel(designEffect)}`}
        .
      </p>
      {current !== undefined && (
        <p>
          {formatQuantity(current.docs, 'doc')} find it with a power of {share(current.power)}. The smallest difference
          that they show with a power of {share(power)} is {formatDecimal(current.detectable)}.
        </p>
      )}
      <PowerCurve plan={plan} />
      <p class="dim">
        Assumed: standard deviations {formatDecimal(plan.stdA)} and {formatDecimal(plan.stdB)}, correlation{' '}
        {formatDecimal(plan.correlation)}, so {formatDecimal(plan.stdOfDifferences)} of the differences
        {clusterSize > 1 ? `, intra-cluster correlation ${formatDecimal(plan.icc)}` : ', independent docs'}.
      </p>
    </section>
  )
}

function PowerCurve({ plan: { curve } }: { readonly plan: PowerPlan }) {
  const points = curve.map(({ docs, power }) => ({ step: docs, value: power, interval: null }))
  return (
    <>
      <h3>Power by the number of docs</h3>
      <StepPlot lines={[{ name: '', points }]} />
      <TableBox
        label="Power by the number of docs"
        columns={[
          { title: 'Docs', align: 'right' },
          { title: 'Power', align: 'right' },
          { title: 'Smallest difference', align: 'right' },
        ]}
        class="compact"
      >
        {curve.map(({ docs, power, detectable }) => (
          <tr key={docs}>
            <th scope="row" class="right">
              {formatCount(docs)}
            </th>
            <td class="right">{share(power)}</td>
            <td class="right">{formatDecimal(detectable)}</td>
          </tr>
        ))}
      </TableBox>
    </>
  )
}

/** Shows the plan of each metric of one run or two. The curve of a metric is folded. */
export function RunPlans({ power: { a, b, tasks } }: { readonly power: RunPower }) {
  return (
    <section>
      <h2>{b === undefined ? formatLine(a, 80) : `${formatLine(a, 80)} and ${formatLine(b, 80)}`}</h2>
      <TableBox
        label="Plans by metric"
        columns={[
          { title: 'Task' },
          { title: 'Metric' },
          { title: 'Docs', align: 'right' },
          { title: 'Power', align: 'right', hint: 'The probability that these docs show the difference.' },
          { title: 'Smallest difference', align: 'right', hint: 'The smallest one that these docs show.' },
          { title: 'Docs needed', align: 'right' },
          { title: 'Std of differences', align: 'right' },
          { title: 'Correlation', align: 'right' },
          { title: 'Design effect', align: 'right' },
        ]}
      >
        {tasks.map(({ task, metric, docs, plan, reason }) => (
          <tr key={`${task} ${metric}`}>
            <th scope="row">{formatLine(task, 60)}</th>
            <td>{formatLine(metric, 60)}</td>
            <td class="right">{formatCount(docs)}</td>
            {plan?.current === undefined ? (
              <td colSpan={6} class="dim">
                No plan. {reason !== undefined && formatLine(reason, 300)}
              </td>
            ) : (
              <>
                <td class="right">{share(plan.current.power)}</td>
                <td class="right">{formatDecimal(plan.current.detectable)}</td>
                <td class="right">{formatCount(plan.neededDocs)}</td>
                <td class="right">{formatDecimal(plan.stdOfDifferences)}</td>
                <td class="right">{formatDecimal(plan.correlation)}</td>
                <td class="right">{formatDecimal(plan.designEffect)}</td>
              </>
            )}
          </tr>
        ))}
      </TableBox>
      <p class="dim">
        {b === undefined
          ? 'The spread and the clusters are those of the scores. The correlation with another model is assumed: choose a run B to measure it.'
          : 'The spread, the correlation and the clusters are those of the differences.'}
      </p>
      {tasks.map(({ task, metric, plan }) =>
        plan === undefined ? null : (
          <details key={`${task} ${metric}`} class="card">
            <summary>
              {formatLine(task, 60)} {formatLine(metric, 60)}: {formatQuantity(plan.neededDocs, 'doc')} needed
            </summary>
            <PlanFigures plan={plan} />
          </details>
        ),
      )}
    </section>
  )
}
