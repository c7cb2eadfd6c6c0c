/** Tools that list the available tasks and models. */
import { z } from 'zod'
import { PipelineError } from '../../../../base/errors/errors.js'
import { didYouMean } from '../../../../base/text/suggest.js'
import { cutField, defineTool } from '../tool.js'

const pageSize = 200
const kind = z.enum(['task', 'group', 'tag']).describe('a group or tag stands for several tasks')

/** The MCP tool that lists tasks. */
export const listTasks = defineTool({
  name: 'list_tasks',
  title: 'List tasks',
  description:
    'Lists the evaluation tasks (benchmarks), groups and tags that "tasks" of evaluate takes, sorted by name. Filter with query, for example "*mmmu*".',
  input: z.strictObject({
    query: z.string().max(300).optional().describe('a name in which * stands for any characters, for example "mme*"'),
    cursor: z.string().max(300).optional().describe('next_cursor of the page before'),
  }),
  output: z.object({
    tasks: z.array(z.object({ name: z.string(), type: kind })),
    total: z.int().describe('the number of names that match, over all pages'),
    query: z.string().nullable(),
    next_cursor: z.string().nullable().describe('give it as cursor to get the next page; null on the last page'),
    message: z.string().optional(),
  }),
  async run({ query, cursor }, { service }) {
    const matchingTasks = await service.catalogue.tasks(query ?? '*')
    const remainingTasks = matchingTasks.filter(({ name }) => name > (cursor ?? ''))
    const page = remainingTasks.slice(0, pageSize)
    return {
      tasks: page.map(task => ({ name: task.name, type: task.kind })),
      total: matchingTasks.length,
      query: query ?? null,
      next_cursor: remainingTasks.length > pageSize ? (page.at(-1)?.name ?? null) : null,
      ...(matchingTasks.length === 0 && {
        message: `no name matches. Use * for any characters, for example "*${query ?? ''}*"`,
      }),
    }
  },
})

/** The MCP tool that describes one task. */
export const getTaskInfo = defineTool({
  name: 'get_task_info',
  title: 'Describe a task',
  description:
    "Describes one task, group or tag: a group's or tag's members, or a task's configuration (dataset, splits, prompt, metrics, generation_kwargs) as keys of the answer.",
  input: z.strictObject({ task_name: z.string().min(1).max(300).describe('a name that list_tasks gives') }),
  output: z.looseObject({
    name: z.string(),
    type: kind,
    members: z.array(z.string()).optional().describe('the tasks that a group or tag stands for'),
    ...cutField,
  }),
  async run({ task_name: name }, { service }) {
    const entry = await service.catalogue.task(name)
    if (entry === undefined) {
      const names = (await service.catalogue.tasks()).map(task => task.name)
      throw new PipelineError('usage', `no task "${name}".${didYouMean(name, names)} list_tasks gives all names`)
    }
    const { config = {}, members } = entry
    return { ...config, name, type: entry.kind, ...(members && { members: [...members] }) }
  },
})

const modelFields = {
  model_id: z.string().describe('the name that "model" of evaluate takes'),
  has_chat: z.boolean().describe('the model gets conversations'),
  has_simple: z.boolean().describe('the model gets media followed by one text'),
  aliases: z.array(z.string()).describe('other names of the model backend'),
  summary: z.string(),
}

/** The MCP tool that lists backends. */
export const listModels = defineTool({
  name: 'list_models',
  title: 'List model backends',
  description:
    'Lists the model backends that "model" of evaluate takes. A backend connects to a provider, a server or a local engine; its arguments (model_args) name the model itself.',
  input: z.strictObject({
    include_aliases: z.boolean().optional().describe('also give the other names of each backend (default false)'),
  }),
  output: z.object({ models: z.array(z.object(modelFields)), total: z.int(), ...cutField }),
  async run({ include_aliases: isWithAliases }, { service }) {
    const backends = await service.catalogue.models()
    const models = backends.map(({ id, form, aliases, summary }) => ({
      model_id: id,
      ...describeForms(form),
      aliases: isWithAliases === true ? [...aliases] : [],
      summary,
    }))
    return { models, total: models.length }
  },
})

/** The MCP tool that describes one backend. */
export const getModelInfo = defineTool({
  name: 'get_model_info',
  title: 'Describe a model backend',
  description:
    'Describes one model backend: what media it accepts, and each argument that model_args of evaluate takes.',
  input: z.strictObject({ model_name: z.string().min(1).max(300).describe('a name that list_models gives') }),
  output: z.object({
    ...modelFields,
    accepts: z.array(z.string()).describe('kinds of content: text, image, video, audio'),
    requests: z.array(z.string()).describe('request types, such as generate_until and loglikelihood'),
    args: z.array(
      z.looseObject({
        name: z.string(),
        type: z.string(),
        default: z.string().optional().describe('the default, as JSON'),
        required: z.boolean(),
        description: z.string(),
      }),
    ),
    ...cutField,
  }),
  async run({ model_name: name }, { service }) {
    const { id, form, aliases, summary, accepts, requests, args } = await service.catalogue.model(name)
    return {
      model_id: id,
      ...describeForms(form),
      aliases: [...aliases],
      summary,
      accepts: [...accepts],
      requests: [...requests],
      args: args.map(({ isRequired, ...arg }) => ({ ...arg, required: isRequired })),
    }
  },
})

const describeForms = (form: string): { readonly has_chat: boolean; readonly has_simple: boolean } => ({
  has_chat: form === 'chat',
  has_simple: form !== 'chat',
})
