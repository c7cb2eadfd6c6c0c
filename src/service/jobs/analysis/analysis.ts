/** Analyses of stored runs that run code of tasks or ask models, and are therefore jobs. */
import { resolve } from 'node:path'
import { z } from '@hono/zod-openapi'
import { PipelineError } from '../../../../base/errors/errors.js'
import { present } from '../../../../base/values/present.js'
import { without } from '../../../../base/values/without.js'
import type { JsonObject, Run } from '../../../../cache/records.js'
import type { OpenedRun, Store } from '../../../../cache/store.js'
import { withAbsolutePaths } from '../../../config/stored/stored-paths.js'
import { openRun } from '../../../reading/runs/run-reference.js'
import { checkJob } from '../../policy/check-job.js'
import type { JobPolicy, Surroundings } from '../../policy/job-policy.js'

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

/** An analysis that a client requests. In the stored job, runs are named by id. */
export type Analysis = z.output<typeof analysisSchema>

/** Lists the references of all runs of an analysis. */
export function listRuns(analysis: Analysis): readonly string[] {
  if (analysis.kind === 'blame') return [analysis.a, analysis.b]
  return [analysis.run, ...(analysis.kind === 'stability' ? (analysis.others ?? []) : [])]
}

/** Opens runs that must have scores. */
export const openRuns = (
  store: Store,
  analysis: Extract<Analysis, { kind: 'stability' | 'blame' }>,
): Promise<readonly OpenedRun[]> =>
  Promise.all((analysis.kind === 'blame' ? [analysis.a, analysis.b] : [analysis.run]).map(run => openRun(store, run)))

/**
 * Rejects a run whose tasks have code in a folder that jobs may not name.
 *
 * @throws PipelineError (usage) that names each
 */
export async function refuseCode(
  run: Run,
  { policy, includePaths }: { readonly policy: JobPolicy; readonly includePaths: readonly string[] },
  surroundings: Surroundings,
): Promise<void> {
  const { cwd = process.cwd(), ...config } = run.provenance.config
  const stored = withAbsolutePaths(config, cwd, { model: run.asked.model })
  const request = withoutOwnFolders(
    {
      model: 'dummy',
      tasks: stored.tasks ?? run.asked.tasks.map(({ name }) => name),
      ...present({ include_path: stored.include_path }),
    },
    includePaths,
  )
  const checked = await checkJob(request, policy, surroundings)
  if (!checked.isAllowed) throw new PipelineError('usage', checked.problems)
}

/** Leaves out folders of tasks that all jobs of the server have. */
export function withoutOwnFolders(request: JsonObject, includePaths: readonly string[]): JsonObject {
  const folders = request['include_path']
  if (!Array.isArray(folders)) return request
  const own = new Set(includePaths.map(folder => resolve(folder)))
  const others = folders.filter(folder => typeof folder !== 'string' || !own.has(resolve(folder)))
  return { ...without(request, 'include_path'), ...(others.length > 0 && { include_path: others }) }
}
