/** The judge against people: how far its values agree with labels, and how far people agree with one another. */
import { formatCount, formatDecimal, formatQuantity, range } from '../../../../base/text/numbers.js'
import type { SampleFilter, TaskCalibration } from '../../../present/page/data/index.js'
import type { PageProps } from '../../app.js'
import { useLoaded } from '../../data/use-loaded.js'
import { Problem } from '../../parts/problem.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'
import { formatHash } from '../../routing/address.js'
import { samplesHash } from '../samples/sample-address.js'

/** Shows the labels of a run by author, and their agreement with the judge. */
export function CalibrationPage({ source, address }: PageProps) {
  const run = address.path[1] ?? ''
  const calibration = useLoaded(run, () => source.calibration(run))
  const { value } = calibration
  return (
    <article class="planning-page">
      <p class="crumbs">
        <a href={formatHash(['runs', run])}>{formatLine(run, 80)}</a>
      </p>
      <h1>Judge and labels</h1>
      <p class="dim">
        The judge is what gave the scores: rules or a judge model. Labels are what people say of the answers.{' '}
        <a href={samplesHash(run, { only: 'unlabelled' })}>Label samples</a>
      </p>
      <Problem of={calibration} />
      {value === undefined && calibration.isLoading && <p class="dim">Loading…</p>}
      {value?.tasks.length === 0 && <p>No doc with a score has a label yet.</p>}
      {value?.tasks.map(task => (
        <TaskSection key={task.task} run={run} task={task} />
      ))}
    </article>
  )
}

interface TaskProps {
  readonly run: string
  readonly task: TaskCalibration
}

type Mean = NonNullable<TaskCalibration['humanMean']>

const formatMean = ({ mean, interval }: Mean): string => `${formatDecimal(mean)} (${range(interval)})`

/** Ten labels are needed. If all docs have one, the labels' own mean is enough. */
const formatEstimate = (estimate: Mean | null): string => (estimate === null ? 'too few labels' : formatMean(estimate))

function TaskSection({ run, task }: TaskProps) {
  const { labelled, docs, unclear, agreement, kappa, alpha, alphaOfPeople, humanMean, estimate } = task
  const title = `${formatLine(task.task, 60)} ${formatLine(task.metric, 60)}`
  const facts: readonly (readonly [string, string])[] = [
    ['Agreement', formatDecimal(agreement)],
    [
      'Cohen’s kappa',
      kappa === null
        ? '–'
        : `${formatDecimal(kappa.kappa)} (${kappa.interval === null ? 'too few labels' : range(kappa.interval)})`,
    ],
    ['Krippendorff’s alpha', formatDecimal(alpha)],
    ...(alphaOfPeople === null ? [] : [['Alpha of people alone', formatDecimal(alphaOfPeople)] as const]),
    ['Right by the judge', formatDecimal(task.judgeMean)],
    ...(humanMean === null ? [] : [['Right by labels', formatMean(humanMean)] as const]),
    ...(labelled === docs ? [] : [['Right by both (PPI++)', formatEstimate(estimate)] as const]),
  ]
  return (
    <section>
      <h2>{title}</h2>
      <p class="dim">
        {formatQuantity(labelled, 'label')} of {formatQuantity(docs, 'doc')}
        {unclear > 0 && `; ${formatQuantity(unclear, 'doc')} unclear, or people disagree`}
      </p>
      <Confusion {...{ run, task }} />
      <dl class="facts">
        {facts.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <People task={task} />
    </section>
  )
}

/** A number leads to its samples. */
function Confusion({ run, task: { task, table } }: TaskProps) {
  const rows = [
    ['right', table.bothRight, table.judgeTooStrict],
    ['wrong', table.judgeTooLenient, table.bothWrong],
  ] as const
  const link = (count: number, marked: SampleFilter['marked'] & string, only: 'right' | 'wrong') =>
    count === 0 ? '0' : <a href={samplesHash(run, { only, marked, task })}>{formatCount(count)}</a>
  return (
    <TableBox
      label={`Docs of ${formatLine(task, 60)} by label and judge`}
      columns={[
        { title: 'People' },
        { title: 'Judge: right', align: 'right' },
        { title: 'Judge: wrong', align: 'right' },
      ]}
      class="compact"
    >
      {rows.map(([marked, right, wrong]) => (
        <tr key={marked}>
          <th scope="row">{marked}</th>
          <td class="right">{link(right, marked, 'right')}</td>
          <td class="right">{link(wrong, marked, 'wrong')}</td>
        </tr>
      ))}
    </TableBox>
  )
}

function People({ task: { task, people, pairs } }: Pick<TaskProps, 'task'>) {
  return (
    <>
      <h3>Labels by author</h3>
      <TableBox
        label={`Labels of ${formatLine(task, 60)} by author`}
        columns={[
          { title: 'Author' },
          { title: 'Right', align: 'right' },
          { title: 'Wrong', align: 'right' },
          { title: 'Unclear', align: 'right' },
          { title: 'As the judge', align: 'right' },
          { title: 'Kappa with the judge', align: 'right' },
        ]}
        class="compact"
      >
        {people.map(({ author, right, wrong, unclear, agreement, kappa }) => (
          <tr key={author}>
            <th scope="row">{formatLine(author, 80)}</th>
            <td class="right">{formatCount(right)}</td>
            <td class="right">{formatCount(wrong)}</td>
            <td class="right">{formatCount(unclear)}</td>
            <td class="right">{formatDecimal(agreement)}</td>
            <td class="right">{formatDecimal(kappa)}</td>
          </tr>
        ))}
      </TableBox>
      {pairs.length > 0 && (
        <TableBox
          label={`Agreement of people on ${formatLine(task, 60)}`}
          columns={[
            { title: 'Two authors' },
            { title: 'Docs of both', align: 'right' },
            { title: 'Agreement', align: 'right' },
            { title: 'Kappa', align: 'right' },
          ]}
          class="compact"
        >
          {pairs.map(({ authors: [a, b], docs, agreement, kappa }) => (
            <tr key={`${a} ${b}`}>
              <th scope="row">
                {formatLine(a, 60)} and {formatLine(b, 60)}
              </th>
              <td class="right">{formatCount(docs)}</td>
              <td class="right">{formatDecimal(agreement)}</td>
              <td class="right">{formatDecimal(kappa)}</td>
            </tr>
          ))}
        </TableBox>
      )}
    </>
  )
}
