import { duration, formatCount, rate } from '../../../../base/text/numbers.js'
import type { WorkerRow, WorkView } from '../../../present/page/data/index.js'
import { formatHash } from '../../routing/address.js'

/** The processes that work on the store, and what waits in its queue. */
export function WorkersTable({ work: { workers, queue } }: { readonly work: WorkView }) {
  return (
    <>
      {queue.oldest_seconds !== null && (
        <p class="dim">
          {formatCount(queue.jobs)} {queue.jobs === 1 ? 'job waits' : 'jobs wait'}, the oldest since{' '}
          {duration(queue.oldest_seconds * 1000)}.
        </p>
      )}
      {workers.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Workers">
          <table>
            <thead>
              <tr>
                <th scope="col">worker</th>
                <th scope="col">state</th>
                <th scope="col">works on</th>
                <th scope="col">answers/s</th>
                <th scope="col">answers</th>
                <th scope="col">requests held</th>
                <th scope="col">last sign</th>
              </tr>
            </thead>
            <tbody>
              {workers.map(worker => (
                <WorkerLine key={`${worker.host} ${worker.pid}`} worker={worker} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}

function WorkerLine({ worker }: { readonly worker: WorkerRow }) {
  const { host, pid, runs, jobs, requests, answers, answers_per_second: perSecond, silent_seconds, stale } = worker
  return (
    <tr>
      <th scope="row">
        process {pid} on {host}
      </th>
      <td>
        <span class={`state state-${stale ? 'failed' : 'running'}`}>{stale ? 'stale' : 'works'}</span>
      </td>
      <td>
        {runs.map(run => (
          <a key={run} href={formatHash(['runs', run])}>
            {run}{' '}
          </a>
        ))}
        {jobs.map(job => (
          <code key={job}>{job.slice(0, 8)} </code>
        ))}
      </td>
      <td>{perSecond === 0 ? '–' : rate(perSecond).replace('/s', '')}</td>
      <td>{formatCount(answers)}</td>
      <td>{formatCount(requests)}</td>
      <td>{duration(silent_seconds * 1000)} ago</td>
    </tr>
  )
}
