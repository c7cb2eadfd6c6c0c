import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { PipelineError } from '../../../../base/errors/errors.js'
import type { Store } from '../../../../cache/store.js'
import { assessmentJson } from '../../../present/json/results-json.js'
import { assessRun, readConditions } from '../../../reading/gates/assess-run.js'
import { openRun } from '../../../reading/runs/run-reference.js'
import { requireScope } from '../guards/access.js'
import { RefusedError } from '../problems.js'
import { anyObject, answers, asObject } from '../json.js'
import { compareHints, reference, refuseUnknown, runParam } from './run-routes.js'

const query = z.object({
  baseline: reference.optional().openapi({ description: 'the run to compare with' }),
  gate: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .openapi({ description: 'a condition, such as `mmmu_val.acc >= baseline - 0.01`; may be repeated' }),
})

const assessment = createRoute({
  method: 'get',
  path: '/runs/{run}/assessment',
  summary: 'A run beside a baseline, and gates on its scores',
  request: { params: runParam, query },
  responses: answers(anyObject, 'The differences from the baseline, and for each gate whether it holds.'),
})

/** Adds the address that holds a run to a baseline and to gates. A baseline is a run of the store, never a file of the server. */
export function addAssessmentRoute(app: OpenAPIHono, store: Store): void {
  app.openapi(assessment, async context => {
    requireScope(context, 'read')
    const { run } = context.req.valid('param')
    const { baseline, gate } = context.req.valid('query')
    const gates = gate === undefined ? [] : [gate].flat()
    return context.json(asObject(await assess(store, run, { baseline, gate: gates })), 200)
  })
}

async function assess(store: Store, name: string, query: { baseline: string | undefined; gate: readonly string[] }) {
  const { run, judgement } = await refuseUnknown(openRun(store, name))
  if (judgement?.aggregates === undefined)
    throw new RefusedError(409, `run ${run.name} is not judged yet: ${compareHints.judge(run)}`)
  try {
    const conditions = await readConditions(query, work => work(store), { mayReadFiles: false })
    const assessed = await assessRun(store, { run, judgement }, conditions, compareHints)
    return { ...assessmentJson(assessed), differences: assessed.baseline?.rows ?? [] }
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'usage') throw new RefusedError(422, error.problems)
    throw error
  }
}
