/** Analyses of stored runs that run code of tasks or ask models, and are therefore jobs. */
import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { z } from '@hono/zod-openapi'
import { PipelineError } from '../../../base/errors/errors.js'
import { present } from '../../../base/values/present.js'
import { without } from '../../../base/values/without.js'
import type { JsonObject, Run } from '../../../cache/records.js'
import type { Job, OpenedRun, Store } from '../../../cache/store.js'
import { withAbsolutePaths } from '../../config/stored/stored-paths.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { checkJob } from '../policy/check-job.js'
import type { JobPolicy, Surroundings } from '../policy/job-policy.js'
import type { Service } from '../service.js'
import { findRequest } from './continue-run.js'
import { formatGroup, QueueFullError } from './job-service.js'

const reference = z.string().min(1).max(200).describe('a name, an id, or `last`; `NAME@1` means its first judgement')

const run = reference

/** The requests of clients for each kind of analysis: the arguments of the command with its name. */
export const analysisBodies = {
  stability: z.strictObject({
    run,
    others: z.array(reference).max(20).optional().describe('further runs of the same tasks, to diagnose docs with'),
  }),
  blame: z.strictObject({
    a: reference.describe('the run to compare with'),
    b: reference.describe('the run whose difference is explained'),
  }),
  repro: z.strictObject({ run }),
  recheck: z.strictObject({
    run,
    k: z.int().min(1).max(1_000_000).optional().describe('the number of docs to send again (50)'),
    seed: z.int().min(0).optional().describe('the seed of the choice of docs (0)'),
    tolerance: z.number().gt(0).lt(1).optional().describe('the share of equal answers that is expected (0.9)'),
  }),
} as const

/** The analyses, by their kind. */
export const analysisSchema = z.discriminatedUnion('kind', [
  analysisBodies.stability.extend({ kind: z.literal('stability') }),
  analysisBodies.blame.extend({ kind: z.literal('blame') }),
  analysisBodies.repro.extend({ kind: z.literal('repro') }),
  analysisBodies.recheck.extend({ kind: z.literal('recheck') }),
])

/** An analysis as a client asks for it, and as its job stores it. Then its runs have their ids. */
export type Analysis = z.output<typeof analysisSchema>

/** Lists the references of all runs of an analysis. */
export function listRuns(analysis: Analysis): readonly string[] {
  if (analysis.kind === 'blame') return [analysis.a, analysis.b]
  return [analysis.run, ...(analysis.kind === 'stability' ? (analysis.others ?? []) : [])]
}

/**
 * Puts an analysis into the queue. A stored run may have been made with files and addresses that jobs of this server may not name, so that its own
 * settings are checked as those of a job.
 *
 * @throws PipelineError (usage) if a run is unknown, or names something that is not allowed
 * @throws QueueFullError
 */
export async function submitAnalysis(
  service: Service,
  given: Analysis,
  {
    submitter,
    idempotencyKey,
  }: { readonly submitter?: string | undefined; readonly idempotencyKey?: string | undefined },
): Promise<{ readonly job: Job; readonly isNew: boolean }> {
  const { store, settings } = service
  const analysis = await nameRuns(store, given)
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

/** Rechecks and reproductions are planned like an evaluation, whose settings the job holds. The others only need the code of tasks. */
async function makeRequest(service: Service, analysis: Analysis): Promise<JsonObject> {
  const surroundings = { cwd: process.cwd(), env: service.env }
  if (analysis.kind === 'stability' || analysis.kind === 'blame') {
    const runs = await openRuns(service.store, analysis)
    for (const { run } of runs) await refuseCode(run, service, surroundings)
    return { tasks: [...new Set(runs.flatMap(({ run }) => run.asked.tasks.map(({ name }) => name)))] }
  }
  const { run } = await openRun(service.store, analysis.run)
  const known = await findRequest(service.store, run)
  const request = withoutOwnFolders(without(known, 'baseline', 'gate', 'track'), service.settings)
  const checked = await checkJob(request, service.policy, surroundings)
  if (!checked.isAllowed) throw new PipelineError('usage', checked.problems)
  return checked.request as JsonObject
}

/** Opens the runs whose answers are scored. */
export const openRuns = (
  store: Store,
  analysis: Extract<Analysis, { kind: 'stability' | 'blame' }>,
): Promise<readonly OpenedRun[]> =>
  Promise.all((analysis.kind === 'blame' ? [analysis.a, analysis.b] : [analysis.run]).map(run => openRun(store, run)))

/**
 * Refuses a run whose tasks have code in a folder that jobs may not name.
 *
 * @throws PipelineError (usage) that names each
 */
export async function refuseCode(
  run: Run,
  { policy, settings }: { readonly policy: JobPolicy; readonly settings: Pick<Service['settings'], 'includePaths'> },
  surroundings: Surroundings,
): Promise<void> {
  const { cwd = process.cwd(), ...config } = run.provenance.config
  const stored = withAbsolutePaths(config, cwd, { model: run.asked.model })
  const named = withoutOwnFolders(
    {
      model: 'dummy',
      tasks: stored.tasks ?? run.asked.tasks.map(({ name }) => name),
      ...present({ include_path: stored.include_path }),
    },
    settings,
  )
  const checked = await checkJob(named, policy, surroundings)
  if (!checked.isAllowed) throw new PipelineError('usage', checked.problems)
}

/** Leaves out folders of tasks that all jobs of the server have. */
export function withoutOwnFolders(
  request: JsonObject,
  { includePaths }: Pick<Service['settings'], 'includePaths'>,
): JsonObject {
  const folders = request['include_path']
  if (!Array.isArray(folders)) return request
  const own = new Set(includePaths.map(folder => resolve(folder)))
  const others = folders.filter(folder => typeof folder !== 'string' || !own.has(resolve(folder)))
  return { ...without(request, 'include_path'), ...(others.length > 0 && { include_path: others }) }
}
