import { AttemptError, type Model, type ModelRequest } from '../../stages/model/model.js'
import { inferRun } from '../../stages/model/infer.js'
import type { InferOptions } from '../../stages/model/infer-options.js'
import { retryPolicy } from '../../stages/model/schedule/loop/retry.js'
import { AdaptiveLimiter } from '../../stages/model/schedule/limits/adaptive-limiter.js'
import type { LimiterOptions } from '../../stages/model/schedule/limits/limiter-client.js'
import { controls, InferStore } from './infer-store.js'
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

/** Makes the arguments of `inferRun` beside its store and model: the signals of a process, on a virtual clock. */
export const inferParts = (
  { wake, answered, drain, stop, emit }: ReturnType<typeof controls>,
  clock: VirtualClock,
  concurrency: LimiterOptions['concurrency'] = 2,
): Omit<InferOptions, 'store' | 'run' | 'openModel' | 'upstreamFinished' | 'random'> => ({
  openLimiter: () => Promise.resolve(new AdaptiveLimiter({ concurrency, clock })),
  order: 'none',
  retry: retryPolicy(),
  retryFailed: false,
  wake,
  answered,
  drain: drain.signal,
  stop: stop.signal,
  emit,
  clock,
  stamp: { commit: 'c0ffee' },
})

/** Starts `inferRun` on a store in memory and a virtual clock. */
export function start(
  answer: Model['answer'],
  given: Partial<Omit<InferOptions, 'clock'>> & {
    clock?: VirtualClock
    texts?: readonly string[]
    prepare?: (store: InferStore) => void
    concurrency?: LimiterOptions['concurrency']
  } = {},
) {
  const { texts = ['a', 'b', 'c'], prepare, concurrency = 2, clock = virtualClock(), ...overrides } = given
  const store = new InferStore()
  store.add(...texts)
  prepare?.(store)
  const held = controls()
  const log = { opened: 0, closed: 0 }
  const options: InferOptions = {
    store,
    run: store.run,
    openModel: () => {
      log.opened += 1
      return Promise.resolve({ answer, close: () => Promise.resolve(void (log.closed += 1)) })
    },
    ...inferParts(held, clock, concurrency),
    upstreamFinished: () => Promise.resolve(store.isFinished),
    random: () => 0.5,
    ...overrides,
  }
  return { ...held, store, clock, log, outcome: inferRun(options) }
}

export const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index))
