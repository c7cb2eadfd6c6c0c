import { expect, test } from 'vitest'
import { sha256 } from '../../../../../cache/digest.js'
import { AttemptError, type ModelAnswer, type ModelRequest } from '../../../../../stages/model/model.js'
import { openPool, type Worker } from '../../../../../stages/model/backends/local-models/worker-pool.js'
import { ask, greedy } from '../onnx-vlm/tinyvlm.js'

const never = new AbortController().signal

/** A worker that answers on request and records its requests. */
class HandWorker implements Worker {
  readonly ready: Promise<void>
  hasEnded = false
  isClosed = false
  readonly asked: ModelRequest[] = []
  readonly #pending: { resolve: (answer: ModelAnswer) => void; reject: (error: Error) => void }[] = []

  constructor(ready = Promise.resolve()) {
    this.ready = ready
  }
  answer(request: ModelRequest): Promise<ModelAnswer> {
    this.asked.push(request)
    return new Promise((resolve, reject) => this.#pending.push({ resolve, reject }))
  }
  finish(): void {
    for (const { resolve } of this.#pending.splice(0)) resolve({ body: { text: 'done', finishReason: 'stop' } })
  }
  crash(): void {
    this.hasEnded = true
    const error = new AttemptError('server', 'the worker ended', { isRetryable: true })
    for (const { reject } of this.#pending.splice(0)) reject(error)
  }
  close(): Promise<void> {
    this.isClosed = true
    return Promise.resolve()
  }
}

async function handPool(count: number) {
  const workers: HandWorker[] = []
  const pool = await openPool(count, () => {
    const worker = new HandWorker()
    workers.push(worker)
    return worker
  })
  return { pool, workers }
}

const about = (picture: string, question = 'What is it?'): ModelRequest => ({
  input: greedy(ask(question, [sha256(picture)])),
  generation: {},
  sample: 0,
})

/** Lets requests reach their workers. */
const settle = () => new Promise(resolve => setImmediate(resolve))

test('spreads simultaneous requests over the workers', async () => {
  const { pool, workers } = await handPool(2)
  const answers = ['a', 'b', 'c', 'd'].map(picture => pool.answer(about(picture), never))
  await settle()
  expect(workers.map(worker => worker.asked.length)).toEqual([2, 2])
  for (const worker of workers) worker.finish()
  expect(await Promise.all(answers)).toHaveLength(4)
})

test('sends a question about a picture to the worker that just read it, unless it is busy', async () => {
  const { pool, workers } = await handPool(2)
  const asked = [about('a'), about('b'), about('b', 'Where?'), about('b', 'How many?')]
  const answers = asked.map(request => pool.answer(request, never))
  await settle()
  expect(workers.map(worker => worker.asked)).toEqual([
    [about('a'), about('b', 'How many?')],
    [about('b'), about('b', 'Where?')],
  ])
  for (const worker of workers) worker.finish()
  await Promise.all(answers)
})

test('sends all choices of a question to the same worker, however busy', async () => {
  const { pool, workers } = await handPool(2)
  const answers = ['a', 'b', 'a', 'a', 'a', 'b'].map(picture => pool.answer(about(picture), never))
  await settle()
  expect(workers.map(worker => worker.asked)).toEqual([
    [about('a'), about('a'), about('a'), about('a')],
    [about('b'), about('b')],
  ])
  for (const worker of workers) worker.finish()
  await Promise.all(answers)
})

test('a worker that ends fails its requests, and is replaced', async () => {
  const { pool, workers } = await handPool(1)
  const lost = pool.answer(about('a'), never)
  await settle()
  workers[0]!.crash()
  await expect(lost).rejects.toMatchObject({ class: 'server', isRetryable: true })

  const answer = pool.answer(about('b'), never)
  await settle()
  expect(workers).toHaveLength(2)
  workers[1]!.finish()
  await expect(answer).resolves.toMatchObject({ body: { text: 'done' } })
})

test('a model that cannot be loaded leaves no worker behind', async () => {
  const workers = [new HandWorker(), new HandWorker(Promise.reject(new Error('no such model')))]
  const rest = [...workers]
  await expect(openPool(2, () => rest.shift()!)).rejects.toThrow('no such model')
  expect(workers.every(worker => worker.isClosed)).toBe(true)
})
