import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { sha256, type MediaDigest } from '../../../../../cache/digest.js'
import { WorkerProcess } from '../../../../../stages/model/backends/local-models/worker-process.js'
import { temporaryFolder } from '../../../../support/store.js'
import { ask, greedy, memoryContext, questions, tinyvlm } from '../onnx-vlm/tinyvlm.js'

const { add, context } = memoryContext()
const never = new AbortController().signal
const workers: WorkerProcess[] = []
const entry = new URL('../../../../../stages/model/backends/onnx-vlm/worker.js', import.meta.url)

function start(dir = tinyvlm): WorkerProcess {
  const worker = new WorkerProcess(entry, { dir, dtype: 'fp32', threads: 1 }, context)
  workers.push(worker)
  return worker
}
afterEach(async () => {
  await Promise.all(workers.splice(0).map(worker => worker.close()))
})

const request = (text: string, pictures: Parameters<typeof ask>[1] = []) => ({
  input: greedy(ask(text, pictures)),
  generation: {},
  sample: 0,
})

test('returns answers, failures by class, and failures for missing media', { timeout: 60_000 }, async () => {
  const [question] = await questions('test')
  const worker = start()
  await worker.ready
  const good = worker.answer(request(question!.question, [add(question!.image.bytes)]), never)
  const broken = worker.answer(request('?', [add(Buffer.from('no picture'))]), never)
  const missing = worker.answer(request('?', [sha256('nowhere')]), never)
  await Promise.all([
    expect(good).resolves.toMatchObject({ body: { text: ' orange', finishReason: 'stop' } }),
    expect(broken).rejects.toMatchObject({ name: 'AttemptError', class: 'media', isRetryable: false }),
    expect(missing).rejects.toThrow(`no medium ${sha256('nowhere')}`),
  ])
})

test('gives up an aborted request at once', { timeout: 60_000 }, async () => {
  const worker = start()
  await worker.ready
  const abort = new AbortController()
  const asked = worker.answer(request('Hello?'), abort.signal)
  abort.abort(new Error('stopped by the user'))
  await expect(asked).rejects.toThrow('stopped by the user')
})

test('fails current and later requests when the worker ends', { timeout: 60_000 }, async () => {
  const worker = start()
  await worker.ready
  // More requests than it can answer before it ends.
  const asked = Promise.allSettled(Array.from({ length: 200 }, () => worker.answer(request('Hello?'), never)))
  const ended = {
    class: 'server',
    isRetryable: true,
    message: expect.stringContaining('worker process ended (SIGKILL)') as string,
  }
  await worker.close()
  expect((await asked).at(-1)).toMatchObject({ status: 'rejected', reason: ended })
  expect(worker.hasEnded).toBe(true)
  await expect(worker.answer(request('Hello?'), never)).rejects.toMatchObject(ended)
})

test('a model that cannot be loaded is a configuration error, in a worker, too', { timeout: 60_000 }, async () => {
  const worker = start('/nowhere')
  await expect(worker.ready).rejects.toThrow('/nowhere')
})

test('a worker reads a medium from its file and releases it afterwards', async () => {
  const path = join(await temporaryFolder(), 'medium')
  await writeFile(path, 'the sound')
  let open = 0
  const openMediaFile = (digest: MediaDigest) => {
    if (digest !== sha256('there')) return Promise.reject(new Error('no such medium'))
    open += 1
    return Promise.resolve({ path, [Symbol.asyncDispose]: () => Promise.resolve(void (open -= 1)) })
  }
  const fileEntry = new URL('../../../../support/local-models/file-worker.js', import.meta.url)
  const worker = new WorkerProcess(fileEntry, {}, { ...context, openMediaFile })
  workers.push(worker)
  await worker.ready
  const asked = await worker.answer(request('?', [sha256('there')]), never)
  expect(asked.body.text).toBe('the sound')
  await expect.poll(() => open).toBe(0)
  await expect(worker.answer(request('?', [sha256('nowhere')]), never)).rejects.toThrow('no such medium')
})
