/** Routes for labels of answers and tags of runs. */
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { labelValues, longestAuthor, longestNote, type Run, type StoredLabel } from '../../../../cache/records.js'
import type { DocPlace, OpenedRun, Sample } from '../../../../cache/store.js'
import { openRun } from '../../../reading/runs/run-reference.js'
import { authorName } from '../../../labels/author.js'
import { labelJson } from '../../../labels/label-json.js'
import { labelPage } from '../../../labels/label-pages.js'
import { labelSample } from '../../../labels/labelled-sample.js'
import { sampleAt } from '../../../reading/samples/sample-at.js'
import type { Service } from '../../service.js'
import { requireScope, type Caller } from '../guards/access.js'
import { answers, cursor, nextCursor } from '../json.js'
import { RefusedError } from '../problems.js'
import { refuseUnknown, reference, runParam } from './run-routes.js'

/** The JSON of a stored label. */
export const labelSchema = z
  .object({
    label: z.enum(labelValues).nullable().openapi({ description: 'null if the label was taken back' }),
    note: z.string(),
    author: z.string(),
    at: z.string(),
    run: z.string().openapi({ description: 'the run that the label was made in' }),
    task: z.string(),
    doc_id: z.string(),
    record_key: z.string(),
    answers_key: z.string(),
    place: z
      .object({ task: z.string(), doc_index: z.int() })
      .nullable()
      .openapi({ description: 'the doc in the run that was asked for' }),
  })
  .openapi('Label')

/** The JSON of one page of labels. */
export const labelPageSchema = z.object({ labels: z.array(labelSchema), next_cursor: nextCursor }).openapi('LabelPage')

const list = createRoute({
  method: 'get',
  path: '/labels',
  summary: 'What people say of answers, a page at a time',
  request: {
    query: z.object({
      run: reference.optional().openapi({ description: 'only labels of answers in this run' }),
      cursor,
      limit: z.coerce.number().int().min(1).max(1000).default(100),
    }),
  },
  responses: answers(labelPageSchema, 'A page of the labels that count now.'),
})

const jsonBody = <Schema extends z.ZodType>(schema: Schema) => ({
  content: { 'application/json': { schema } },
  required: true as const,
})

/** The JSON of a label to store. */
export const newLabelSchema = z
  .strictObject({
    run: reference,
    task: z.string().min(1).max(300),
    doc_index: z.int().min(0),
    label: z.enum(labelValues).nullable().openapi({ description: 'null takes the label of this author back' }),
    note: z.string().max(longestNote).default(''),
    author: z.string().max(longestAuthor).optional().openapi({
      description: 'who says so; the name of the token counts if there is one',
    }),
  })
  .openapi('NewLabel')

/** The JSON of tags to add and to remove. */
export const tagChangeSchema = z
  .strictObject({
    add: z.array(z.string().max(200)).max(100).default([]),
    remove: z.array(z.string().max(200)).max(100).default([]),
  })
  .openapi('TagChange')

/** The JSON of a run's tags. */
export const runTagsSchema = z.object({ run: z.string(), tags: z.array(z.string()) }).openapi('RunTags')

const add = createRoute({
  method: 'post',
  path: '/labels',
  summary: 'Say of the answers to a doc whether they are right',
  request: { body: jsonBody(newLabelSchema) },
  responses: answers(labelSchema, 'The label as it is stored.'),
})

const tag = createRoute({
  method: 'post',
  path: '/runs/{run}/tags',
  summary: 'Give a run tags, or take them away',
  request: { params: runParam, body: jsonBody(tagChangeSchema) },
  responses: answers(runTagsSchema, 'All tags of the run.'),
})

/** Adds the routes that list and store labels and tags. */
export function addLabelRoutes(app: OpenAPIHono, { store, env }: Service): void {
  app.openapi(list, async context => {
    requireScope(context, 'read')
    const { run: name, cursor: after, limit } = context.req.valid('query')
    const run = name === undefined ? undefined : await refuseUnknown(openRun(store, name))
    const page = await labelPage(store, { limit, ...(run && { run }), ...(after !== undefined && { after }) })
    const labels = page.labels.map(({ label, place }) => makeLabelBody(label, run?.run, place))
    return context.json({ labels, next_cursor: page.next }, 200)
  })

  app.openapi(add, async context => {
    const caller = requireScope(context, 'submit')
    const { run: name, task, doc_index: index, label, note, author } = context.req.valid('json')
    const opened = await refuseUnknown(openRun(store, name))
    const sample = await sampleIn(opened, task, index)
    const stored = await labelSample(store, opened.run, sample, {
      label,
      note,
      author: await findAuthor(caller, author),
    })
    return context.json(makeLabelBody(stored, opened.run, sample), 200)
  })

  app.openapi(tag, async context => {
    requireScope(context, 'submit')
    const { run } = await refuseUnknown(openRun(store, context.req.valid('param').run))
    const tags = await store.runs.tag(run, context.req.valid('json'))
    return context.json({ run: run.name, tags: [...tags] }, 200)
  })

  async function sampleIn(opened: OpenedRun, name: string, index: number): Promise<Sample> {
    const task = opened.run.asked.tasks.findIndex(candidate => candidate.name === name)
    const sample = task === -1 ? undefined : await sampleAt(store, opened, { task, index })
    if (sample === undefined)
      throw new RefusedError(404, `run ${opened.run.name} has no doc ${index} of a task "${name}"`)
    return sample
  }

  /**
   * Determines the author of a label. A token names its owner. Without tokens, only users of this machine have access, and the server's user is the
   * default author.
   */
  async function findAuthor({ token }: Caller, author: string | undefined): Promise<string> {
    const storedToken = token === undefined ? undefined : await store.tokens.find(token)
    return storedToken?.name ?? author ?? authorName(env)
  }
}

const makeLabelBody = (
  label: StoredLabel,
  run: Run | undefined,
  place: DocPlace | undefined,
): z.output<typeof labelSchema> => ({
  ...labelJson(label),
  place:
    run === undefined || place === undefined
      ? null
      : { task: run.asked.tasks[place.task]?.name ?? '', doc_index: place.index },
})
