/** Routes for results and samples of any run in the store. */
import type { OpenedRun, Store } from '../../../../cache/store.js'
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import type { Context } from 'hono'
import { PipelineError } from '../../../../base/errors/errors.js'
import { openRun } from '../../../reading/runs/run-reference.js'
import { stopCodes } from '../../../reading/runs/session-end.js'
import { present } from '../../../../base/values/present.js'
import { stoppedJson, stoppedRun } from '../../../reading/runs/stopped-run.js'
import { runJson } from '../../../present/json/run-json.js'
import { runResults } from '../../../present/json/run-results.js'
import { samplePage } from '../../../present/json/sample-page.js'
import { whyMissJson } from '../../../present/json/why-miss-json.js'
import { compareRuns, type CompareHints, type RunComparison } from '../../../reading/comparing/compare-runs.js'
import type { Service } from '../../service.js'
import { requireScope } from '../guards/access.js'
import { idParam, noJob } from './job-routes.js'
import { anyObject, answers, asObject, cursor, nextCursor } from '../json.js'
import { RefusedError } from '../problems.js'
import { pageQuery } from '../sample-query.js'

/** A run's name, alias or id as a request states it. */
export const reference = z
  .string()
  .min(1)
  .max(200)
  .openapi({ description: 'a name, an id, or `last`; `NAME@1` means its first judgement', example: 'last' })
/** The path parameter that names a run. */
export const runParam = z.object({ run: reference.openapi({ param: { name: 'run', in: 'path' } }) })

/** The JSON of a run in a list. */
export const runSummarySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: z.string(),
    model: z.string().openapi({ description: 'the backend, its model, and the arguments that can change answers' }),
    tasks: z.array(z.string()),
    tags: z.array(z.string()),
    title: z.string().optional().openapi({ description: 'the name that a person gave the run' }),
    note: z.string().optional().openapi({ description: 'the remark that is kept with the run' }),
  })
  .openapi('Run')

/** The JSON of one page of runs. */
export const runListSchema = z
  .object({ runs: z.array(runSummarySchema), total: z.int(), next_cursor: nextCursor })
  .openapi('RunList')

const stoppedSchema = z.object({
  code: z.enum(stopCodes).openapi({ description: 'the kind of reason' }),
  message: z.string().openapi({ description: 'one sentence' }),
  at: z.string(),
})

/** The JSON of a run with its counts and scores. */
export const runInfoSchema = runSummarySchema
  .extend({
    counts: anyObject,
    judgement: z.int().nullable(),
    aggregates: z.array(anyObject),
    stopped: stoppedSchema.nullable().openapi({
      description:
        'why the last session of the run ended before the run was complete; null if it is complete, a process works on it, or nothing was recorded',
    }),
  })
  .openapi('RunInfo')

/** The JSON of one page of samples. */
export const samplePageSchema = z.object({ samples: z.array(anyObject), next_cursor: nextCursor }).openapi('SamplePage')

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
      cursor: cursor.refine(text => text === undefined || /^\d{1,9}$/.test(text), 'expected a next_cursor'),
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
const comparedPair = pair.extend({
  margin: z.coerce
    .number()
    .positive()
    .optional()
    .openapi({ description: 'a difference that does not matter: runs within it are called equivalent' }),
})

const compare = createRoute({
  method: 'get',
  path: '/compare',
  summary: 'Run b against run a, doc by doc',
  request: { query: comparedPair },
  responses: answers(anyObject, 'Differences with intervals, p values, flips and a verdict for each metric.'),
})

const whyMiss = createRoute({
  method: 'get',
  path: '/why-miss',
  summary: 'In what the requests of two runs differ',
  request: { query: pair },
  responses: answers(anyObject, 'The fields of the keys that differ.'),
})

/** Adds the routes that list runs and show their results and samples. */
export function addRunRoutes(app: OpenAPIHono, { store }: Service): void {
  app.openapi(list, async context => {
    requireScope(context, 'read')
    const { q: text = '', cursor: from, limit } = context.req.valid('query')
    const offset = Number(from ?? 0)
    const { runs, total } = await store.runs.page({ text, offset, limit })
    const tags = await store.runs.tags()
    const next = offset + runs.length
    return context.json(
      {
        runs: runs.map(run => runJson(run, tags.get(run.ref))),
        total,
        next_cursor: next < total ? String(next) : null,
      },
      200,
    )
  })

  app.openapi(show, async context => {
    const { run, judgement } = await openNamedRun(context, context.req.valid('param').run)
    const counts = await store.runs.counts(run)
    const judgements = await store.judgements.list(run)
    return context.json(
      {
        ...runJson(run, (await store.runs.tags()).get(run.ref)),
        counts: asObject(counts),
        judgement: judgement?.number ?? null,
        aggregates: (judgement?.aggregates ?? []).map(asObject),
        stopped: stoppedJson(await stoppedRun(store, run, { counts, judgements })),
      },
      200,
    )
  })

  app.openapi(results, async context => {
    const opened = await openNamedRun(context, context.req.valid('param').run)
    return context.json(asObject((await runResults(store, opened)) as object), 200)
  })

  app.openapi(samples, async context => {
    const opened = await openNamedRun(context, context.req.valid('param').run)
    return context.json(await readSamplePage(opened, context.req.valid('query')), 200)
  })

  app.openapi(jobResults, async context => {
    const opened = await ofJob(context, context.req.valid('param').job_id)
    return context.json(asObject((await runResults(store, opened)) as object), 200)
  })

  app.openapi(jobSamples, async context => {
    const opened = await ofJob(context, context.req.valid('param').job_id)
    return context.json(await readSamplePage(opened, context.req.valid('query')), 200)
  })

  app.openapi(compare, async context => {
    requireScope(context, 'read')
    const { a, b, margin } = context.req.valid('query')
    return context.json(asObject(await refuseUnknown(comparedRuns(store, a, b, margin))), 200)
  })

  app.openapi(whyMiss, async context => {
    requireScope(context, 'read')
    const { a, b } = context.req.valid('query')
    return context.json(asObject(await refuseUnknown(whyMissJson(store, a, b))), 200)
  })

  async function readSamplePage(
    run: OpenedRun,
    { only, against, task, cursor: after, limit, ...conditions }: z.output<typeof pageQuery>,
  ) {
    const other = against === undefined ? undefined : await refuseUnknown(openRun(store, against))
    const { samples: docs, next } = await samplePage(store, run, {
      kind: only,
      conditions: present(conditions),
      ...(other && { against: other }),
      limit,
      ...(task !== undefined && { task }),
      ...(after !== undefined && { after }),
    })
    return { samples: docs.map(doc => asObject(doc as object)), next_cursor: next }
  }

  async function openNamedRun(context: Context, name: string): Promise<OpenedRun> {
    requireScope(context, 'read')
    return refuseUnknown(openRun(store, name))
  }

  async function ofJob(context: Context, id: string): Promise<OpenedRun> {
    requireScope(context, 'read')
    const job = await store.jobs.find(id)
    if (job === undefined) throw noJob()
    if (job.run === undefined) throw new RefusedError(409, 'the job has no run yet; look again when it has started')
    return refuseUnknown(openRun(store, job.run))
  }
}

/** The steps that messages of comparisons tell a client to take. */
export const compareHints: CompareHints = {
  judge: ({ name }) => `submit its evaluation again, or judge run ${name}`,
  report: ({ name }) => `/runs/${name}/results`,
}

/** Compares run `b` with run `a`, doc by doc. */
const comparedRuns = (store: Store, a: string, b: string, margin: number | undefined): Promise<RunComparison> =>
  compareRuns(
    { store, reference: a },
    { store, reference: b },
    {
      hints: compareHints,
      margin,
    },
  )

/** Turns an unknown run reference into a 404 error. */
export async function refuseUnknown<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'usage') throw new RefusedError(404, error.problems)
    throw error
  }
}
