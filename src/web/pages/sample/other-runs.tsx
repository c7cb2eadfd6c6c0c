/** The same doc in all other runs, loaded when it is opened. */
import { useState } from 'preact/hooks'
import type { DocRun } from '../../../present/page/data/index.js'
import { dateTime, formatQuantity } from '../../../../base/text/numbers.js'
import type { Source } from '../../data/source.js'
import { useLoaded } from '../../data/use-loaded.js'
import { Badge, OutcomeBadge } from '../../parts/badge.js'
import { formatLine, visibleText } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'
import { docsHash } from '../docs/docs-address.js'
import { valueText } from '../samples/list-columns.js'
import { sampleHash } from '../samples/sample-address.js'

interface OtherRunsProps {
  readonly source: Source
  readonly run: string
  readonly task: number
  readonly index: number
  readonly taskName: string
}

/** Shows what other runs answered to the doc. */
export function OtherRuns(props: OtherRunsProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="other-runs" onToggle={event => setIsOpen(event.currentTarget.open)}>
      <summary>This doc in all other runs</summary>
      {isOpen && <Answers {...props} />}
    </details>
  )
}

function Answers({ source, run, task, index, taskName }: OtherRunsProps) {
  const { value, error } = useLoaded(`${run} ${task}/${index}`, () => source.docRuns(run, task, index))
  if (error !== undefined) return <p class="problem">{visibleText(error)}</p>
  if (value === undefined) return <p class="dim">The runs are being read…</p>
  const { runs, left } = value
  if (runs.length === 0) return <p class="dim">No other run has this doc.</p>
  return (
    <>
      <TableBox
        label="This doc in all other runs"
        columns={[{ title: 'Run' }, { title: 'Outcome' }, { title: 'Answer' }, { title: 'Side by side' }]}
        class="compact"
      >
        {runs.map(other => (
          <AnswerRow key={other.name} {...{ other, run, task, index }} />
        ))}
      </TableBox>
      <p class="dim">
        {left > 0 && `${formatQuantity(left, 'older run')} with this task are not shown. `}
        {source.can.showDocs && (
          <a href={docsHash([run, ...runs.map(({ name }) => name)], { task: taskName })}>
            All docs of these runs side by side
          </a>
        )}
      </p>
    </>
  )
}

interface AnswerRowProps extends Pick<OtherRunsProps, 'run' | 'task' | 'index'> {
  readonly other: DocRun
}

function AnswerRow({ other, run, task, index }: AnswerRowProps) {
  const { name, title, model, created, cell, isAskedSame, isSameAnswer } = other
  return (
    <tr>
      <th scope="row">
        <a href={sampleHash(name, cell, { only: 'all' })}>{formatLine(title ?? name, 60)}</a>
        <div class="dim small">{formatLine(model, 80)}</div>
        <div class="dim small">{dateTime(created)}</div>
      </th>
      <td>
        <OutcomeBadge outcome={cell.outcome} isRight={cell.isRight} />{' '}
        <span class="numbers">{valueText(cell.value)}</span>
        {isAskedSame === false && (
          <>
            {' '}
            <Badge tone="warn" text="other prompt" title="The request had other messages or media." />
          </>
        )}
        {isSameAnswer && (
          <>
            {' '}
            <Badge tone="plain" text="same answer" title="Both runs share one stored answer." />
          </>
        )}
      </td>
      <td class="text" dir="auto">
        {cell.answer === '' ? <span class="dim">no text</span> : formatLine(cell.answer)}
      </td>
      <td>
        <a href={sampleHash(run, { task, index }, { only: 'all', against: name })}>
          compare<span class="unseen"> with {formatLine(name, 60)}</span>
        </a>
      </td>
    </tr>
  )
}
