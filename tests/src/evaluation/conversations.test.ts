import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { evaluate, openStore, type EvaluateOptions, type Sample } from '../../../src/index.js'
import { root } from '../../support/cli.js'
import {
  completion,
  startFakeOpenai,
  type FakeOpenai,
  type FakeOptions,
  type SeenRequest,
} from '../../support/fake-openai.js'
import { refuseBatches } from '../../../src/model/batches.js'
import { resolveTasks } from '../../../stages/input/tasks/resolve-tasks.js'
import { openai } from '../../../stages/model/backends/openai.js'
import { picture } from '../../support/own-task.js'
import { temporaryFolder } from '../../support/store.js'

interface Sent {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
}

const sent = ({ text }: SeenRequest): Sent => JSON.parse(text) as Sent

interface Setup {
  readonly options: EvaluateOptions
  readonly server: FakeOpenai
  readonly folder: string
  readonly samples: () => Promise<readonly Sample[]>
}

/** A user's task with its code, and a server that answers as told. */
async function setup(files: Readonly<Record<string, string | Uint8Array>>, fake: FakeOptions): Promise<Setup> {
  const folder = await temporaryFolder()
  await mkdir(join(folder, 'task'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, 'task', name), content)
  const server = await startFakeOpenai(fake)
  onTestFinished(() => server.close())
  const store = join(folder, 'store')
  return {
    folder,
    server,
    options: {
      store,
      model: 'openai',
      modelArgs: { model: 'm', base_url: server.url, max_retries: 0 },
      tasks: [join(folder, 'task')],
    },
    async samples() {
      const opened = await openStore(store)
      try {
        const run = (await opened.runs.list()).find(({ asked }) => asked.rounds === undefined)
        const found: Sample[] = []
        for await (const sample of opened.judgements.samples(run!)) found.push(sample)
        return found
      } finally {
        await opened.close()
      }
    },
  }
}

const guessing = {
  'guess.yaml': `
task: guess
dataset_path: ./docs.jsonl
output_type: generate_until_multi_round
doc_to_text: !function utils.question
doc_to_visual: image
doc_to_target: answer
generation_kwargs: {max_new_tokens: 8}
process_results: !function utils.score
metric_list: [{metric: tries, aggregation: mean}]
`,
  'utils.ts': `
import type { Doc, NextQuestion, ProcessResults, RoundState } from 'pipeline'

export function question(doc: Doc, _kwargs: unknown, state?: RoundState): NextQuestion {
  if (state === undefined) return \`\${String(doc.question)} Guess.\`
  const { round, outputs, info, messages } = state
  if (outputs.at(-1) === doc.answer || round === 3) return { terminal: true }
  const wrong = [...((info as string[] | undefined) ?? []), outputs.at(-1) ?? '']
  if (round === 1) return { text: \`Not \${wrong.join()}.\`, visuals: doc.image as never, info: wrong }
  return { messages: [...messages, { role: 'user', content: \`Not \${wrong.join()} either.\` }], info: wrong }
}

export const score: ProcessResults = (_doc, [answers]) => ({ tries: (answers as string[]).length })
`,
  'docs.jsonl': `{"id": "a", "question": "Colour?", "answer": "blue", "image": "a.png"}`,
}

const guesses = ['red', 'green', 'blue']

test('a multi-round task sends a request after each answer, and all answers are judged', async () => {
  const { options, server, samples } = await setup(
    { ...guessing, 'a.png': await picture(1) },
    { answer: ({ index }) => guesses[index] ?? 'none' },
  )
  const run = await evaluate(options)
  expect(run.judgement?.aggregates).toMatchObject([{ metric: 'tries', value: 3, n: 1 }])
  const image = { type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) as string } }
  expect(server.seen.map(request => sent(request).messages)).toEqual([
    [{ role: 'user', content: [image, { type: 'text', text: 'Colour? Guess.' }] }],
    [{ role: 'user', content: [image, { type: 'text', text: 'Not red.' }] }],
    [
      { role: 'user', content: [image, { type: 'text', text: 'Not red.' }] },
      { role: 'assistant', content: 'green' },
      { role: 'user', content: 'Not red,green either.' },
    ],
  ])
  const [sample] = await samples()
  const { body, meta } = sample!.items[0]!.response!
  expect(body).toMatchObject({ text: 'blue', outputs: guesses, finishReason: 'stop' })
  expect(body.transcript?.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant', 'user', 'assistant'])
  expect(meta.usage).toEqual({ inputTokens: 21, outputTokens: 9 })
})

test('the same command line sends nothing again, nor does another doc with the same conversation', async () => {
  const { options, server } = await setup(
    { ...guessing, 'a.png': await picture(1) },
    { answer: ({ index }) => guesses[index] ?? 'none' },
  )
  await evaluate(options)
  const again = await evaluate({ ...options, newRun: true })
  expect(again).toMatchObject({ asked: 0, fromStore: 1 })
  expect(server.stats().requests).toBe(3)
})

test('retries a failed later round, and does not send earlier rounds again', async () => {
  const { options, server } = await setup(
    { ...guessing, 'a.png': await picture(1) },
    {
      fault: request => (sent(request).messages.length === 3 && request.before === 0 ? { status: 503 } : undefined),
      answer: request => (sent(request).messages.length === 3 ? 'blue' : guesses[request.index]!),
    },
  )
  const run = await evaluate({ ...options, modelArgs: { ...options.modelArgs, max_retries: 1 } })
  expect(run.failures).toEqual([])
  expect(server.stats()).toMatchObject({ requests: 4, distinct: 3 })
  expect(run.judgement?.aggregates).toMatchObject([{ value: 3 }])
})

test('changed scoring code sends nothing, because the rounds are in the store', async () => {
  const { options, server, folder } = await setup(
    { ...guessing, 'a.png': await picture(1) },
    { answer: ({ index }) => guesses[index] ?? 'none' },
  )
  await evaluate(options)
  const code = guessing['utils.ts'].replace('tries: (answers', 'tries: 10 * (answers')
  await writeFile(join(folder, 'task', 'utils.ts'), code)
  const again = await evaluate(options)
  expect(again.judgement?.aggregates).toMatchObject([{ value: 30 }])
  expect(server.stats().requests).toBe(3)
})

test('rejects doc_to_text that is not a function, because it must return the next round', async () => {
  const task = guessing['guess.yaml'].replace('!function utils.question', 'question')
  const { options } = await setup({ ...guessing, 'guess.yaml': task }, {})
  await expect(evaluate(options)).rejects.toThrow(
    /doc_to_text: must be a !function with output_type generate_until_multi_round/,
  )
})

test('rejects a batch, which has no rounds', async () => {
  const { options, folder } = await setup({ ...guessing, 'a.png': await picture(1) }, {})
  await expect(refuseBatches({ batch: true }, openai, [])).resolves.toBeUndefined()
  await expect(refuseBatches({ batch: true, mcp: ['x'] }, openai, [])).rejects.toThrow(
    'tools are called between rounds',
  )
  const [task] = await resolveTasks(
    options.tasks.filter(name => typeof name === 'string'),
    {
      includePaths: [],
      cacheDir: join(folder, 'code'),
      emit: () => undefined,
    },
  )
  await expect(refuseBatches({ batch: true }, openai, [task!])).rejects.toThrow('task guess asks in several rounds')
})

const agent = (rest: string): Readonly<Record<string, string>> => ({
  'agent.yaml': `
task: agent
dataset_path: ./docs.jsonl
output_type: generate_until_agentic
doc_to_text: !function utils.step
doc_to_target: answer
generation_kwargs: {max_new_tokens: 8, max_agentic_steps: 3}
metric_list: [{metric: exact_match}]
`,
  'utils.ts': `
import type { Doc, NextQuestion, RoundState } from 'pipeline'
export function step(doc: Doc, _kwargs: unknown, state?: RoundState): NextQuestion | Promise<NextQuestion> {
  ${rest}
}
`,
  'docs.jsonl': `{"id": "a", "answer": "done"}`,
})

test('an agent that runs out of steps answers with its current state', async () => {
  const { options, server, samples } = await setup(
    agent(`
  if (state === undefined) return 'start'
  const info = state.info as { tool_calls: number } | undefined
  const calls = (info?.tool_calls ?? 0) + 1
  return { text: 'step ' + state.round, info: { tool_calls: calls, state: { cash: 5, other: 1 } } }`),
    { answer: ({ index }) => `act ${index}` },
  )
  await evaluate(options)
  expect(server.seen.map(request => sent(request).messages)).toEqual([
    [{ role: 'user', content: 'start' }],
    [{ role: 'user', content: 'step 1' }],
    [{ role: 'user', content: 'step 2' }],
  ])
  expect(server.seen.every(({ text }) => !text.includes('max_agentic_steps'))).toBe(true)
  const [sample] = await samples()
  const { body } = sample!.items[0]!.response!
  expect(body.rawFinishReason).toBe('max_agentic_steps')
  expect(JSON.parse(body.text)).toEqual({
    success: false,
    error: 'max_agentic_steps_reached',
    tool_calls: 3,
    valid_tool_calls: 3,
    invalid_steps: 0,
    state: { cash: 5, other: 1 },
    last_model_output: 'act 2',
    trace: ['act 0', 'act 1', 'act 2'],
    cash: 5,
  })
})

test('the result of an agent is its last answer, or the value that its task computes from it', async () => {
  const { options } = await setup(
    agent(`
  if (state === undefined) return 'start'
  return { terminal: true, outputs: [...state.outputs.slice(0, -1), 'done'] }`),
    { answer: () => 'whatever' },
  )
  const run = await evaluate(options)
  expect(run.judgement?.aggregates).toMatchObject([{ metric: 'exact_match', value: 1 }])
})

test.each([
  [
    'throws',
    `if (state !== undefined) throw new Error('no stock left'); return 'start'`,
    /agent: doc_to_text \(utils.step\): no stock left/,
  ],
  [
    'gives nothing to ask',
    `if (state === undefined) return 'start'; return { visuals: [] }`,
    /gives neither text nor messages/,
  ],
  ['misspells', `if (state === undefined) return 'start'; return { terminals: true }`, /"terminals".*"terminal"/],
  [
    'keeps what is no JSON',
    `if (state === undefined) return 'start'; return { text: 'a', info: new Map() }`,
    /info must be JSON/,
  ],
])('a function that %s fails its doc with the reason', async (_, code, message) => {
  const { options } = await setup(agent(code), { answer: () => 'x' })
  const { failures } = await evaluate(options)
  expect(failures).toMatchObject([{ doc: 'a', failure: { class: 'invalid_request' } }])
  expect(failures[0]!.failure.message).toMatch(message)
})

const asking = {
  'ask.yaml': `
task: ask
dataset_path: ./docs.jsonl
doc_to_text: question
doc_to_target: answer
generation_kwargs: {max_new_tokens: 8}
metric_list: [{metric: exact_match}]
`,
  'docs.jsonl': `{"id": "a", "question": "1 + 2?", "answer": "3"}`,
}

const mcp = `${process.execPath} ${join(root, 'tests/support/mcp-server.mjs')}`

const calling = (...calls: readonly (readonly [name: string, args: object])[]): object =>
  completion(null, 'tool_calls', {
    tool_calls: calls.map(([name, args], index) => ({
      id: `${name}-${index}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    })),
  })

/** Calls tools as scripted, one answer after another, and says what the last result was. */
const scripted =
  (...answers: readonly object[]): NonNullable<FakeOptions['answer']> =>
  request => {
    const { messages } = sent(request)
    const said = messages.filter(({ role }) => role === 'assistant').length
    return answers[said] ?? String(messages.findLast(({ role }) => role === 'tool')?.content)
  }

test('a model calls tools until it answers, and only its answer is judged', async () => {
  const { options, server, samples, folder } = await setup(asking, {
    answer: scripted(calling(['look', {}], ['nothing', {}]), calling(['add', { a: 1, b: 2 }])),
  })
  const log = join(folder, 'calls')
  const run = await evaluate({ ...options, mcp: [`${mcp} --log ${log}`] })
  expect(run.judgement?.aggregates).toMatchObject([{ metric: 'exact_match', value: 1 }])
  expect(await readFile(log, 'utf8')).toBe('look {}\nadd {"a":1,"b":2}\n')
  expect(server.seen.map(request => sent(request).messages.map(({ role }) => role))).toEqual([
    ['user'],
    ['user', 'assistant', 'tool', 'tool', 'user'],
    ['user', 'assistant', 'tool', 'tool', 'user', 'assistant', 'tool'],
  ])
  const [sample] = await samples()
  const { request, response } = sample!.items[0]!
  expect(request?.input.tools?.map(({ name }) => name)).toContain('add')
  expect(response?.meta.usage).toEqual({ inputTokens: 21, outputTokens: 9 })
  expect(response?.body).toMatchObject({ text: '3', finishReason: 'stop' })
  expect(response?.body.transcript).toMatchObject([
    { role: 'assistant', toolCalls: [{ name: 'look' }, { name: 'nothing' }] },
    { role: 'tool', toolCallId: 'look-0', content: [{ type: 'text', text: 'A dot.' }, { type: 'image' }] },
    { role: 'tool', toolCallId: 'nothing-1', isToolError: true },
    { role: 'assistant', toolCalls: [{ name: 'add', arguments: '{"a":1,"b":2}' }] },
    { role: 'tool', toolName: 'add', content: [{ type: 'text', text: '3' }] },
    { role: 'assistant', content: [{ type: 'text', text: '3' }] },
  ])
})

test('stops a model that keeps calling tools at the limit, and its last text is the answer', async () => {
  const endless = { answer: () => calling(['add', { a: 1, b: 2 }]) }
  const { options, server, samples } = await setup(asking, endless)
  await evaluate({ ...options, mcp: [mcp], maxToolRounds: 2 })
  expect(server.stats().requests).toBe(3)
  const [sample] = await samples()
  expect(sample!.items[0]!.response?.body).toMatchObject({ text: '', finishReason: 'tool_calls' })
})

test('the same command line sends and calls nothing again, and other tools are other requests', async () => {
  const { options, server, folder } = await setup(asking, { answer: scripted(calling(['add', { a: 1, b: 2 }])) })
  const log = join(folder, 'calls')
  const tools = { mcp: [`${mcp} --log ${log}`] }
  await evaluate({ ...options, ...tools })
  const again = await evaluate({ ...options, ...tools })
  expect(again).toMatchObject({ isNew: false, asked: 0 })
  expect(await readFile(log, 'utf8')).toBe('add {"a":1,"b":2}\n')
  expect(await evaluate(options)).toMatchObject({ isNew: true, asked: 1 })
  expect(server.stats().requests).toBe(3)
})

test('rejects a model without tool calls before any request', async () => {
  const { options } = await setup(asking, {})
  await expect(evaluate({ ...options, model: 'dummy', modelArgs: {}, mcp: [mcp] })).rejects.toThrow(
    "model dummy can't call tools",
  )
  await expect(evaluate({ ...options, maxToolRounds: 3 })).rejects.toThrow('mcp or tools')
})
