/** `/view/new-run`: the form for new runs, and what its values mean. `/view/runs/:run/continue` continues a run that stopped. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { isObject } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { newRunForm, newRunPlan, withoutEmpty, type OfferedModel } from '../../present/page/new-run/new-run-form.js'
import type { NewRunPlan } from '../../present/page/data/index.js'
import type { Catalogue } from '../catalogue.js'
import { requireScope } from '../http/guards/access.js'
import { refusingFullQueue } from '../http/routes/job-routes.js'
import { RefusedError } from '../http/problems.js'
import { continueRun } from '../jobs/continue-run.js'
import { readRequest } from '../jobs/job-service.js'
import { unknownTasks } from '../jobs/known-tasks.js'
import { checkJob } from '../policy/check-job.js'
import type { Service } from '../service.js'
import { parseParameters } from './queries.js'

const from = z.string().min(1).max(200).optional()

/** Adds the routes of the form that starts runs. */
export function addNewRunRoutes(app: OpenAPIHono, service: Service): void {
  const { store, catalogue } = service

  app.get('/view/new-run', async context => {
    requireScope(context, 'read')
    const reference = from.safeParse(parseParameters(context.req.url)['from'])
    if (!reference.success) throw new RefusedError(422, 'from: expected a run')
    const run = reference.data === undefined ? undefined : (await openNamedRun(reference.data)).run
    return context.json(newRunForm(await listOfferedModels(catalogue), run))
  })

  app.post('/view/new-run', async context => {
    requireScope(context, 'read')
    const body: unknown = await context.req.json().catch(() => undefined)
    const config = isObject(body) ? body['config'] : undefined
    if (!isObject(config)) throw new RefusedError(422, 'config: expected a mapping')
    // It was parsed from JSON.
    const plan: NewRunPlan = await makeNewRunPlan(service, withoutEmpty(config as JsonObject))
    return context.json(plan)
  })

  app.post('/view/runs/:run/continue', async context => {
    const { token } = requireScope(context, 'submit')
    const opened = await openNamedRun(context.req.param('run'))
    const { id } = await refusingFullQueue(() => continueRun(service, opened, { submitter: token }))
    return context.json({ job_id: id })
  })

  async function openNamedRun(reference: string): ReturnType<typeof openRun> {
    try {
      return await openRun(store, reference)
    } catch (error) {
      if (error instanceof PipelineError && error.code === 'usage') throw new RefusedError(404, error.problems)
      throw error
    }
  }
}

async function listOfferedModels(catalogue: Catalogue): Promise<readonly OfferedModel[]> {
  const models: OfferedModel[] = []
  for (const { id } of await catalogue.models()) models.push(await catalogue.model(id))
  return models
}

/** The same checks as for a job that is submitted. */
async function makeNewRunPlan(service: Service, config: JsonObject): Promise<NewRunPlan> {
  const { catalogue, policy, env } = service
  const unread = await collectProblems(() => readRequest(service, config))
  if (unread.length > 0) return newRunPlan(config, unread)
  const checked = await checkJob(config, policy, { cwd: process.cwd(), env })
  return newRunPlan(config, [
    ...(checked.isAllowed ? [] : checked.problems),
    ...(await unknownTasks(catalogue, config)),
  ])
}

async function collectProblems(check: () => Promise<unknown>): Promise<readonly string[]> {
  try {
    await check()
    return []
  } catch (error) {
    if (error instanceof PipelineError) return error.problems
    throw error
  }
}
