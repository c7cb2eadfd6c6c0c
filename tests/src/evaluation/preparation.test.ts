import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PipelineError } from '../../../base/errors/errors.js'
import type { StageEvent } from '../../../cache/events.js'
import { awaitPreparation } from '../../../src/evaluation/preparation.js'
import { abortBecause } from '../../../src/evaluation/stopping/why-stopped.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = (): Promise<never> => new Promise(() => undefined)

function preparing() {
  const [drain, stop, time] = [new AbortController(), new AbortController(), new AbortController()]
  const events: StageEvent[] = []
  const hooks = { emit: (event: StageEvent) => void events.push(event), drain: drain.signal, stop: stop.signal }
  const stopped = { why: 'budget', limit: 'milliseconds', message: '--max-time 4 s: time is up' } as const
  const spending = { docsOver: time.signal, stopped }
  return { drain, stop, time, events, options: { what: 'the docs of mme to be opened', hooks, spending } }
}

test('returns the result of the step', async () => {
  expect(await awaitPreparation(() => Promise.resolve(5), preparing().options)).toBe(5)
})

test('passes on the error of the step', async () => {
  const failing = awaitPreparation(() => Promise.reject(new Error('no file')), preparing().options)
  await expect(failing).rejects.toThrow('no file')
})

test('reports a long wait', async () => {
  const { events, options } = preparing()
  void awaitPreparation(never, options)
  await vi.advanceTimersByTimeAsync(6_000)
  expect(events).toMatchObject([{ type: 'wait', what: 'the docs of mme to be opened' }])
})

test.each(['drain', 'stop'] as const)('leaves a step behind that never ends, at the signal %s', async signal => {
  const { options, ...controllers } = preparing()
  const waiting = awaitPreparation(never, options)
  const rejected = expect(waiting).rejects.toMatchObject({ name: 'AbortError', message: 'Ctrl-C' })
  controllers[signal].abort(abortBecause('Ctrl-C'))
  await vi.advanceTimersByTimeAsync(2_000)
  await rejected
})

test('reports the end of --max-time and what it waited for', async () => {
  const { time, options } = preparing()
  const waiting = awaitPreparation(never, options)
  const rejected = Promise.all([
    expect(waiting).rejects.toBeInstanceOf(PipelineError),
    expect(waiting).rejects.toThrow('--max-time 4 s: time is up while the command waited for the docs of mme'),
  ])
  time.abort()
  await vi.advanceTimersByTimeAsync(2_000)
  await rejected
})

test('gives a step a moment to end, and returns its result', async () => {
  const { drain, options } = preparing()
  const step = (): Promise<string> => new Promise(resolve => setTimeout(resolve, 1_000, 'read'))
  const waiting = awaitPreparation(step, options)
  drain.abort(abortBecause('Ctrl-C'))
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await waiting).toBe('read')
})

test('closes a result that comes too late', async () => {
  const { drain, options } = preparing()
  const late: string[] = []
  const discard = (value: string): Promise<void> => {
    late.push(value)
    return Promise.resolve()
  }
  const step = (): Promise<string> => new Promise(resolve => setTimeout(resolve, 9_000, 'plan'))
  const waiting = awaitPreparation(step, { ...options, discard })
  const rejected = expect(waiting).rejects.toThrow('Ctrl-C')
  drain.abort(abortBecause('Ctrl-C'))
  await vi.advanceTimersByTimeAsync(9_000)
  await rejected
  expect(late).toEqual(['plan'])
})
