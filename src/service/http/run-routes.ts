/** Runs of the store: results and samples, of jobs and of whatever else was evaluated there. */
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { PipelineError } from '../../../base/errors/errors.js'
import type { Run } from '../../../cache/records.js'
import { openRun, type OpenedRun } from '../../evaluation/run-reference.js'
import { sampleKinds } from '../../report/samples/sample-kinds.js'
import { comparedRuns, runResults, runSummary, samplePage, whyMissOf } from '../run-reading.js'
import type { Service } from '../service.js'
import { need } from './access.js'
import { idParam, noJob } from './job-routes.js'
import { anyObject, answers, asObject } from './json.js'
import { RefusedError } from './problems.js'

export const reference = z
  .string()
  .min(1)
  .max(200)
  .openapi({ description: 'a name, an id, or `last`; `NAME@1` means its first judgement', example: 'last' })
export const runParam = z.object({ run: reference.openapi({ param: { name: 'run', in: 'path' } }) })

export const runSummarySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: z.string(),
    model: z.string(),
    tasks: z.array(z.string()),
    tags: z.array(z.string()),
  })
  .openapi('Run')

export const runListSchema = z.object({ runs: z.array(runSummarySchema), total: z.int() }).openapi('RunList')

export const runInfoSchema = runSummarySchema
  .extend({ counts: anyObject, judgement: z.int().nullable(), aggregates: z.array(anyObject) })
  .openapi('RunInfo')

const pageQuery = z.object({
  only: z.enum(sampleKinds).default('all').openapi({ description: 'the kind of samples' }),
  task: z.string().max(300).optional(),
  after: z.string().max(100).optional().openapi({ description: 'the `next` of the page before' }),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
})

export const samplePageSchema = z
  .object({ samples: z.array(anyObject), next: z.string().nullable().openapi({ description: 'null after the last' }) })
  .openapi('SamplePage')

const list = createRoute({
  method: 'get',
  path: '/runs',
  summary: 'Runs, newest first',
  request: {
    query: z.object({
      q: z
        .string()
        .max(200)
        .optional()
        .openapi({ description: 'words that occur in the name, the model or the tasks', example: 'qwen mmmu' }),
      offset: z.coerce.number().int().min(0).max(1e9).default(0),
      limit: z.coerce.number().int().min(1).max(1000).default(100),
    }),
  },
  responses: answers(runListSchema, 'A page of runs.'),
})

const show = createRoute({
  method: 'get',
  path: '/runs/{run}',
  summary: 'A run: what it is, and how far',
  request: { params: runParam },
  responses: answers(runInfoSchema, 'The run.'),
})

const results = createRoute({
  method: 'get',
  path: '/runs/{run}/results',
  summary: 'The results JSON of a run',
  request: { params: runParam },
  responses: answers(anyObject, 'As `pipeline report --json`.'),
})

const samples = createRoute({
  method: 'get',
  path: '/runs/{run}/samples',
  summary: 'Samples of a run, a page at a time',
  request: { params: runParam, query: pageQuery },
  responses: answers(samplePageSchema, 'A page. It may be shorter than `limit` where samples are large or rare.'),
})

const jobResults = createRoute({
  method: 'get',
  path: '/jobs/{job_id}/results',
  summary: 'The results JSON of the run of a job, also while it runs',
  request: { params: idParam },
  responses: answers(anyObject, 'As `pipeline report --json`.'),
})

const jobSamples = createRoute({
  method: 'get',
  path: '/jobs/{job_id}/samples',
  summary: 'Samples of the run of a job, a page at a time',
  request: { params: idParam, query: pageQuery },
  responses: answers(samplePageSchema, 'A page. It may be shorter than `limit` where samples are large or rare.'),
})

const pair = z.object({ a: reference, b: reference })

const compare = createRoute({
  method: 'get',
  path: '/compare',
  summary: 'Run b against run a, doc by doc',
  request: { query: pair },
  responses: answers(anyObject, 'Differences with intervals, p values, flips and a verdict for each metric.'),
})

const whyMiss = createRoute({
  method: 'get',
  path: '/why-miss',
  summary: 'In what the requests of two runs differ',
  request: { query: pair },
  responses: answers(anyObject, 'The fields of the keys that differ.'),
})

export function addRunRoutes(app: OpenAPIHono, { store }: Service): void {
  app.openapi(list, async context => {
    need(context, 'read')
    const { q: text = '', offset, limit } = context.req.valid('query')
    const { runs, total } = await store.runs.page({ text, offset, limit })
    const tags = await store.runs.tags()
    return context.json({ runs: runs.map(run => summaryOf(run, tags)), total }, 200)
  })

  app.openapi(show, async context => {
    const { run, judgement } = await opened(context, context.req.valid('param').run)
    return context.json(
      {
        ...summaryOf(run, await store.runs.tags()),
        counts: asObject(await store.runs.counts(run)),
        judgement: judgement?.number ?? null,
        aggregates: (judgement?.aggregates ?? []).map(asObject),
      },
      200,
    )
  })

  app.openapi(results, async context => {
    const found = await opened(context, context.req.valid('param').run)
    return context.json(asObject((await runResults(store, found)) as object), 200)
  })

  app.openapi(samples, async context => {
    const found = await opened(context, context.req.valid('param').run)
    return context.json(await pageOf(found, context.req.valid('query')), 200)
  })

  app.openapi(jobResults, async context => {
    const found = await ofJob(context, context.req.valid('param').job_id)
    return context.json(asObject((await runResults(store, found)) as object), 200)
  })

  app.openapi(jobSamples, async context => {
    const found = await ofJob(context, context.req.valid('param').job_id)
    return context.json(await pageOf(found, context.req.valid('query')), 200)
  })

  app.openapi(compare, async context => {
    need(context, 'read')
    const { a, b } = context.req.valid('query')
    return context.json(asObject(await found(comparedRuns(store, a, b))), 200)
  })

  app.openapi(whyMiss, async context => {
    need(context, 'read')
    const { a, b } = context.req.valid('query')
    return context.json(asObject(await found(whyMissOf(store, a, b))), 200)
  })

  async function pageOf(run: OpenedRun, { only, task, after, limit }: z.output<typeof pageQuery>) {
    const { samples: docs, next } = await samplePage(store, run, {
      kind: only,
      limit,
      ...(task !== undefined && { task }),
      ...(after !== undefined && { after }),
    })
    return { samples: docs.map(doc => asObject(doc as object)), next }
  }

  async function opened(context: Context, name: string): Promise<OpenedRun> {
    need(context, 'read')
    return found(openRun(store, name))
  }

  async function ofJob(context: Context, id: string): Promise<OpenedRun> {
    need(context, 'read')
    const job = await store.jobs.find(id)
    if (job === undefined) throw noJob()
    if (job.run === undefined) throw new RefusedError(409, 'the job has no run yet; look again when it has started')
    return found(openRun(store, job.run))
  }
}

/** A run as lists show it. Lists of the document can be changed, those of the store cannot. */
function summaryOf(run: Run, tags: ReadonlyMap<number, readonly string[]>): z.output<typeof runSummarySchema> {
  const { tasks, ...about } = runSummary(run)
  return { ...about, tasks: [...tasks], tags: [...(tags.get(run.ref) ?? [])] }
}

/** A reference that means nothing is an address that does not exist. */
export async function found<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'usage') throw new RefusedError(404, error.problems)
    throw error
  }
}
