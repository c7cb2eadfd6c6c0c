/** Shows the reasons why docs have no answer or no score. */
import type { RunView } from '../../../present/page/data/index.js'
import { formatQuantity, formatCount } from '../../../../base/text/numbers.js'
import { formatLine } from '../../parts/safe-text.js'
import { TableBox } from '../../parts/table-box.js'
import { sampleHash, samplesHash } from '../samples/sample-address.js'

interface FailuresProps {
  readonly view: RunView
  readonly reference: string
}

const shownCharacters = 400

/** Shows the failed requests of a run, by reason. */
export function Failures({ view: { failures }, reference }: FailuresProps) {
  if (failures.length === 0) return null
  const requests = failures.reduce((sum, failure) => sum + failure.requests, 0)
  return (
    <section>
      <h2>Failed requests</h2>
      <p>
        {formatQuantity(requests, 'request')} failed.{' '}
        <a href={samplesHash(reference, { only: 'failed' })}>Show the failed samples</a>
      </p>
      <TableBox
        label="Failed requests by class"
        columns={[
          { title: 'Class' },
          { title: 'Requests', align: 'right' },
          { title: 'What the server or the program said' },
          { title: 'Docs' },
        ]}
        class="failures"
      >
        {failures.map(failure => (
          <tr key={failure.class}>
            <th scope="row">{formatLine(failure.class)}</th>
            <td class="right">{formatCount(failure.requests)}</td>
            <td class="messages">
              {failure.messages.map(({ message, requests: count }) => (
                <div key={message}>
                  {formatLine(message, shownCharacters)} <span class="dim">({formatCount(count)})</span>
                </div>
              ))}
            </td>
            <td>
              {failure.docs.map(doc => (
                <span key={`${doc.task} ${doc.index}`}>
                  <a href={sampleHash(reference, doc, { only: 'failed' })}>{formatLine(doc.id, 60)}</a>{' '}
                </span>
              ))}
            </td>
          </tr>
        ))}
      </TableBox>
    </section>
  )
}

const outcomeWords: Readonly<Record<string, string>> = {
  judge_failed: 'the judge failed',
  unparsed: 'unparsed',
  error: 'the scoring failed',
}

/** Shows the answers that have no score, by reason. */
export function Unjudged({ view: { unjudged }, reference }: FailuresProps) {
  if (unjudged.length === 0) return null
  return (
    <section>
      <h2>Answers without a score</h2>
      <TableBox
        label="Docs that have answers but no score"
        columns={[{ title: 'Task' }, { title: 'Outcome' }, { title: 'Docs', align: 'right' }, { title: 'Reason' }]}
      >
        {unjudged.map(({ task, outcome, reason, docs }, index) => (
          <tr key={index}>
            <th scope="row">{formatLine(task)}</th>
            <td>{outcomeWords[outcome] ?? formatLine(outcome)}</td>
            <td class="right">
              {outcome === 'unparsed' ? (
                <a href={samplesHash(reference, { only: 'unparsed', task })}>{formatCount(docs)}</a>
              ) : (
                formatCount(docs)
              )}
            </td>
            <td class="messages">{formatLine(reason, shownCharacters)}</td>
          </tr>
        ))}
      </TableBox>
    </section>
  )
}
