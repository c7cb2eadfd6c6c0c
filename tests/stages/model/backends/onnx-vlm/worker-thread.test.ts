import { afterEach, expect, test } from 'vitest'
import { sha256 } from '../../../../../cache/digest.js'
import { WorkerThread } from '../../../../../stages/model/backends/onnx-vlm/worker-thread.js'
import { ask, greedy, memoryContext, questions, tinyvlm } from './tinyvlm.js'

const { add, context } = memoryContext()
const never = new AbortController().signal
const threads: WorkerThread[] = []

function start(dir = tinyvlm): WorkerThread {
  const thread = new WorkerThread({ dir, dtype: 'fp32', threads: 1 }, digest => context.readMedia(digest))
  threads.push(thread)
  return thread
}
afterEach(async () => {
  await Promise.all(threads.splice(0).map(thread => thread.close()))
})

const request = (text: string, pictures: Parameters<typeof ask>[1] = []) => ({
  input: greedy(ask(text, pictures)),
  generation: {},
  sample: 0,
})

test('answers, failures by class and missing media come through', { timeout: 30_000 }, async () => {
  const [question] = await questions('test')
  const thread = start()
  await thread.ready
  const good = thread.answer(request(question!.question, [add(question!.image.bytes)]), never)
  const broken = thread.answer(request('?', [add(Buffer.from('no picture'))]), never)
  const missing = thread.answer(request('?', [sha256('nowhere')]), never)
  await Promise.all([
    expect(good).resolves.toMatchObject({ body: { text: ' orange', finishReason: 'stop' } }),
    expect(broken).rejects.toMatchObject({ name: 'AttemptError', class: 'media', isRetryable: false }),
    expect(missing).rejects.toThrow(`no medium ${sha256('nowhere')}`),
  ])
})

test('an aborted request is given up at once', { timeout: 30_000 }, async () => {
  const thread = start()
  await thread.ready
  const abort = new AbortController()
  const asked = thread.answer(request('Hello?'), abort.signal)
  abort.abort(new Error('stopped by the user'))
  await expect(asked).rejects.toThrow('stopped by the user')
})

test('a thread that ends says so to those who wait and to those who come later', { timeout: 30_000 }, async () => {
  const thread = start()
  await thread.ready
  const asked = thread.answer(request('Hello?'), never)
  const ended = { class: 'server', isRetryable: true, message: expect.stringContaining('thread ended') as string }
  await Promise.all([expect(asked).rejects.toMatchObject(ended), thread.close()])
  expect(thread.hasEnded).toBe(true)
  await expect(thread.answer(request('Hello?'), never)).rejects.toMatchObject(ended)
})

test('a model that cannot be loaded is a person’s error, in a thread as well', { timeout: 30_000 }, async () => {
  const thread = start('/nowhere')
  await expect(thread.ready).rejects.toThrow('/nowhere')
})
