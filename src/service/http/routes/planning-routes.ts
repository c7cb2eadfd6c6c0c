/** Plans of comparisons by a run's scores, and how far its judge can be trusted. */
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { PipelineError } from '../../../../base/errors/errors.js'
import { present } from '../../../../base/values/present.js'
import type { Store } from '../../../../cache/store.js'
import { calibrateJudge } from '../../../reading/calibration/calibrate-judge.js'
import { planRunPower } from '../../../reading/planning/run-power.js'
import { openRun } from '../../../reading/runs/run-reference.js'
import { requireScope } from '../guards/access.js'
import { anyObject, answers, asObject } from '../json.js'
import { RefusedError } from '../problems.js'
import { compareHints, reference, refuseUnknown, runParam } from './run-routes.js'

const share = z.coerce.number().gt(0).lt(1)

const power = createRoute({
  method: 'get',
  path: '/runs/{run}/power',
  summary: 'How many docs a comparison with the run needs',
  request: {
    params: runParam,
    query: z.object({
      against: reference.optional().openapi({ description: 'a second run, so that the differences give the spread' }),
      effect: z.coerce
        .number()
        .positive()
        .optional()
        .openapi({ description: "the difference to find, on the metric's scale (0.03)" }),
      correlation: z.coerce
        .number()
        .min(-1)
        .max(1)
        .optional()
        .openapi({ description: 'how the scores of two models go together, with one run (0.5)' }),
      alpha: share.optional().openapi({ description: 'the rate of false alarms (0.05)' }),
      power: share.optional().openapi({ description: 'the probability that the difference is found (0.8)' }),
    }),
  },
  responses: answers(anyObject, 'A plan for each metric, as `pipeline power --run RUN --json`.'),
})

const calibration = createRoute({
  method: 'get',
  path: '/runs/{run}/calibration',
  summary: 'How far the scores of a run agree with labels',
  request: { params: runParam },
  responses: answers(anyObject, 'As `pipeline labels calibrate RUN --json`.'),
})

/** Adds the addresses that plan comparisons and calibrate the judge. */
export function addPlanningRoutes(app: OpenAPIHono, store: Store): void {
  app.openapi(power, async context => {
    requireScope(context, 'read')
    const { against: other, ...assumptions } = context.req.valid('query')
    const { run } = context.req.valid('param')
    await refuseUnknown(openRun(store, run))
    if (other !== undefined) await refuseUnknown(openRun(store, other))
    const second = other === undefined ? undefined : { store, reference: other }
    const settings = { ...present(assumptions), hints: compareHints }
    return context.json(asObject(await refuseUnfit(planRunPower({ store, reference: run }, second, settings))), 200)
  })

  app.openapi(calibration, async context => {
    requireScope(context, 'read')
    const opened = await refuseUnknown(openRun(store, context.req.valid('param').run))
    return context.json(asObject(await refuseUnfit(calibrateJudge(store, opened))), 200)
  })
}

/** A run without scores or labels exists, and has no answer to the question. */
async function refuseUnfit<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'usage') throw new RefusedError(422, error.problems)
    throw error
  }
}
