import { expect, test } from 'vitest'
import { PipelineError } from '../../../../../base/errors/errors.js'
import { AttemptError, type Model, type ModelRequest } from '../../../../../stages/model/model.js'
import { type AnsweringProcess, openBatchedModel } from '../../../../../stages/model/backends/python/batched-model.js'
import { EndedError, RaisedError } from '../../../../../cache/code/python/model-process.js'
import type { PythonRequest } from '../../../../../stages/model/backends/python/model-requests.js'

const never = new AbortController().signal

const request = (text: string, generation = {}): ModelRequest => ({
  input: { type: 'generate_until', messages: [{ role: 'user', content: [{ type: 'text', text }] }] },
  generation,
  sample: 0,
})

const textOf = ({ messages }: PythonRequest): string => {
  const part = messages[0]?.content[0]
  return part?.type === 'text' ? part.text : ''
}

/** Crashes at the text `crash`, raises at `raise`, and repeats any other text. */
async function model(batchSize: number): Promise<{ model: Model; batches: string[][]; starts: () => number }> {
  const batches: string[][] = []
  let starts = 0
  const start = (): Promise<AnsweringProcess> => {
    starts++
    let hasEnded = false
    return Promise.resolve({
      get hasEnded() {
        return hasEnded
      },
      answer(requests) {
        const texts = requests.map(textOf)
        batches.push(texts)
        if (texts.includes('crash')) {
          hasEnded = true
          return Promise.reject(new EndedError('ended with signal SIGSEGV', ['the last words']))
        }
        if (texts.includes('raise')) {
          const raised = { type: 'KeyError', message: "'x'", trace: ['m.py:3 in generate'], isRejection: false }
          return Promise.reject(new RaisedError(raised))
        }
        return Promise.resolve(texts.map(text => ({ text })))
      },
      stop: () => Promise.resolve(),
    })
  }
  const write = ({ input, generation }: ModelRequest): Promise<PythonRequest> =>
    Promise.resolve({ type: input.type, messages: input.messages as PythonRequest['messages'], generation, sample: 0 })
  return { model: await openBatchedModel({ batchSize, name: 'class M', write, start }), batches, starts: () => starts }
}

const ask = async (opened: Model, ...texts: string[]) =>
  Promise.all(
    texts.map(text =>
      opened.answer(request(text), never).then(
        ({ body }) => body.text,
        (error: unknown) => error,
      ),
    ),
  )

test('collects requests up to the batch size', async () => {
  const { model: opened, batches } = await model(2)
  expect(await ask(opened, 'a', 'b', 'c')).toEqual(['a', 'b', 'c'])
  expect(batches).toEqual([['a', 'b'], ['c']])
})

test('puts requests with other generation arguments into another batch', async () => {
  const { model: opened, batches } = await model(4)
  await Promise.all([
    opened.answer(request('a'), never),
    opened.answer(request('b', { max_new_tokens: 3 }), never),
    opened.answer(request('c'), never),
  ])
  expect(batches).toEqual([['a', 'c'], ['b']])
})

test('an exception fails only its request', async () => {
  const { model: opened, batches } = await model(3)
  const [first, second, third] = await ask(opened, 'a', 'raise', 'c')
  expect([first, third]).toEqual(['a', 'c'])
  expect(second).toMatchObject({
    class: 'server',
    isRetryable: false,
    message: "class M: KeyError: 'x' (m.py:3 in generate)",
  })
  expect(batches).toEqual([['a', 'raise', 'c'], ['a'], ['raise'], ['c']])
})

test('retries after a crash in a new process, and fails permanently after a second one', async () => {
  const { model: opened, starts } = await model(3)
  const [first, second, third] = await ask(opened, 'a', 'crash', 'c')
  expect([first, third]).toEqual(['a', 'c'])
  expect(second).toBeInstanceOf(AttemptError)
  expect(second).toMatchObject({ isRetryable: true, message: expect.stringContaining('SIGSEGV') as string })
  expect(second).toMatchObject({ message: expect.stringContaining('the last words') as string })
  const [again] = await ask(opened, 'crash')
  expect(again).toMatchObject({ isRetryable: false })
  expect(starts()).toBe(3)
})

test('crashes without any answer between them end the run', async () => {
  const { model: opened } = await model(1)
  const failures: unknown[] = []
  for (let time = 0; time < 5; time++) failures.push(...(await ask(opened, 'crash')))
  expect(failures.at(-2)).toBeInstanceOf(AttemptError)
  expect(failures.at(-1)).toBeInstanceOf(PipelineError)
})

test('several processes compute batches at the same time, each with its own index', async () => {
  const places: number[] = []
  const waiting: (() => void)[] = []
  const opened = await openBatchedModel({
    batchSize: 1,
    processes: 2,
    name: 'class M',
    write: ({ input, generation, sample }) =>
      Promise.resolve({ type: input.type, messages: input.messages as PythonRequest['messages'], generation, sample }),
    start(place) {
      places.push(place)
      const answer = (requests: readonly PythonRequest[]) =>
        new Promise<unknown>(resolve => {
          waiting.push(() => resolve(requests.map(one => ({ text: `${textOf(one)} at ${place}` }))))
          // Both answer only when both have a request, which never happens if one waits for the other.
          if (waiting.length === 2) for (const go of waiting) go()
        })
      return Promise.resolve({ hasEnded: false, answer, stop: () => Promise.resolve() })
    },
  })
  expect(await ask(opened, 'a', 'b')).toEqual(['a at 0', 'b at 1'])
  expect(places).toEqual([0, 1])
})

test('an aborted request leaves the queue', async () => {
  const { model: opened, batches } = await model(3)
  const controller = new AbortController()
  const aborted = opened.answer(request('a'), controller.signal)
  const kept = opened.answer(request('b'), never)
  await new Promise(resolve => setImmediate(resolve))
  controller.abort(new Error('interrupted'))
  await expect(aborted).rejects.toThrow('interrupted')
  expect((await kept).body.text).toBe('b')
  expect(batches).toEqual([['b']])
})
