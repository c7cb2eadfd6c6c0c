/** The tasks and models that a job can name. */
import { createRoute, z, type OpenAPIHono } from '@hono/zod-openapi'
import { PipelineError } from '../../../../base/errors/errors.js'
import { visibleText } from '../../../../base/text/visible-text.js'
import type { Service } from '../../service.js'
import { requireScope } from '../guards/access.js'
import { anyObject, answers, asObject } from '../json.js'
import { RefusedError } from '../problems.js'

const name = z.object({
  name: z
    .string()
    .min(1)
    .max(300)
    .openapi({ param: { name: 'name', in: 'path' } }),
})

/** The JSON of the task names. */
export const taskListSchema = z
  .object({
    tasks: z.array(z.string()),
    groups: z.array(z.string()).openapi({ description: 'those of `tasks` that stand for several' }),
  })
  .openapi('TaskList')

/** The JSON of one task. */
export const taskInfoSchema = z
  .object({
    name: z.string(),
    kind: z.enum(['task', 'group', 'tag']),
    members: z.array(z.string()).optional(),
    config: anyObject.optional().openapi({ description: 'the keys of its YAML' }),
  })
  .openapi('TaskInfo')

/** The JSON of the backend names. */
export const modelListSchema = z.object({ models: z.array(z.string()) }).openapi('ModelList')

/** The JSON of one backend. */
export const modelInfoSchema = z
  .object({
    id: z.string(),
    aliases: z.array(z.string()),
    summary: z.string(),
    form: z.string(),
    origin: z.string(),
    accepts: z.array(z.string()).openapi({ description: 'text, image, video, audio' }),
    requests: z.array(z.string()),
    args: z.array(anyObject),
  })
  .openapi('ModelInfo')

const tasks = createRoute({
  method: 'get',
  path: '/tasks',
  summary: 'Names that "tasks" takes',
  request: {
    query: z.object({
      query: z
        .string()
        .max(300)
        .optional()
        .openapi({ description: 'a name with * for any characters', example: 'mmmu*' }),
    }),
  },
  responses: answers(taskListSchema, 'Tasks, groups and tags by name.'),
})

const task = createRoute({
  method: 'get',
  path: '/tasks/{name}',
  summary: 'What a task is',
  request: { params: name },
  responses: answers(taskInfoSchema, 'The task.'),
})

const models = createRoute({
  method: 'get',
  path: '/models',
  summary: 'Names that "model" takes',
  responses: answers(modelListSchema, 'Backends by name.'),
})

const model = createRoute({
  method: 'get',
  path: '/models/{name}',
  summary: 'A model backend and its arguments',
  request: { params: name },
  responses: answers(modelInfoSchema, 'The backend.'),
})

/** Adds the routes that list and describe tasks and backends. */
export function addRegistryRoutes(app: OpenAPIHono, { catalogue, log }: Service): void {
  app.openapi(tasks, async context => {
    requireScope(context, 'read')
    const entries = await catalogue.tasks(context.req.valid('query').query)
    const groups = entries.filter(({ kind }) => kind !== 'task')
    return context.json({ tasks: entries.map(entry => entry.name), groups: groups.map(entry => entry.name) }, 200)
  })

  app.openapi(task, async context => {
    requireScope(context, 'read')
    const entry = await readTask(context.req.valid('param').name)
    if (entry === undefined) throw new RefusedError(404, 'there is no such task')
    const { members, ...info } = entry
    return context.json(
      {
        name: info.name,
        kind: info.kind,
        ...(members && { members: [...members] }),
        ...(info.config && { config: asObject(info.config) }),
      },
      200,
    )
  })

  /** Mistakes in files of the server go to its log, because they name its folders. */
  async function readTask(wanted: string): ReturnType<typeof catalogue.task> {
    try {
      return await catalogue.task(wanted)
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error
      log(`task ${visibleText(wanted)}: ${visibleText(error.message)}`)
      throw new RefusedError(422, 'the files of this task have mistakes; the log of the server names them')
    }
  }

  app.openapi(models, async context => {
    requireScope(context, 'read')
    return context.json({ models: (await catalogue.models()).map(({ id }) => id) }, 200)
  })

  app.openapi(model, async context => {
    requireScope(context, 'read')
    const wanted = context.req.valid('param').name
    const isKnown = (await catalogue.models()).some(({ id, aliases }) => id === wanted || aliases.includes(wanted))
    if (!isKnown) throw new RefusedError(404, 'there is no such model backend')
    const backend = await catalogue.model(wanted)
    return context.json(
      {
        ...backend,
        aliases: [...backend.aliases],
        accepts: [...backend.accepts],
        requests: [...backend.requests],
        args: backend.args.map(asObject),
      },
      200,
    )
  })
}
