/** Puts analyses of stored runs into the queue. */
import { randomUUID } from 'node:crypto'
import { PipelineError } from '../../../../base/errors/errors.js'
import { without } from '../../../../base/values/without.js'
import type { JsonObject } from '../../../../cache/records.js'
import type { Job, Store } from '../../../../cache/store.js'
import { openRun } from '../../../reading/runs/run-reference.js'
import { checkJob } from '../../policy/check-job.js'
import type { Service } from '../../service.js'
import { openRuns, refuseCode, withoutOwnFolders, type Analysis } from './analysis.js'
import { findRequest } from '../continue-run.js'
import { formatGroup, QueueFullError } from '../job-service.js'

/**
 * Puts an analysis into the queue. The run's stored settings are checked like those of a job, because they may name files and addresses that this
 * server forbids.
 *
 * @throws PipelineError (usage) if a run is unknown, or the policy forbids something that it names
 * @throws QueueFullError
 */
export async function submitAnalysis(
  service: Service,
  requested: Analysis,
  {
    submitter,
    idempotencyKey,
  }: { readonly submitter?: string | undefined; readonly idempotencyKey?: string | undefined },
): Promise<{ readonly job: Job; readonly isNew: boolean }> {
  const { store, settings } = service
  const analysis = await nameRuns(store, requested)
  const request = await makeRequest(service, analysis)
  const { queued } = await store.jobs.counts()
  if (queued >= settings.maxQueue)
    throw new QueueFullError(`${queued} jobs are waiting, which is the limit of this server (--max-queue)`)
  const submitted = await store.jobs.submit({
    id: randomUUID(),
    request: { ...request, analysis: JSON.parse(JSON.stringify(analysis)) as JsonObject },
    group: formatGroup(request),
    ...(submitter !== undefined && { submitter }),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  })
  if (submitted.isNew) {
    service.changes.changed()
    service.onJob()
  } else if (JSON.stringify(submitted.job.request['analysis']) !== JSON.stringify(analysis))
    throw new PipelineError('usage', `idempotency-key: job ${submitted.job.id} has this key and another request`)
  return submitted
}

/** Names runs by their ids, because `last` may mean another run when a worker takes the job. */
async function nameRuns(store: Store, analysis: Analysis): Promise<Analysis> {
  const name = async (text: string): Promise<string> => {
    const { run, judgement } = await openRun(store, text)
    return text.includes('@') && judgement !== undefined ? `${run.id}@${judgement.number}` : run.id
  }
  switch (analysis.kind) {
    case 'blame':
      return { ...analysis, a: await name(analysis.a), b: await name(analysis.b) }
    case 'stability':
      return {
        ...analysis,
        run: await name(analysis.run),
        ...(analysis.others && { others: await Promise.all(analysis.others.map(name)) }),
      }
    case 'repro':
    case 'recheck':
      return { ...analysis, run: await name(analysis.run) }
  }
}

/**
 * Makes the stored request of an analysis. Rechecks and reproductions are planned like an evaluation, so their job holds its settings. Other kinds
 * only need the code of tasks.
 */
async function makeRequest({ store, policy, settings, env }: Service, analysis: Analysis): Promise<JsonObject> {
  const surroundings = { cwd: process.cwd(), env }
  if (analysis.kind === 'stability' || analysis.kind === 'blame') {
    const runs = await openRuns(store, analysis)
    for (const { run } of runs) await refuseCode(run, { policy, includePaths: settings.includePaths }, surroundings)
    return { tasks: [...new Set(runs.flatMap(({ run }) => run.asked.tasks.map(({ name }) => name)))] }
  }
  const { run } = await openRun(store, analysis.run)
  const runRequest = await findRequest(store, run)
  const request = withoutOwnFolders(without(runRequest, 'baseline', 'gate', 'track'), settings.includePaths)
  const checked = await checkJob(request, policy, surroundings)
  if (!checked.isAllowed) throw new PipelineError('usage', checked.problems)
  return checked.request as JsonObject
}
