/** Shows why a run that stopped is not complete, and how to continue it. */
import type { RunView } from '../../../present/page/data/index.js'
import { formatQuantity, dateTime } from '../../../../base/text/numbers.js'
import { CopyButton } from '../../parts/copy-button.js'
import { formatLine, visibleText } from '../../parts/safe-text.js'
import { isOpen, type Continuing } from './use-continue.js'

interface UnfinishedProps {
  readonly view: RunView
  /** Absent where no job can be submitted. */
  readonly continuing?: Continuing | undefined
}

/** Shows the missing parts of a run that stopped, and a button that continues it. */
export function Unfinished({ view: { unfinished, failures }, continuing }: UnfinishedProps) {
  if (unfinished === null) return null
  const { stopped, missing, command, advice } = unfinished
  return (
    <section class="problem unfinished" aria-label="Why the run is not complete">
      <p>
        {stopped === null ? (
          <b>This run stopped before its end</b>
        ) : (
          <>
            <b>
              Stopped <time dateTime={stopped.at}>{dateTime(stopped.at)}</time>
            </b>
            : {formatLine(stopped.message, 500)}
          </>
        )}
      </p>
      <p>{missing.map(part => formatLine(part)).join(' · ')}.</p>
      {failures.length > 0 && (
        <ul>
          {failures.map(({ class: name, requests, messages }) => (
            <li key={name}>
              {formatQuantity(requests, 'request')} <b>{formatLine(name)}</b>
              {messages[0] !== undefined && `: ${formatLine(messages[0].message, 200)}`}
            </li>
          ))}
        </ul>
      )}
      {command !== undefined && continuing !== undefined && (
        <Continue continuing={continuing} isLimited={limitCodes.has(stopped?.code ?? '')} />
      )}
      {command !== undefined && (
        <div class="go-on">
          {continuing === undefined ? 'Continue' : 'On the command line'}: <code>{visibleText(command)}</code>{' '}
          <CopyButton text={command} what="command that continues the run" />
        </div>
      )}
      {advice !== undefined && <p>{visibleText(advice)}</p>}
    </section>
  )
}

const limitCodes: ReadonlySet<string> = new Set(['time', 'budget', 'too_many_failures'])

function Continue({ continuing, isLimited }: { readonly continuing: Continuing; readonly isLimited: boolean }) {
  const { job, problem, isSubmitting, start } = continuing
  return (
    <div class="go-on">
      <button type="button" class="primary" disabled={isSubmitting || isOpen(job)} onClick={start}>
        Continue
      </button>{' '}
      {isLimited && <span class="dim">Limits that the run had on a command line do not hold for the job.</span>}
      <p role="status">
        {job?.status === 'queued' && 'The job waits in the queue.'}
        {job?.status === 'running' && 'The job is running.'}
        {job?.status === 'cancelled' && 'The job was cancelled.'}
      </p>
      {problem !== undefined && <p role="alert">This run cannot be continued here: {visibleText(problem)}</p>}
      {job?.status === 'failed' && <p role="alert">The job failed: {visibleText(job.error ?? '')}</p>}
    </div>
  )
}
