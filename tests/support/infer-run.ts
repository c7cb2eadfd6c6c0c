import { AttemptError, type Model, type ModelRequest } from '../../stages/model/define-backend.js'
import { inferRun, type InferOptions } from '../../stages/model/infer.js'
import { retryPolicy } from '../../stages/model/schedule/retry.js'
import { Traffic, type TrafficOptions } from '../../stages/model/schedule/traffic.js'
import { controls, MemoryStore, someRun } from './memory-store.js'
import { virtualClock, type VirtualClock } from './virtual-clock.js'

export const echo = (request: ModelRequest) => {
  const part = request.input.messages[0]!.content[0]!
  return part.type === 'text' ? part.text : ''
}
export const answerWith = (text: string) => ({ body: { text, finishReason: 'stop' as const } })
export const failWith = (name: 'server' | 'rate_limited' | 'invalid_request', retryAfter?: number) =>
  new AttemptError(name, `failed as ${name}`, {
    isRetryable: name !== 'invalid_request',
    ...(retryAfter === undefined ? {} : { retryAfter }),
  })

/** One call of `inferRun` on a store in memory and a virtual clock. */
export function start(
  answer: Model['answer'],
  given: Partial<Omit<InferOptions, 'clock'>> & {
    clock?: VirtualClock
    texts?: readonly string[]
    prepare?: (store: MemoryStore) => void
    concurrency?: TrafficOptions['concurrency']
  } = {},
) {
  const { texts = ['a', 'b', 'c'], prepare, concurrency = 2, clock = virtualClock(), ...overrides } = given
  const store = new MemoryStore()
  store.add(...texts)
  prepare?.(store)
  const held = controls()
  const log = { opened: 0, closed: 0 }
  const options: InferOptions = {
    store,
    run: someRun,
    openModel: () => {
      log.opened += 1
      return Promise.resolve({ answer, close: () => Promise.resolve(void (log.closed += 1)) })
    },
    openTraffic: () => Promise.resolve(new Traffic({ concurrency, clock })),
    order: 'none',
    retry: retryPolicy(),
    retryFailed: false,
    upstreamFinished: () => Promise.resolve(store.isFinished),
    wake: held.wake,
    answered: held.answered,
    drain: held.drain.signal,
    stop: held.stop.signal,
    emit: held.emit,
    clock,
    random: () => 0.5,
    stamp: { commit: 'c0ffee' },
    ...overrides,
  }
  return { ...held, store, clock, log, outcome: inferRun(options) }
}

export const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))
