import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import { loadUserCode } from '../../../cache/code/load-user-code.js'
import { Budget, type Stop } from '../../../stages/model/budget/budget.js'
import type { Gate } from '../../../stages/model/budget/gate.js'
import { AttemptError, type Model, type ModelRequest } from '../../../stages/model/model.js'
import { retryPolicy } from '../../../stages/model/schedule/loop/retry.js'
import type { LimiterState } from '../../../stages/model/schedule/limits/limiter-client.js'
import { answerWith, echo, failWith, numbers, start } from '../../support/infer-run.js'
import { temporaryFolder } from '../../support/store.js'
import { settle, virtualClock } from '../../support/virtual-clock.js'

/** A model whose answers arrive on request of the test. */
function manualModel() {
  const waiting: { request: ModelRequest; answer: () => void }[] = []
  let most = 0
  const answer: Model['answer'] = (request, signal) =>
    new Promise((resolve, reject) => {
      const entry = {
        request,
        answer: () => {
          waiting.splice(waiting.indexOf(entry), 1)
          resolve(answerWith(echo(request)))
        },
      }
      waiting.push(entry)
      most = Math.max(most, waiting.length)
      signal.addEventListener('abort', () => reject(new Error('aborted')))
    })
  return { answer, waiting, most: () => most }
}

test('stores the answer to every pending request with its time, duration and code', async () => {
  const run = start(async request => Promise.resolve(answerWith(echo(request))))
  expect(await run.outcome).toEqual({ ended: 'finished', answered: 3, failed: 0 })
  expect([...run.store.responses.values()].map(({ body }) => body.text)).toEqual(['a', 'b', 'c'])
  expect(run.store.responses.get(1)!.meta).toEqual({
    timing: { queueMs: 0 },
    durationMs: 0,
    attempts: 1,
    answeredAt: 1_700_000_000_000,
    commit: 'c0ffee',
  })
  expect(run.log).toEqual({ opened: 1, closed: 1 })
})

test.each([
  ['a text', {}, 'body.text, a text (empty for log-likelihoods)'],
  ['a reason of its end', { text: 'a' }, 'body.finishReason, one of stop, length, content_filter, tool_calls, unknown'],
  ['a known reason of its end', { text: 'a', finishReason: 'done' }, 'body.finishReason, one of stop'],
])('an answer without %s ends the run and is not stored', async (_what, body, lacking) => {
  const run = start(() => Promise.resolve({ body } as Awaited<ReturnType<Model['answer']>>))
  await expect(run.outcome).rejects.toThrow(`the model backend dummy answered generate_until without ${lacking}`)
  expect(run.store.responses.size).toBe(0)
})

test('a model whose close fails is told, and the answers count', async () => {
  const close = (): Promise<void> => {
    throw new Error('no such session')
  }
  const answer: Model['answer'] = request => Promise.resolve(answerWith(echo(request)))
  const run = start(answer, { openModel: () => Promise.resolve({ answer, close }) })
  expect(await run.outcome).toEqual({ ended: 'finished', answered: 3, failed: 0 })
  expect(run.events).toContainEqual({
    type: 'note',
    text: 'close of the model backend dummy failed: no such session (no answer is lost)',
  })
})

test('does not open the model if nothing is pending', async () => {
  const run = start(() => Promise.reject(new Error('not asked')), { texts: [] })
  expect(await run.outcome).toEqual({ ended: 'finished', answered: 0, failed: 0 })
  expect(run.log.opened).toBe(0)
})

test('frees a slot when the answer is committed, and counts the answer when it is durable', async () => {
  const model = manualModel()
  const run = start(model.answer, { texts: numbers(3), concurrency: 1 })
  let isDurable = (): void => undefined
  run.store.disk = new Promise(resolve => (isDurable = resolve))
  await settle()
  model.waiting[0]!.answer()
  await settle()
  expect(model.waiting.map(({ request }) => echo(request))).toEqual(['1'])
  const answered = () => run.events.filter(({ type }) => type === 'answered').length
  expect(answered()).toBe(0)
  while (model.waiting.length > 0) {
    model.waiting[0]!.answer()
    await settle()
  }
  expect({ answered: answered(), most: model.most() }).toEqual({ answered: 0, most: 1 })
  isDurable()
  expect(await run.outcome).toEqual({ ended: 'finished', answered: 3, failed: 0 })
  expect(answered()).toBe(3)
})

test('refills a free slot at once, and never uses more slots than allowed', async () => {
  const model = manualModel()
  const run = start(model.answer, { texts: numbers(7), concurrency: 3 })
  await settle()
  expect(model.waiting).toHaveLength(3)
  model.waiting[1]!.answer()
  await settle()
  expect(model.waiting.map(({ request }) => echo(request))).toEqual(['0', '2', '3'])
  while (model.waiting.length > 0) {
    model.waiting[0]!.answer()
    await settle()
  }
  await run.outcome
  expect(model.most()).toBe(3)
})

test('holds a slot until the answer is committed', async () => {
  const run = start(request => Promise.resolve(answerWith(echo(request))), { texts: numbers(5), concurrency: 2 })
  const commits: (() => void)[] = []
  const commit = run.store.requests.commitResponse.bind(run.store.requests)
  run.store.requests.commitResponse = async (...args) => {
    await new Promise<void>(resolve => commits.push(resolve))
    return commit(...args)
  }
  await settle()
  expect(commits).toHaveLength(2)
  expect(run.events.filter(event => event.type === 'answered')).toEqual([])
  while (commits.length > 0) {
    commits.shift()!()
    await settle()
    expect(commits.length).toBeLessThanOrEqual(2)
  }
  expect((await run.outcome).answered).toBe(5)
})

test('a request that waits for a retry holds no slot', async () => {
  const seen: string[] = []
  const run = start(
    request => {
      seen.push(echo(request))
      return echo(request) === 'a' && seen.filter(text => text === 'a').length === 1
        ? Promise.reject(failWith('server'))
        : Promise.resolve(answerWith(echo(request)))
    },
    { concurrency: 1 },
  )
  await settle()
  await settle()
  expect(seen).toEqual(['a', 'b', 'c'])
  await run.clock.advance(250)
  expect(await run.outcome).toEqual({ ended: 'finished', answered: 3, failed: 0 })
  expect(run.store.responses.get(1)!.meta.attempts).toBe(2)
  expect(run.events).toContainEqual({ type: 'request-retried', class: 'server', waitMs: 250 })
})

test('stores the failure after the last attempt, with its class and number of attempts', async () => {
  const run = start(() => Promise.reject(new TypeError('boom')), { texts: ['a'], retry: retryPolicy(3) })
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 0, failed: 1 })
  expect(run.store.failures.get(1)).toEqual({ class: 'server', message: 'boom', attempts: 3 })
  expect(run.store.responses.size).toBe(0)
})

test('does not retry a failure that a retry would repeat', async () => {
  let asked = 0
  const run = start(
    () => {
      asked += 1
      return Promise.reject(failWith('invalid_request'))
    },
    { texts: ['a'] },
  )
  await run.outcome
  expect(asked).toBe(1)
})

test("does not retry a mistake in a plugin's code, and names its line", async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, 'mine.ts'), 'export const textOf = (body: { a?: { b: string } }): string => body.a!.b\n')
  await loadUserCode(join(folder, 'mine.ts'), { cacheDir: join(folder, 'cache') })
  const compiled = join(folder, 'cache', (await readdir(join(folder, 'cache')))[0] ?? '')
  const lines = (await readFile(compiled, 'utf8')).split('\n')
  const line = lines.findIndex(text => text.includes('body.a.b'))
  // The stack as Node writes it without source maps.
  const frame = `${pathToFileURL(compiled).href}:${line + 1}:${(lines[line] ?? '').indexOf('.b') + 2}`
  const broken = Object.assign(new TypeError('no b'), { stack: `TypeError: no b\n    at textOf (${frame})` })
  const run = start(() => Promise.reject(broken), { texts: ['a'], retry: retryPolicy(3) })
  await run.clock.runUntil(run.outcome)
  expect(run.store.failures.get(1)).toEqual({
    class: 'invalid_request',
    message: expect.stringMatching(/^the code of a plugin or task failed at mine\.ts:1:\d+: no b$/) as string,
    attempts: 1,
  })
})

test('starts no request before the time that the server names', async () => {
  const asked: number[] = []
  const run = start(
    request => {
      asked.push(run.clock.now())
      return asked.length === 1
        ? Promise.reject(failWith('rate_limited', 7_000))
        : Promise.resolve(answerWith(echo(request)))
    },
    { texts: numbers(4), concurrency: 1 },
  )
  await run.clock.runUntil(run.outcome)
  expect(asked[0]).toBe(0)
  expect(Math.min(...asked.slice(1))).toBe(7_000)
})

test('does not send all requests at once to a server that rejects all', async () => {
  const seen = new Set<string>()
  const run = start(
    request => {
      seen.add(echo(request))
      return Promise.reject(failWith('server'))
    },
    { texts: numbers(1000), concurrency: 2 },
  )
  await settle()
  await settle()
  expect(seen.size).toBeLessThan(20)
  run.stop.abort()
  await run.clock.runUntil(run.outcome)
})

test('draining finishes requests in flight, starts none, and releases the rest', async () => {
  const model = manualModel()
  const run = start(model.answer, { texts: numbers(9), concurrency: 2 })
  await settle()
  run.drain.abort()
  await settle()
  model.waiting[0]!.answer()
  await settle()
  expect(model.waiting).toHaveLength(1)
  model.waiting[0]!.answer()
  expect(await run.outcome).toEqual({ ended: 'drained', answered: 2, failed: 0 })
  expect(run.store.leased.size).toBe(0)
  expect(run.clock.pending).toBe(0)
  expect(run.log.closed).toBe(1)
})

test('draining releases requests that wait for a retry, without a failure', async () => {
  const run = start(() => Promise.reject(failWith('server')), { texts: ['a'] })
  await settle()
  run.drain.abort()
  expect(await run.outcome).toEqual({ ended: 'drained', answered: 0, failed: 0 })
  expect([run.store.leased.size, run.store.failures.size, run.clock.pending]).toEqual([0, 0, 0])
})

test('stopping aborts requests in flight, without a failure', async () => {
  const model = manualModel()
  const run = start(model.answer, { texts: numbers(9), concurrency: 2 })
  await settle()
  run.stop.abort()
  expect(await run.outcome).toEqual({ ended: 'stopped', answered: 0, failed: 0 })
  expect([run.store.leased.size, run.store.failures.size, run.clock.pending]).toEqual([0, 0, 0])
})

test('leaves a model behind that ignores a stop', async () => {
  const run = start(() => new Promise(() => undefined), { texts: ['a'] })
  await settle()
  run.stop.abort()
  expect((await run.clock.runUntil(run.outcome)).ended).toBe('stopped')
  expect(run.clock.now()).toBe(1_000)
  expect(run.log.closed).toBe(0)
})

test.each(['commitResponse', 'commitFailure', 'lease'] as const)(
  'an error of the store in %s ends the run',
  async method => {
    const run = start(
      request =>
        echo(request) === 'b' ? Promise.reject(failWith('invalid_request')) : Promise.resolve(answerWith('x')),
      {
        texts: [...numbers(3), 'b'],
        prepare: store =>
          void Object.assign(store.requests, { [method]: () => Promise.reject(new Error('disk full')) }),
      },
    )
    await expect(run.outcome).rejects.toThrow('disk full')
    expect(run.clock.pending).toBe(0)
  },
)

test('a model that cannot be opened ends the run and releases its leases', async () => {
  const run = start(() => Promise.reject(new Error('not asked')), {
    openModel: () => Promise.reject(new Error('no such file')),
  })
  await expect(run.outcome).rejects.toThrow('no such file')
  expect(run.store.leased.size).toBe(0)
})

test('a configuration error ends the run without failing requests', async () => {
  const run = start(() => Promise.reject(new PipelineError('config', 'the server gives no log-probabilities')))
  await expect(run.outcome).rejects.toThrow('the server gives no log-probabilities')
  expect(run.store.leased.size).toBe(0)
  expect(run.store.failures.size).toBe(0)
})

test('sends items that are committed meanwhile, and ends when no more will come', async () => {
  const run = start(request => Promise.resolve(answerWith(echo(request))), {
    texts: [],
    prepare: store => void (store.isFinished = false),
  })
  await settle()
  run.store.add('late')
  run.wake.notify()
  await settle()
  await settle()
  expect(run.store.responses.size).toBe(1)
  run.store.isFinished = true
  run.wake.notify()
  expect((await run.outcome).answered).toBe(1)
})

test('finds items that another process commits soon', async () => {
  const run = start(request => Promise.resolve(answerWith(echo(request))), {
    texts: [],
    prepare: store => void (store.isFinished = false),
  })
  await settle()
  run.store.changeFromOutside(() => {
    run.store.add('from elsewhere')
    run.store.isFinished = true
  })
  expect((await run.clock.runUntil(run.outcome)).answered).toBe(1)
  expect(run.clock.now()).toBeLessThanOrEqual(100)
})

test('sends requests leased by a dead process once it is known to be dead', async () => {
  const run = start(request => Promise.resolve(answerWith(echo(request))), {
    texts: ['mine', 'theirs'],
    prepare: store => store.leaseElsewhere(2),
  })
  await run.clock.advance(2_000)
  expect([...run.store.responses.keys()]).toEqual([1])
  run.store.releaseElsewhere()
  expect((await run.clock.runUntil(run.outcome)).answered).toBe(2)
})

test('leases only a few more requests than it sends', async () => {
  const model = manualModel()
  const run = start(model.answer, { texts: numbers(5_000), concurrency: 8 })
  await settle()
  expect(run.store.mostLeased).toBeLessThanOrEqual(40)
  run.stop.abort()
  await run.outcome
})

test('notifies the judge of each answer', async () => {
  const run = start(request => Promise.resolve(answerWith(echo(request))), { texts: ['a'] })
  await run.answered.wait(Infinity)
  expect(run.store.responses.size).toBe(1)
  await run.outcome
})

test('stores an answer with its bytes and its times for queue, retries, connection and first token', async () => {
  let asked = 0
  const run = start(
    async (_request, _signal, watch) => {
      const after = (ms: number) => new Promise<void>(resolve => void run.clock.after(ms, resolve))
      asked += 1
      if (asked === 1) throw failWith('server')
      await after(30)
      watch?.({ type: 'connected', isReused: false })
      watch?.({ type: 'sent', bytes: 500 })
      await after(70)
      watch?.({ type: 'first-token' })
      watch?.({ type: 'received', bytes: 20 })
      await after(100)
      watch?.({ type: 'received', bytes: 5 })
      return answerWith('x')
    },
    { texts: ['a'] },
  )
  await run.clock.runUntil(run.outcome)
  expect(run.store.responses.get(1)!.meta).toMatchObject({
    timing: { queueMs: 0, connectMs: 30, firstTokenMs: 100, sentBytes: 500, receivedBytes: 25, retryWaitMs: 250 },
    durationMs: 200,
    attempts: 2,
  })
})

test('asks the gate before each attempt and reports each outcome to it', async () => {
  const endings: string[] = []
  let open = 0
  let failed = false
  const gate: Gate = {
    admit: () => {
      if (open > 0) return undefined
      open += 1
      return ending => {
        open -= 1
        endings.push(ending.type)
      }
    },
  }
  const run = start(
    request => {
      if (failed) return Promise.resolve(answerWith(echo(request)))
      failed = true
      return Promise.reject(failWith('server'))
    },
    { texts: numbers(3), gate, concurrency: 3 },
  )
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 3, failed: 0 })
  expect(endings.sort()).toEqual(['answered', 'answered', 'answered', 'failed'])
})

test('releases requests that a gate holds back when the loop is drained', async () => {
  const run = start(() => Promise.reject(new Error('not asked')), { gate: { admit: () => undefined } })
  await settle()
  run.drain.abort()
  expect((await run.outcome).ended).toBe('drained')
  expect([run.store.leased.size, run.clock.pending]).toEqual([0, 0])
})

test('no request is lost at a server that admits few, however often it rejects', async () => {
  let admitted = 0
  let window = -1
  const run = start(
    request => {
      const now = Math.floor(run.clock.now() / 1_000)
      if (now !== window) admitted = 0
      window = now
      admitted += 1
      return admitted <= 2
        ? Promise.resolve(answerWith(echo(request)))
        : Promise.reject(failWith('rate_limited', 1_000 - (run.clock.now() % 1_000)))
    },
    { texts: numbers(40), concurrency: 8, retry: retryPolicy(2) },
  )
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 40, failed: 0 })
  const metas = [...run.store.responses.values()].map(({ meta }) => meta)
  const throttled = metas.reduce((sum, { timing }) => sum + (timing?.throttled ?? 0), 0)
  expect(throttled).toBeGreaterThan(2)
  expect(metas.reduce((sum, { attempts }) => sum + attempts, 0)).toBe(40 + throttled)
  expect(run.clock.now()).toBeLessThan(60_000)
})

test('gives up a request that is rate limited while others are answered', async () => {
  const run = start(
    request =>
      echo(request) === 'large'
        ? Promise.reject(failWith('rate_limited'))
        : new Promise(resolve => void run.clock.after(500, () => resolve(answerWith(echo(request))))),
    { texts: ['large', ...numbers(400)], concurrency: 2 },
  )
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 400, failed: 1 })
  expect(run.store.failures.get(1)).toMatchObject({ class: 'rate_limited' })
})

test('gives up on a server that admits nothing for long', async () => {
  const run = start(() => Promise.reject(failWith('rate_limited')), { texts: numbers(30), concurrency: 4 })
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 0, failed: 30 })
  expect(run.clock.now()).toBeGreaterThanOrEqual(90_000)
  expect(run.clock.now()).toBeLessThan(600_000)
})

const nobody = () =>
  new AttemptError('server', 'http://h: nobody listens there', { isRetryable: true, isUnreachable: true })

test('while the server is unreachable, one request probes, the others wait, and no attempt is used up', async () => {
  let isAway = false
  const asked: number[] = []
  const run = start(
    async request => {
      asked.push(run.clock.now())
      if (isAway) throw nobody()
      await new Promise<void>(resolve => void run.clock.after(100, resolve))
      return answerWith(echo(request))
    },
    { texts: numbers(60), concurrency: 8, retry: retryPolicy(1) },
  )
  await run.clock.advance(250)
  isAway = true
  await run.clock.advance(12_000)
  const meanwhile = asked.filter(at => at > 300)
  expect(meanwhile.length).toBeGreaterThan(3)
  expect(meanwhile.length).toBeLessThan(8)
  expect(run.events.findLast(event => event.type === 'pace')).toMatchObject({
    standstill: { why: 'outage', message: 'http://h: nobody listens there' },
  })
  isAway = false
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 60, failed: 0 })
  expect([...run.store.responses.values()].map(({ meta }) => meta.attempts)).toEqual(Array(60).fill(1))
  expect(run.events.filter(event => event.type === 'request-retried')).toEqual([])
  expect(run.clock.now()).toBeLessThan(20_000)
})

test('a server that accepts connections again gets all requests, even if the first answer takes long', async () => {
  const asked: number[] = []
  let isAway = true
  const run = start(
    async (request, _signal, watch) => {
      asked.push(run.clock.now())
      if (isAway) throw nobody()
      watch?.({ type: 'connected', isReused: false })
      await new Promise<void>(resolve => void run.clock.after(60_000, resolve))
      return answerWith(echo(request))
    },
    { texts: numbers(8), concurrency: 8 },
  )
  await run.clock.advance(100)
  isAway = false
  await run.clock.advance(2_000)
  expect(asked.length).toBe(8 + 8)
  expect((await run.clock.runUntil(run.outcome)).answered).toBe(8)
})

test('a wait of more than a quarter of an hour stops the run and keeps unsent requests pending', async () => {
  const clock = virtualClock()
  const drain = new AbortController()
  const stops: Stop[] = []
  const budget = new Budget({
    limits: {},
    say: String,
    clock,
    onStop: stop => {
      stops.push(stop)
      drain.abort()
    },
  })
  const run = start(() => Promise.reject(failWith('rate_limited', 3_600_000)), {
    clock,
    texts: numbers(20),
    concurrency: 2,
    gate: budget.gate(),
    drain: drain.signal,
  })
  expect(await run.clock.runUntil(run.outcome)).toMatchObject({ ended: 'drained', answered: 0 })
  expect(stops).toEqual([{ why: 'away', message: 'failed as rate_limited (the server asks to wait 60 min)' }])
  expect(run.store.failures.size).toBeLessThanOrEqual(2)
  expect(run.clock.now()).toBeLessThan(1_000)
})

test('status 503 with a retry time does not use up an attempt', async () => {
  let limited = 0
  const run = start(
    request =>
      ++limited <= 5 ? Promise.reject(failWith('server', 1_000)) : Promise.resolve(answerWith(echo(request))),
    { texts: ['a'], concurrency: 1, retry: retryPolicy(2) },
  )
  expect(await run.clock.runUntil(run.outcome)).toEqual({ ended: 'finished', answered: 1, failed: 0 })
  const again = run.events.filter(event => event.type === 'request-retried')
  expect(again.every(event => event.isThrottled === true)).toBe(true)
})

test('reports the speed during a run and stores it at its end', async () => {
  const kept: LimiterState[] = []
  const run = start(
    request => new Promise(resolve => void run.clock.after(100, () => resolve(answerWith(echo(request))))),
    {
      texts: numbers(200),
      concurrency: { start: 2, min: 1, max: 8 },
      keepLimiter: state => Promise.resolve(void kept.push(state)),
    },
  )
  await run.clock.runUntil(run.outcome)
  const paces = run.events.filter(event => event.type === 'pace')
  expect(paces.map(({ concurrency }) => concurrency).slice(0, 4)).toEqual([2, 2, 4, 8])
  expect(kept.at(-1)).toEqual({ concurrency: { value: 8 } })
})

test('a run whose remaining requests another process holds names the process and their number', async () => {
  const run = start(request => Promise.resolve(answerWith(echo(request))), {
    texts: numbers(5),
    prepare: store => store.leaseElsewhere(4, 5),
  })
  await run.clock.advance(30_000)
  const standstill = run.events.findLast(event => event.type === 'pace')?.standstill
  expect(standstill).toMatchObject({ why: 'others', holders: [{ pid: 7, items: 2 }] })
  expect(standstill!.forMs).toBeGreaterThan(25_000)
  run.store.changeFromOutside(() => run.store.releaseElsewhere())
  expect(await run.clock.runUntil(run.outcome)).toMatchObject({ ended: 'finished', answered: 5 })
})

test('a process that was suspended for long does not send requests that another process took over', async () => {
  const asked: string[] = []
  const run = start(
    async request => {
      asked.push(echo(request))
      await new Promise<void>(resolve => void run.clock.after(100, resolve))
      return answerWith(echo(request))
    },
    { texts: numbers(6), concurrency: 2 },
  )
  await run.clock.advance(50)
  run.store.changeFromOutside(() => run.store.leaseElsewhere(3, 4, 5))
  await run.clock.advance(1_000)
  expect(asked).toEqual(['0', '1', '5'])
  run.store.changeFromOutside(() => run.store.releaseElsewhere())
  expect(await run.clock.runUntil(run.outcome)).toMatchObject({ ended: 'finished', answered: 6 })
  expect(asked).toHaveLength(6)
})
