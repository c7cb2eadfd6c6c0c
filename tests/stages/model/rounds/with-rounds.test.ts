import { describe, expect, test } from 'vitest'
import type { TaskKey } from '../../../../cache/digest.js'
import { sha256 } from '../../../../cache/digest.js'
import { codeKey } from '../../../../cache/keys.js'
import type { ChatMessage, RequestType, ResponseBody, ToolCall } from '../../../../cache/records.js'
import {
  AttemptError,
  type FurtherRequests,
  LeftForLater,
  type ModelAnswer,
  type ModelRequest,
} from '../../../../stages/model/model.js'
import type { AskTask } from '../../../../stages/model/rounds/task-rounds.js'
import type { Tools } from '../../../../stages/model/rounds/tool-rounds.js'
import { keptTurns, withRounds } from '../../../../stages/model/rounds/with-rounds.js'
import { temporaryStore, testCode, testModel, testRun } from '../../../support/store.js'
import { virtualClock } from '../../../support/virtual-clock.js'

const user = (text: string): ChatMessage => ({ role: 'user', content: [{ type: 'text', text }] })
const never = new AbortController().signal
const by: TaskKey = sha256('task')

const lastText = ({ input }: ModelRequest): string => {
  const part = input.messages.at(-1)?.content.at(-1)
  return part?.type === 'text' ? part.text : ''
}

interface Setup {
  readonly answer?: (request: ModelRequest, asked: number) => Partial<ResponseBody> | Error
  readonly askTask?: AskTask
  readonly tools?: Tools
}

/** A model with answers of ten milliseconds and seven tokens, and a ledger in its own store. */
async function setup({ answer = () => ({}), askTask, tools }: Setup) {
  const store = await temporaryStore()
  const clock = virtualClock()
  const asked: string[] = []
  const drain = new AbortController()
  const told: string[] = []
  const further: FurtherRequests = {
    answered: usage => void told.push(`answered ${(usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)}`),
    next: request => {
      told.push(`next ${lastText(request)}`)
      return drain.signal.aborted ? Promise.reject(new LeftForLater('drained')) : Promise.resolve()
    },
  }
  const model = withRounds(
    {
      async answer(request): Promise<ModelAnswer> {
        asked.push(lastText(request))
        await clock.advance(10)
        const said = answer(request, asked.length)
        if (said instanceof Error) throw said
        const body = { text: `to ${lastText(request)}`, finishReason: 'stop' as const, ...said }
        return { body, usage: { inputTokens: 4, outputTokens: 3 } }
      },
    },
    {
      store,
      run: () => testRun(store, ['rounds']),
      identity: testModel,
      codes: { code: codeKey(testCode).key },
      clock,
      stamp: {},
      ...(askTask === undefined ? {} : { askTask }),
      ...(tools === undefined ? {} : { tools }),
    },
  )
  const ask = (type: RequestType, question = 'a', generation = {}): Promise<ModelAnswer> =>
    model.answer(
      {
        input: {
          type,
          messages: [user(question)],
          conversation: { v: 1, follow: { by, doc: { question } } },
        },
        generation,
        sample: 0,
      },
      never,
      undefined,
      further,
    )
  const request = (question: string, most: number, repeatTools?: Record<string, boolean>): ModelRequest => ({
    input: {
      type: 'generate_until',
      messages: [user(question)],
      tools: [{ name: 'add' }],
      conversation: { v: 1, maxToolRounds: most, ...(repeatTools === undefined ? {} : { repeatTools }) },
    },
    generation: {},
    sample: 0,
  })
  const callTools = (question = 'a', most = 3, repeatTools?: Record<string, boolean>): Promise<ModelAnswer> =>
    model.answer(request(question, most, repeatTools), never, undefined, further)
  const ledger = { store, identity: testModel, codes: { code: codeKey(testCode).key }, clock }
  return { ask, callTools, asked, drain, told, request, ledger }
}

/** Sends `more` questions after the first. */
const leading =
  (more: number): AskTask =>
  (_, { round, outputs }) =>
    Promise.resolve({ messages: round > more ? null : [user(`${round}`)], outputs })

const failure = new AttemptError('server', 'down', { isRetryable: true })

test('a failed round fails its attempt; the next attempt continues at that round and counts earlier ones', async () => {
  let isDown = true
  const { ask, asked } = await setup({
    askTask: leading(2),
    answer: request => (isDown && lastText(request) === '2' ? failure : {}),
  })
  await expect(ask('generate_until_multi_round')).rejects.toMatchObject({
    class: 'server',
    message: 'down',
    isRetryable: true,
    hasProgressed: true,
  })
  await expect(ask('generate_until_multi_round')).rejects.toMatchObject({ hasProgressed: false })
  isDown = false
  const { body, usage, earlierMs } = await ask('generate_until_multi_round')
  expect(body).toMatchObject({ text: 'to 2', outputs: ['to a', 'to 1', 'to 2'] })
  expect(usage).toEqual({ inputTokens: 12, outputTokens: 9 })
  expect(earlierMs).toBe(20)
  expect(asked).toEqual(['a', '1', '2', '2', '2'])
})

test('starts no further round after a stop, and keeps the answered rounds', async () => {
  const { ask, asked, drain } = await setup({
    askTask: (_, { round, outputs }) => {
      drain.abort()
      return Promise.resolve({ messages: round > 1 ? null : [user('b')], outputs })
    },
  })
  await expect(ask('generate_until_agentic')).rejects.toBeInstanceOf(LeftForLater)
  expect((await ask('generate_until_agentic')).body.text).toBe('to b')
  expect(asked).toEqual(['a', 'b'])
})

test('conversations with the same beginning share its answers, even concurrently', async () => {
  const { ask, asked } = await setup({ askTask: leading(1) })
  await Promise.all([ask('generate_until_multi_round'), ask('generate_until_agentic')])
  expect(asked).toEqual(['a', '1'])
})

test('reports the usage of each round, and asks for permission after the first', async () => {
  const { ask, told } = await setup({ askTask: leading(2) })
  await ask('generate_until_agentic')
  expect(told).toEqual(['answered 7', 'next 1', 'answered 7', 'next 2', 'answered 7'])
})

test('calls a task only once for its next round, even if it would answer differently later', async () => {
  let times = 0
  const { ask } = await setup({
    askTask: (_, { outputs }) => Promise.resolve({ messages: null, outputs: [...outputs, `${++times}`] }),
  })
  const first = await ask('generate_until_multi_round')
  expect(await ask('generate_until_multi_round')).toMatchObject({ body: first.body })
  expect(times).toBe(1)
})

test('a task receives its own state with the next answer and the messages up to it', async () => {
  const seen: unknown[] = []
  const { ask } = await setup({
    askTask: (follow, { round, outputs, info, messages }) => {
      seen.push([follow.doc, round, outputs, info, messages.map(({ role }) => role)])
      return Promise.resolve({ messages: round === 2 ? null : [...messages, user('b')], outputs, info: { n: round } })
    },
  })
  const { body } = await ask('generate_until_agentic')
  expect(seen).toEqual([
    [{ question: 'a' }, 1, ['to a'], undefined, ['user', 'assistant']],
    [{ question: 'a' }, 2, ['to a', 'to b'], { n: 1 }, ['user', 'assistant', 'user', 'assistant']],
  ])
  expect(body.transcript?.map(({ role, content }) => [role, content[0]])).toEqual([
    ['assistant', { type: 'text', text: 'to a' }],
    ['user', { type: 'text', text: 'b' }],
    ['assistant', { type: 'text', text: 'to b' }],
  ])
})

test('a task that never ends fails after a hundred rounds; an agent ends after its steps', async () => {
  const { ask, asked } = await setup({ askTask: leading(Infinity) })
  await expect(ask('generate_until_multi_round')).rejects.toMatchObject({ class: 'invalid_request' })
  expect(asked).toHaveLength(100)
  const { body } = await ask('generate_until_agentic', 'z')
  expect(body).toMatchObject({ text: 'to 11', rawFinishReason: 'max_agentic_steps' })
  expect((await ask('generate_until_agentic', 'z', { max_agentic_steps: 2 })).body.text).toBe('to 1')
  expect(asked).toHaveLength(101)
})

const add = (id: string): ToolCall => ({ id, name: 'add', arguments: '{}' })

test('calls tools in order, once, and shows their results with the calls', async () => {
  const made: string[] = []
  let isDown = true
  const { callTools, asked } = await setup({
    answer: (request, times) => {
      if (lastText(request) === 'result of y' && isDown) return failure
      return times === 1 ? { text: '', finishReason: 'tool_calls', toolCalls: [add('x'), add('y')] } : {}
    },
    tools: {
      call: ({ id }) => {
        made.push(id)
        return Promise.resolve(id === 'x' ? { text: 'wrong', isError: true } : { text: 'result of y' })
      },
    },
  })
  await expect(callTools()).rejects.toMatchObject({ hasProgressed: true })
  isDown = false
  const { body } = await callTools()
  expect(made).toEqual(['x', 'y'])
  expect(asked).toEqual(['a', 'result of y', 'result of y'])
  expect(body.text).toBe('to result of y')
  expect(body.transcript).toEqual([
    { role: 'assistant', content: [], toolCalls: [add('x'), add('y')] },
    {
      role: 'tool',
      toolCallId: 'x',
      toolName: 'add',
      isToolError: true,
      content: [{ type: 'text', text: 'wrong' }],
    },
    { role: 'tool', toolCallId: 'y', toolName: 'add', content: [{ type: 'text', text: 'result of y' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'to result of y' }] },
  ])
})

test('makes the calls of each conversation, even if another made the same', async () => {
  let made = 0
  const { callTools } = await setup({
    answer: request =>
      lastText(request).startsWith('result') ? {} : { finishReason: 'tool_calls', toolCalls: [add('x')] },
    tools: { call: () => Promise.resolve({ text: `result ${++made}` }) },
  })
  expect((await callTools('a', 3)).body.text).toBe('to result 1')
  expect((await callTools('a', 4)).body.text).toBe('to result 2')
})

const calls = (...names: readonly string[]): Partial<ResponseBody> => ({
  text: '',
  finishReason: 'tool_calls',
  toolCalls: names.map(name => ({ id: name, name, arguments: '{}' })),
})

test('runs consecutive read-only calls concurrently, and all others in order', async () => {
  const log: string[] = []
  let looks = 0
  let meet = (): void => undefined
  const met = new Promise<void>(resolve => (meet = resolve))
  const { callTools } = await setup({
    answer: (_, times) => (times === 1 ? calls('look', 'look', 'write', 'look', 'write') : {}),
    tools: {
      isReadOnly: name => name === 'look',
      async call({ name }) {
        log.push(`${name} begins`)
        if (name === 'look' && ++looks === 2) meet()
        if (name === 'look') await met
        await Promise.resolve()
        log.push(`${name} ends`)
        return { text: name }
      },
    },
  })
  const { body } = await callTools()
  expect(log.slice(0, 2)).toEqual(['look begins', 'look begins'])
  expect(log.slice(4)).toEqual(['write begins', 'write ends', 'look begins', 'look ends', 'write begins', 'write ends'])
  expect(body.transcript?.flatMap(({ toolName = [] }) => toolName)).toEqual(['look', 'look', 'write', 'look', 'write'])
})

test('a failed call waits for the others of its turn, which are not repeated', async () => {
  const made: string[] = []
  let isDown = true
  const { callTools } = await setup({
    answer: (_, times) => (times === 1 ? calls('bad', 'good') : {}),
    tools: {
      isReadOnly: () => true,
      async call({ name }) {
        made.push(name)
        if (name === 'bad' && isDown) throw failure
        await Promise.resolve()
        return { text: name }
      },
    },
  })
  await expect(callTools()).rejects.toMatchObject({ hasProgressed: true })
  isDown = false
  await callTools()
  expect(made).toEqual(['bad', 'good', 'bad'])
})

describe('a started call whose result is lost', () => {
  const lost = async (repeatTools: Record<string, boolean> | undefined) => {
    const made: string[] = []
    const here = await setup({
      answer: (_, times) => (times === 1 ? calls('search', 'pay') : {}),
      tools: {
        async call({ name }, { once }) {
          await once?.()
          made.push(name)
          if (name === 'pay' && made.length === 2) throw new Error('killed')
          return { text: name }
        },
      },
    })
    const ask = () => here.callTools('a', 3, repeatTools)
    await expect(ask()).rejects.toThrow('killed')
    return { ask, made }
  }

  test.each([undefined, { search: false }, { '*': false, pay: true }])('is repeated (%o)', async declared => {
    const { ask, made } = await lost(declared)
    expect((await ask()).body.text).toBe('to pay')
    expect(made).toEqual(['search', 'pay', 'pay'])
  })

  test.each([{ pay: false }, { '*': false, search: true }])(
    'is not repeated if its task declares so (%o)',
    async declared => {
      const { ask, made } = await lost(declared)
      for (let times = 0; times < 2; times += 1)
        await expect(ask()).rejects.toMatchObject({
          class: 'server',
          isRetryable: false,
          message: expect.stringMatching(/^pay was called and its result is lost: .*repeat_tools.*fresh run/) as string,
        })
      expect(made).toEqual(['search', 'pay'])
    },
  )
})

test('shows the turns and calls before a failure of a conversation without a request', async () => {
  const here = await setup({
    answer: (_, times) => (times < 3 ? { ...calls('add'), text: `round ${times}` } : failure),
    tools: { call: ({ name }) => Promise.resolve({ text: `result of ${name}` }) },
  })
  await expect(here.callTools()).rejects.toThrow('down')
  const before = [...here.asked]
  const kept = await keptTurns(here.request('a', 3), { ...here.ledger })
  expect(kept.map(({ message: { role, content } }) => [role, content[0]])).toEqual([
    ['assistant', { type: 'text', text: 'round 1' }],
    ['tool', { type: 'text', text: 'result of add' }],
    ['assistant', { type: 'text', text: 'round 2' }],
    ['tool', { type: 'text', text: 'result of add' }],
  ])
  // Answers and tool calls have their times.
  expect(kept.map(({ meta }) => typeof meta?.durationMs)).toEqual(['number', 'number', 'number', 'number'])
  expect(here.asked).toEqual(before)
})
