/** Analyses of stored runs as jobs. */
import { createRoute, type OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { openRun } from '../../../reading/runs/run-reference.js'
import { analysisBodies, listRuns, type Analysis } from '../../jobs/analysis/analysis.js'
import { submitAnalysis } from '../../jobs/analysis/submit-analysis.js'
import type { Service } from '../../service.js'
import { requireScope } from '../guards/access.js'
import { submittedSchema } from '../job-info.js'
import { answers } from '../json.js'
import { describeSubmitted, refusingFullQueue, submitHeaders } from './job-routes.js'
import { refuseUnknown } from './run-routes.js'

const describeRoute = (kind: Analysis['kind'], summary: string) => ({
  method: 'post' as const,
  path: `/${kind}`,
  summary,
  description: `It is a job, because a worker runs it. Its \`result\` is what \`pipeline ${kind} --json\` prints.`,
  responses: answers(submittedSchema, 'The job is in the queue.'),
})

const json = <Schema>(schema: Schema) => ({ required: true, content: { 'application/json': { schema } } })

const stability = createRoute({
  ...describeRoute('stability', 'Measure how far repeated answers agree'),
  request: { body: json(analysisBodies.stability.openapi('StabilityRequest')), headers: submitHeaders },
})

const blame = createRoute({
  ...describeRoute('blame', 'Split the difference of two runs by its causes'),
  request: { body: json(analysisBodies.blame.openapi('BlameRequest')), headers: submitHeaders },
})

const repro = createRoute({
  ...describeRoute('repro', 'Tell how to repeat a run, and what differs now'),
  request: { body: json(analysisBodies.repro.openapi('ReproRequest')), headers: submitHeaders },
})

const recheck = createRoute({
  ...describeRoute('recheck', 'Ask a part of a run again'),
  request: { body: json(analysisBodies.recheck.openapi('RecheckRequest')), headers: submitHeaders },
})

/** Adds the addresses that submit analyses. */
export function addAnalysisRoutes(app: OpenAPIHono, service: Service): void {
  app.openapi(stability, async context =>
    context.json(await submit(context, { kind: 'stability', ...context.req.valid('json') }), 200),
  )
  app.openapi(blame, async context =>
    context.json(await submit(context, { kind: 'blame', ...context.req.valid('json') }), 200),
  )
  app.openapi(repro, async context =>
    context.json(await submit(context, { kind: 'repro', ...context.req.valid('json') }), 200),
  )
  app.openapi(recheck, async context =>
    context.json(await submit(context, { kind: 'recheck', ...context.req.valid('json') }), 200),
  )

  async function submit(context: Context, analysis: Analysis) {
    const { token } = requireScope(context, 'submit')
    const key = context.req.header('idempotency-key')
    for (const run of listRuns(analysis)) await refuseUnknown(openRun(service.store, run))
    const { job } = await refusingFullQueue(() =>
      submitAnalysis(service, analysis, {
        submitter: token,
        idempotencyKey: key === undefined ? undefined : `${token ?? ''}/${key}`,
      }),
    )
    return describeSubmitted(service, job, context)
  }
}
