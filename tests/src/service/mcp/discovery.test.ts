/** The tools that tell what an evaluation can name, called by the SDK's client over streamable HTTP. */
import { expect, it } from 'vitest'
import { scene } from './scene.js'

it('lists its tools with schemas, descriptions and hints', async () => {
  const { client } = await (await scene()).agent()
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual([
    'list_tasks',
    'get_task_info',
    'list_models',
    'get_model_info',
    'evaluate',
    'get_run_status',
    'get_run_result',
    'cancel_run',
    'compare_runs',
    'leaderboard',
    'why_miss',
    'plan_comparison',
    'calibrate_judge',
    'analyse_runs',
  ])
  for (const { description, inputSchema, outputSchema } of tools) {
    expect(description?.length).toBeGreaterThan(50)
    expect([inputSchema.type, outputSchema?.type]).toEqual(['object', 'object'])
    for (const [name, schema] of Object.entries(inputSchema.properties ?? {}))
      expect(schema, name).toHaveProperty('description')
  }
  const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))
  expect(hints['get_run_result']).toMatchObject({ readOnlyHint: true, idempotentHint: true, destructiveHint: false })
  expect(hints['evaluate']).toMatchObject({ readOnlyHint: false, destructiveHint: false })
  expect(hints['cancel_run']).toMatchObject({ readOnlyHint: false, destructiveHint: true })
  expect(client.getInstructions()).toContain('list_tasks')
})

it('evaluate accepts every key of a job, and keys for agents', async () => {
  const { client } = await (await scene()).agent()
  const { tools } = await client.listTools()
  const evaluate = tools.find(({ name }) => name === 'evaluate')
  expect(evaluate?.inputSchema.required).toEqual(['model', 'tasks'])
  expect(Object.keys(evaluate?.inputSchema.properties ?? {})).toEqual(
    expect.arrayContaining([
      ...[
        'model',
        'tasks',
        'model_args',
        'limit',
        'num_fewshot',
        'gen_kwargs',
        'batch_size',
        'log_samples',
        'num_gpus',
      ],
      ...['mode', 'wait_timeout_s', 'idempotency_key', 'judge_model', 'priority', 'labels', 'webhook'],
    ]),
  )
})

it('finds tasks by a pattern, page by page', async () => {
  const { client, call } = await (await scene()).agent()
  await client.listTools()
  expect((await call('list_tasks', { query: 'ech*' })).data).toEqual({
    tasks: [{ name: 'echoes', type: 'task' }],
    total: 1,
    query: 'ech*',
    next_cursor: null,
  })
  expect((await call('list_tasks', { query: 'mmmu' + 'x' })).data).toMatchObject({
    tasks: [],
    message: 'no name matches. Use * for any characters, for example "*mmmux*"',
  })
  const names: unknown[] = []
  let cursor: unknown = undefined
  let total: unknown
  do {
    const { data } = await call('list_tasks', cursor === undefined ? {} : { cursor })
    names.push(...(data['tasks'] as { readonly name: string }[]).map(({ name }) => name))
    cursor = data['next_cursor']
    total = data['total']
  } while (cursor !== null)
  expect(names).toHaveLength(Number(total))
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(200)
})

it('describes a task and a model, and suggests names', async () => {
  const { client, call } = await (await scene()).agent()
  await client.listTools()
  expect((await call('get_task_info', { task_name: 'echoes' })).data).toMatchObject({
    name: 'echoes',
    type: 'task',
    output_type: 'generate_until',
    metric_list: [{ metric: 'exact_match' }],
  })
  expect(await call('get_task_info', { task_name: 'echos' })).toMatchObject({
    isError: true,
    text: 'no task "echos". Did you mean "echoes"? list_tasks gives all names',
  })
  expect((await call('list_models', {})).data['models']).toContainEqual(
    expect.objectContaining({ model_id: 'openai', has_chat: true, has_simple: false, aliases: [] }),
  )
  expect((await call('list_models', { include_aliases: true })).data['models']).toContainEqual(
    expect.objectContaining({
      model_id: 'openai',
      aliases: expect.arrayContaining(['async_openai']) as unknown,
    }) as unknown,
  )
  expect((await call('get_model_info', { model_name: 'async_openai' })).data).toMatchObject({
    model_id: 'openai',
    args: expect.arrayContaining([expect.objectContaining({ name: 'model', required: true })]) as unknown,
  })
  expect(await call('get_model_info', { model_name: 'dumy' })).toMatchObject({
    isError: true,
    text: 'no model "dumy". Did you mean "dummy"?',
  })
})

it('names each mistake in the arguments of a call', async () => {
  const { call } = await (await scene()).agent()
  expect(await call('list_tasks', { qurey: 'x' })).toMatchObject({
    isError: true,
    text: 'qurey: this tool has no such argument. Did you mean "query"?',
  })
  expect(await call('get_run_result', { sample_limit: -1 })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^run_id: .*\nsample_limit: /) as unknown,
  })
  expect(await call('get_task', {})).toMatchObject({
    isError: true,
    text: 'no tool "get_task". Did you mean "list_tasks"?',
  })
})

it.each([
  ['evaluate', { model: 'dummy', tasks: ['echoes'], wait_timeout: 5 }, 'Did you mean "wait_timeout_s"?'],
  ['evaluate', { model: 'dummy', tasks: ['echoes'], idempotencykey: 'a' }, 'Did you mean "idempotency_key"?'],
  [
    'evaluate',
    { model: 'dummy', tasks: ['echoes'], mode: 'snyc' },
    'expected one of auto, async, sync, given a text. Did you mean "sync"?',
  ],
  ['evaluate', { model: 'dummy', tasks: ['echos'] }, 'tasks: there is no task "echos". Did you mean "echoes"?'],
  ['evaluate', { model: 'dummy', tasks: ['echoes'], wait_timeout_s: -1 }, 'expected a number of at least 0'],
  ['get_run_status', { runid: 'last' }, 'Did you mean "run_id"?'],
  ['get_run_status', {}, 'run_id: is missing: expected a text'],
  ['get_run_result', { run_id: 3 }, 'run_id: expected a text'],
  ['get_run_result', { run_id: 'last', only: 'wron' }, 'Did you mean "wrong"?'],
  ['list_tasks', { querry: 'a' }, 'Did you mean "query"?'],
])('words a mistake in arguments of %s (%j) plainly', async (tool, args, problem) => {
  const { agent } = await scene()
  const { call } = await agent()
  const { isError, text } = await call(tool, args)
  expect(isError).toBe(true)
  expect(text).toContain(problem)
  expect(text).not.toMatch(/Invalid|Unrecognized|received/)
})
