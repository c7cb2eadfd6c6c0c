import { expect, test } from 'vitest'
import { PipelineError } from '../../../../base/errors/errors.js'
import { EntryError } from '../../../../stages/model/batch/batch-client.js'
import type { Gate } from '../../../../stages/model/budget/gate.js'
import { AttemptError } from '../../../../stages/model/model.js'
import {
  answersOf,
  dies,
  failing,
  failsOnce,
  nextProcess,
  onceEach,
  scene,
  start,
  texts,
} from '../../../support/batch-scene.js'
import { FakeBatchLane } from '../../../support/fake-batch-lane.js'
import { question } from '../../../support/store.js'

test('submits, waits for and collects pending requests, and each is billed once', async () => {
  const here = await scene()
  here.lane.looks = 3
  const process = start(here)
  expect(await process.end()).toEqual({ ended: 'finished', answered: 5, failed: 0 })
  expect(here.lane.billed).toEqual(onceEach(5))
  expect(await answersOf(here.store, here.run)).toEqual(texts(5).map(text => `re ${text}`))
  expect(here.lane.log).toEqual(['upload', 'submit', 'status', 'status', 'status', 'status', 'results'])
  expect(here.lane.isClosed).toBe(true)
  expect(await here.store.batches.open()).toEqual([])
})

test('stores an answer as one of a batch, with its time in the batch', async () => {
  const here = await scene(1)
  const process = start(here)
  await process.end()
  for await (const { items } of here.store.judgements.samples(here.run)) {
    expect(items[0]?.response?.meta).toEqual({
      durationMs: 2000,
      attempts: 1,
      answeredAt: 1_700_000_002_000,
      batch: true,
      commit: 'c0ffee',
    })
  }
})

test('polls a batch less and less often, up to the requested interval', async () => {
  const here = await scene(1)
  here.lane.looks = 8
  const process = start(here, { pollMs: 20_000 })
  const times: number[] = []
  here.lane.before = step => {
    if (step === 'status') times.push(process.clock.now())
  }
  await process.end()
  const waits = times.map((time, index) => Math.round(time - (times[index - 1] ?? 0)))
  expect(waits).toEqual([2000, 3000, 4500, 6750, 10125, 15188, 20000, 20000, 20000])
})

test.each([
  [{ requests: 2, bytes: 1_000_000 }, [2, 2, 1]],
  [{ requests: 1000, bytes: 25 }, [2, 2, 1]],
])('no batch is larger than %o', async (most, sizes) => {
  const here = await scene()
  await start(here, { most }).end()
  expect(here.lane.made.map(({ entries }) => entries.length)).toEqual(sizes)
  expect(here.lane.billed).toEqual(onceEach(5))
})

test('a request larger than any batch fails alone', async () => {
  const here = await scene(11)
  await start(here, { most: { requests: 1000, bytes: 10 } }).end()
  expect(await here.store.requests.failures(here.run)).toMatchObject([
    { doc: '10', failure: { class: 'invalid_request', message: 'takes 11 bytes, more than a batch may have' } },
  ])
  expect(here.lane.billed.size).toBe(10)
})

test.each(['upload', 'submit', 'status', 'results'])(
  'after a kill before %s, the next process continues, and each request is billed once',
  async step => {
    const here = await scene()
    here.lane.before = dies(step)
    await expect(start(here).end()).rejects.toThrow('killed')
    await nextProcess(here)
    here.lane.before = () => undefined
    expect(await start(here).end()).toMatchObject({ ended: 'finished', answered: 5 })
    expect(here.lane.billed).toEqual(onceEach(5))
    expect(here.lane.made).toHaveLength(1)
  },
)

test('after a kill during the upload, uploads the requests again, which costs nothing', async () => {
  const here = await scene()
  here.lane.after = dies('upload')
  await expect(start(here).end()).rejects.toThrow('killed')
  await nextProcess(here)
  here.lane.after = () => undefined
  await start(here).end()
  expect(here.lane.log.slice(0, 3)).toEqual(['upload', 'upload', 'submit'])
  expect(here.lane.billed).toEqual(onceEach(5))
})

test('after a kill before the batch id is stored, finds the batch at the provider', async () => {
  const here = await scene()
  here.lane.after = dies('submit')
  await expect(start(here).end()).rejects.toThrow('killed')
  await nextProcess(here)
  here.lane.after = () => undefined
  const process = start(here)
  await process.end()
  expect(here.lane.log).toEqual(['upload', 'submit', 'find', 'status', 'results'])
  expect(here.lane.billed).toEqual(onceEach(5))
})

test('submits a batch that may exist again only after it was not found for a while', async () => {
  const here = await scene()
  here.lane.before = dies('submit')
  await expect(start(here).end()).rejects.toThrow('killed')
  await nextProcess(here)
  here.lane.before = () => undefined
  const process = start(here)
  await process.clock.advance(14_000)
  expect(new Set(here.lane.log.slice(2))).toEqual(new Set(['find']))
  await process.end()
  expect(here.lane.log.filter(step => step === 'submit')).toHaveLength(2)
  expect(here.lane.billed).toEqual(onceEach(5))
})

test('submits nothing while it is unknown whether the provider has a batch', async () => {
  const here = await scene()
  here.lane.after = dies('submit')
  await expect(start(here).end()).rejects.toThrow('killed')
  await nextProcess(here)
  here.lane.after = () => undefined
  here.lane.sure = false
  const process = start(here)
  await process.clock.advance(3_600_000)
  expect(here.lane.made).toHaveLength(1)
  const notes = process.events.filter(({ type }) => type === 'note')
  expect(notes).toEqual([
    {
      type: 'note',
      text: '5 requests may be in a batch that the provider works on. That is known when the batch has ended, and nothing is submitted before',
    },
  ])
  here.lane.sure = true
  expect(await process.end()).toMatchObject({ answered: 5 })
  expect(here.lane.billed).toEqual(onceEach(5))
})

test('after a kill while a batch was filled, nothing was sent and its requests are free', async () => {
  const here = await scene()
  const batch = await here.store.batches.begin('0123456789ab', here.lane.address)
  const { leases } = await here.store.requests.lease(here.run, { after: 0, limit: 3, retryFailed: false })
  await here.store.batches.add(batch, leases)
  await nextProcess(here)
  expect(await start(here).end()).toMatchObject({ answered: 5 })
  expect(here.lane.made.map(({ entries }) => entries.length)).toEqual([5])
})

test('after a kill while collecting, keeps stored results and collects the rest', async () => {
  const here = await scene(450)
  let read = 0
  here.lane.answer = text => {
    if (read++ > 300) throw new Error('killed')
    return { body: { text: `re ${text}`, finishReason: 'stop' } }
  }
  await expect(start(here).end()).rejects.toThrow('killed')
  expect((await here.store.runs.counts(here.run)).answered).toBeGreaterThan(0)
  await nextProcess(here)
  here.lane.answer = text => ({ body: { text: `re ${text}`, finishReason: 'stop' } })
  await start(here).end()
  expect(await answersOf(here.store, here.run)).toEqual(texts(450).map(text => `re ${text}`))
  expect(here.lane.made).toHaveLength(1)
})

test('does not repeat a submission that failed after the provider accepted it', async () => {
  const here = await scene()
  here.lane.after = failsOnce('submit', failing('server'))
  expect(await start(here).end()).toMatchObject({ answered: 5 })
  expect(here.lane.log.slice(0, 3)).toEqual(['upload', 'submit', 'find'])
  expect(here.lane.billed).toEqual(onceEach(5))
})

test('retries a rate-limited submission when its wait is over', async () => {
  const here = await scene()
  here.lane.before = failsOnce('submit', failing('rate_limited'))
  await start(here).end()
  expect(here.lane.log.slice(0, 3)).toEqual(['upload', 'submit', 'submit'])
})

test('a rejected batch ends the work in the provider’s words, and the next process submits it again', async () => {
  const here = await scene()
  here.lane.before = failsOnce('submit', failing('invalid_request'))
  await expect(start(here).end()).rejects.toThrow(
    new PipelineError('config', [
      'a batch of 5 requests was not taken: says invalid_request',
      'None of it was submitted. Start the run again to submit it.',
    ]),
  )
  expect(await start(here).end()).toMatchObject({ answered: 5 })
  expect(here.lane.billed).toEqual(onceEach(5))
})

test('a batch that the provider rejects after reading it ends the work and frees its requests', async () => {
  const here = await scene()
  here.lane.ending = { state: 'refused', reason: 'line 2: no such model' }
  await expect(start(here).end()).rejects.toThrow(
    'the provider refused batch batch-1 of 5 requests: line 2: no such model',
  )
  expect(await here.store.batches.open()).toEqual([])
  expect(await here.store.runs.counts(here.run)).toMatchObject({ pending: 5, failed: {} })
})

test('failures keep their class, and no request is sent in their place', async () => {
  const here = await scene()
  here.lane.answer = text => {
    if (text === 'question 1') throw failing('invalid_request')
    if (text === 'question 3') throw failing('server')
    return { body: { text: '', finishReason: 'stop' } }
  }
  expect(await start(here).end()).toEqual({ ended: 'finished', answered: 3, failed: 2 })
  expect(await here.store.requests.failures(here.run)).toMatchObject([
    { doc: '1', failure: { class: 'invalid_request', message: 'says invalid_request', attempts: 1 } },
    { doc: '3', failure: { class: 'server' } },
  ])
  expect(here.lane.made).toHaveLength(1)
})

test.each([
  [
    { state: 'ended', reason: 'expired', isExpired: true } as const,
    'timeout',
    'the batch ended without this request: expired',
  ],
  [{ state: 'ended', reason: 'cancelled' } as const, 'server', 'the batch ended without this request: cancelled'],
])('requests that a batch ended without fail temporarily (%o)', async (ending, failureClass, message) => {
  const here = await scene(2)
  here.lane.ending = ending
  here.lane.missing.add('question 0')
  expect(await start(here).end()).toEqual({ ended: 'finished', answered: 1, failed: 1 })
  expect(await here.store.requests.failures(here.run)).toMatchObject([
    { doc: '0', failure: { class: failureClass, message } },
  ])
})

test('a request that cannot be sent fails alone, and the others are submitted', async () => {
  const here = await scene(3)
  here.lane.before = step => {
    if (step !== 'upload' || here.lane.log.length > 1) return
    const damaged = new AttemptError('media', 'medium is damaged', { isRetryable: false })
    throw new EntryError(idOf(1), damaged)
  }
  const ids: string[] = []
  const idOf = (index: number): string => ids[index] ?? ''
  here.lane.measure = ({ id }) => {
    ids.push(id)
    return Promise.resolve(1)
  }
  const batches = { ...here.store.batches }
  batches.begin = async (name, address) => {
    for (const [index, id] of ids.entries()) ids[index] = id.replace(/^\w+/, name)
    return here.store.batches.begin(name, address)
  }
  await start(here, { store: batches }).end()
  expect(await here.store.requests.failures(here.run)).toMatchObject([{ doc: '1', failure: { class: 'media' } }])
  expect([...here.lane.billed]).toEqual([
    ['question 0', 1],
    ['question 2', 1],
  ])
})

test('without waiting, the process ends after submission, and a run without batches collects', async () => {
  const here = await scene()
  expect(await start(here, { waits: false }).end()).toEqual({ ended: 'finished', answered: 0, failed: 0 })
  expect(await here.store.batches.open(here.run)).toMatchObject([{ state: 'submitted', id: 'batch-1', open: 5 }])
  await nextProcess(here)
  const process = start(here, { submits: false })
  expect(await process.end()).toMatchObject({ answered: 5 })
  expect(process.direct).toEqual([])
  expect(here.lane.billed).toEqual(onceEach(5))
})

test('a run without batches sends what is in no batch, and then collects the rest', async () => {
  const here = await scene(2)
  await start(here, { waits: false }).end()
  await here.store.docs.commit(here.run, 0, [question(2)], true)
  const process = start(here, { submits: false })
  expect(await process.end()).toEqual({ ended: 'finished', answered: 3, failed: 0 })
  expect(process.direct).toHaveLength(1)
  expect(process.direct[0]).toContain('question 2')
})

test.each(['upload', 'submit'])(
  'a run without batches sends the requests of a batch that was killed before its %s',
  async step => {
    const here = await scene(2)
    here.lane.before = dies(step)
    await expect(start(here).end()).rejects.toThrow('killed')
    here.lane.before = () => undefined
    const first = start(here, { submits: false })
    await first.end()
    const second = start(here, { submits: false })
    await second.end()
    expect([...first.direct, ...second.direct]).toHaveLength(2)
    expect(here.lane.made).toEqual([])
    expect(await here.store.batches.open()).toEqual([])
  },
)

test('an interruption ends the wait at once, and the batch continues', async () => {
  const here = await scene()
  here.lane.looks = Infinity
  const process = start(here)
  while (!here.lane.log.includes('status')) await process.clock.advance(1_000)
  process.drain.abort()
  expect(await process.outcome).toMatchObject({ ended: 'drained', answered: 0 })
  expect(await here.store.batches.open(here.run)).toMatchObject([{ id: 'batch-1', open: 5 }])
  expect(here.lane.isClosed).toBe(true)
})

test('polls again after a provider was temporarily unreachable', async () => {
  const here = await scene(1)
  let down = 20
  here.lane.before = step => {
    if (step === 'status' && down-- > 0) throw failing('server')
  }
  const process = start(here)
  expect(await process.end()).toMatchObject({ answered: 1 })
  expect(process.events).toContainEqual({
    type: 'note',
    text: 'batch batch-1 could not be looked at: says server',
  })
})

test('retries a failed upload as often as any request, then frees its requests', async () => {
  const here = await scene()
  here.lane.before = step => {
    if (step === 'upload') throw failing('server')
  }
  await expect(start(here).end()).rejects.toThrow(
    'a batch of 5 requests was not taken: says server\nNone of it was submitted. Start the run again to submit it.',
  )
  expect(here.lane.log).toHaveLength(6)
  expect(await here.store.batches.open()).toEqual([])
})

test('submits nothing while the provider cannot say whether it has a batch', async () => {
  const here = await scene()
  here.lane.after = dies('submit')
  await expect(start(here).end()).rejects.toThrow('killed')
  await nextProcess(here)
  here.lane.after = () => undefined
  let down = 20
  here.lane.before = step => {
    if (step === 'find' && down-- > 0) throw failing('server')
  }
  expect(await start(here).end()).toMatchObject({ answered: 5 })
  expect(here.lane.billed).toEqual(onceEach(5))
})

test('downloads interrupted results again, and keeps those received', async () => {
  const here = await scene(450)
  let broken = 10
  here.lane.after = step => {
    if (step === 'results' && broken-- > 0) throw failing('server')
  }
  expect(await start(here).end()).toMatchObject({ ended: 'finished', failed: 0 })
  expect((await here.store.runs.counts(here.run)).answered).toBe(450)
})

test('waits for a batch that another living process works on', async () => {
  const here = await scene()
  await start(here, { waits: false }).end()
  let isElsewhere = true
  const batches = { ...here.store.batches }
  batches.adopt = batch => (isElsewhere ? Promise.resolve(undefined) : here.store.batches.adopt(batch))
  const process = start(here, { store: batches })
  await process.clock.advance(60_000)
  expect(here.lane.log).toEqual(['upload', 'submit'])
  isElsewhere = false
  expect(await process.end()).toMatchObject({ answered: 5 })
})

test('keeps a batch that the account does not know, and ends the work', async () => {
  const here = await scene()
  here.lane.before = dies('nothing')
  await start(here, { waits: false }).end()
  here.lane.before = failsOnce('status', failing('invalid_request'))
  await expect(start(here).end()).rejects.toThrow('batch batch-1 could not be looked at: says invalid_request')
  expect(await here.store.batches.open(here.run)).toHaveLength(1)
})

test('does not query a batch of another address', async () => {
  const here = await scene(1)
  await start(here, { waits: false }).end()
  const elsewhere = Object.assign(new FakeBatchLane(), { address: 'https://elsewhere' })
  await expect(start({ ...here, lane: elsewhere }).end()).rejects.toThrow(
    '1 request of this run is in batch batch-1 at https://provider, and the model is now asked at https://elsewhere.',
  )
})

test('submits and waits only for requests that the gate admits', async () => {
  const here = await scene()
  const drain = new AbortController()
  const endings: string[] = []
  let left = 3
  const gate: Gate = {
    admit: () => {
      if (left === 0) {
        drain.abort()
        return undefined
      }
      left -= 1
      return ({ type }) => void endings.push(type)
    },
  }
  const process = start(here, {}, { gate, drain: drain.signal })
  expect(await process.end()).toMatchObject({ answered: 3 })
  expect(endings).toEqual(['answered', 'answered', 'answered'])
  expect(here.lane.billed).toEqual(onceEach(3))
  const rest = await here.store.requests.lease(here.run, { after: 0, limit: 10, retryFailed: false })
  expect(rest).toMatchObject({ elsewhere: 0, leases: [{}, {}] })
})

test('submits later docs when no more will come or a batch is full', async () => {
  const here = await scene(1)
  let isFinished = false
  const process = start(
    here,
    { most: { requests: 2, bytes: 1_000_000 } },
    { upstreamFinished: () => Promise.resolve(isFinished) },
  )
  await process.clock.advance(1000)
  expect(here.lane.log).toEqual([])
  await here.store.docs.commit(here.run, 0, [question(1), question(2)], false)
  process.wake.notify()
  for (let step = 0; step < 10; step++) await process.clock.advance(100)
  expect(here.lane.made.map(({ entries }) => entries.length)).toEqual([2])
  isFinished = true
  process.wake.notify()
  expect(await process.end()).toMatchObject({ answered: 3 })
  expect(here.lane.billed).toEqual(onceEach(3))
})
