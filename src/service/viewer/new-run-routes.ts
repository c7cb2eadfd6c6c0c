/** `/view/new-run`: the form for new runs, and what its values mean. Nothing is started here. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import { z } from 'zod'
import { PipelineError } from '../../../base/errors/errors.js'
import { isObject } from '../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../cache/records.js'
import { openRun } from '../../evaluation/run-reference.js'
import { newRunForm, newRunPlan, withoutEmpty, type OfferedModel } from '../../views/new-run/new-run-form.js'
import type { NewRunPlan } from '../../views/page-data/index.js'
import type { Catalogue } from '../catalogue.js'
import { need } from '../http/access.js'
import { RefusedError } from '../http/problems.js'
import { parseJobRequest } from '../jobs/job-request.js'
import { checkJob } from '../policy/check-job.js'
import type { Service } from '../service.js'
import { plainOf } from './queries.js'

const from = z.string().min(1).max(200).optional()

export function addNewRunRoutes(app: OpenAPIHono, service: Service): void {
  const { store, catalogue } = service

  app.get('/view/new-run', async context => {
    need(context, 'read')
    const reference = from.safeParse(plainOf(context.req.url)['from'])
    if (!reference.success) throw new RefusedError(422, 'from: expected a run')
    const run = reference.data === undefined ? undefined : (await runOf(reference.data)).run
    return context.json(newRunForm(await offered(catalogue), run))
  })

  app.post('/view/new-run', async context => {
    need(context, 'read')
    const body: unknown = await context.req.json().catch(() => undefined)
    const config = isObject(body) ? body['config'] : undefined
    if (!isObject(config)) throw new RefusedError(422, 'config: expected a mapping')
    // It was parsed from JSON.
    const plan: NewRunPlan = await planOf(service, withoutEmpty(config as JsonObject))
    return context.json(plan)
  })

  async function runOf(reference: string): ReturnType<typeof openRun> {
    try {
      return await openRun(store, reference)
    } catch (error) {
      if (error instanceof PipelineError && error.code === 'usage') throw new RefusedError(404, error.problems)
      throw error
    }
  }
}

async function offered(catalogue: Catalogue): Promise<readonly OfferedModel[]> {
  const models: OfferedModel[] = []
  for (const { id } of await catalogue.models()) models.push(await catalogue.model(id))
  return models
}

/** The same checks as for a job that is submitted. */
async function planOf({ catalogue, policy, env }: Service, config: JsonObject): Promise<NewRunPlan> {
  const unread = problemsOf(() => parseJobRequest(config))
  if (unread.length > 0) return newRunPlan(config, unread)
  const checked = await checkJob(config, policy, { cwd: process.cwd(), env })
  return newRunPlan(config, [
    ...(checked.isAllowed ? [] : checked.problems),
    ...(await unknownTasks(catalogue, config)),
  ])
}

function problemsOf(check: () => unknown): readonly string[] {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof PipelineError) return error.problems
    throw error
  }
}

/** Names and patterns that no task has. Paths are checked with the job. */
async function unknownTasks(catalogue: Catalogue, { tasks = [] }: JsonObject): Promise<readonly string[]> {
  const names = (Array.isArray(tasks) ? tasks : [tasks]).flatMap(name =>
    typeof name === 'string' ? name.split(',').map(part => part.trim()) : [],
  )
  const problems: string[] = []
  for (const name of names)
    if (name !== '' && !/[/\\.]/.test(name) && (await catalogue.tasks(name)).length === 0)
      problems.push(`tasks: there is no task "${name}"`)
  return problems
}
