import { useEffect, useState } from 'preact/hooks'
import type { PageProps } from '../../app.js'
import { cancelJob, listJobs, loadWork, type Job } from '../../data/service.js'
import { useLoaded } from '../../data/use-loaded.js'
import { dateTime } from '../../../../base/text/numbers.js'
import { Problem } from '../../parts/problem.js'
import { WorkersTable } from './workers-table.js'
import { formatHash, useQuery } from '../../routing/address.js'

const statuses = ['queued', 'running', 'completed', 'failed', 'cancelled'] as const
/** Jobs are few and change seldom, so that asking again is enough. */
const askAgainMs = 3000

/** The jobs of the service, newest first. */
export function JobsPage({ source }: PageProps) {
  const [{ status }, setQuery] = useQuery()
  const jobs = useLoaded(`jobs ${status ?? ''}`, () => listJobs(status))
  const work = useLoaded('work', loadWork)
  useEffect(() => {
    const timer = setInterval(() => {
      jobs.reload()
      work.reload()
    }, askAgainMs)
    return () => clearInterval(timer)
  }, [])
  const rows = jobs.value?.jobs ?? []
  return (
    <section class="jobs-page">
      <h1>Jobs</h1>
      <form class="filters" onSubmit={event => event.preventDefault()}>
        <label>
          State{' '}
          <select value={status ?? ''} onChange={event => setQuery({ status: event.currentTarget.value })}>
            <option value="">all</option>
            {statuses.map(state => (
              <option key={state} value={state}>
                {state}
              </option>
            ))}
          </select>
        </label>
        {source.can.start && (
          <a class="button" href={formatHash(['new'])}>
            New run
          </a>
        )}
      </form>
      <Problem of={jobs} />
      {work.value !== undefined && <WorkersTable work={work.value} />}
      {jobs.value !== undefined && rows.length === 0 && (
        <p class="dim">
          There are no jobs
          {status === undefined ? ' yet. A job is a run that this server was asked to do' : ' in this state'}.
        </p>
      )}
      {rows.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Jobs">
          <table>
            <thead>
              <tr>
                <th scope="col">job</th>
                <th scope="col">state</th>
                <th scope="col">model</th>
                <th scope="col">tasks</th>
                <th scope="col">submitted</th>
                <th scope="col">run</th>
                <th scope="col">
                  <span class="hidden">actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(job => (
                <JobRow key={job.job_id} job={job} changed={jobs.reload} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

function JobRow({ job, changed }: { readonly job: Job; readonly changed: () => void }) {
  const [problem, setProblem] = useState<string>()
  const isOpen = job.status === 'queued' || job.status === 'running'
  const cancel = (): void => {
    cancelJob(job.job_id).then(changed, (error: unknown) =>
      setProblem(error instanceof Error ? error.message : String(error)),
    )
  }
  return (
    <tr>
      <th scope="row">
        <code>{job.job_id.slice(0, 8)}</code>
      </th>
      <td>
        <span class={`state state-${job.status}`}>{job.cancelling && isOpen ? 'cancelling' : job.status}</span>
        {job.position_in_queue !== null && <span class="dim"> number {job.position_in_queue + 1}</span>}
        {job.waiting_for !== null && <span class="dim"> waiting for {job.waiting_for}</span>}
        {job.declined_because.length > 0 && (
          <p class="problem-text">
            Waits for another worker. Those that looked at it cannot do it: {job.declined_because.join(' ')}
          </p>
        )}
        {job.error !== null && <p class="problem-text">{job.error}</p>}
      </td>
      <td>{formatValue(job.request['model'])}</td>
      <td>{formatValue(job.request['tasks'])}</td>
      <td>
        <time dateTime={job.created_at}>{dateTime(job.created_at)}</time>
      </td>
      <td>{job.run !== null && <a href={formatHash(['runs', job.run])}>show</a>}</td>
      <td>
        {isOpen && !job.cancelling && (
          <button type="button" onClick={cancel} aria-label={`Cancel job ${job.job_id.slice(0, 8)}`}>
            Cancel
          </button>
        )}
        {problem !== undefined && <p role="alert">{problem}</p>}
      </td>
    </tr>
  )
}

const formatValue = (value: unknown): string =>
  Array.isArray(value)
    ? value.join(', ')
    : typeof value === 'string'
      ? value
      : value === undefined
        ? ''
        : JSON.stringify(value)
