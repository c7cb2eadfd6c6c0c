import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { StageEvent } from '../../../cache/events.js'
import type { ScoreBody } from '../../../cache/records.js'
import { settleScores } from '../../../stages/judge/settle-scores.js'

const body = (value: number): ScoreBody => ({ outcome: 'scored', values: { acc: value }, extracted: {} })
const never = (): Promise<ScoreBody> => new Promise(() => undefined)
const later = (value: number, ms: number): Promise<ScoreBody> =>
  new Promise(resolve => void setTimeout(resolve, ms, body(value)))

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const quiet = { drain: new AbortController().signal, emit: () => undefined }

test('returns all scores, whether they are ready or arrive later', async () => {
  const scores = settleScores([body(0), later(1, 50), later(2, 10)], quiet)
  await vi.advanceTimersByTimeAsync(50)
  expect(await scores).toEqual([body(0), body(1), body(2)])
})

test('gives up on a pending score when nothing was scored for the whole patience', async () => {
  const events: StageEvent[] = []
  const scores = settleScores([never(), later(1, 9_000), body(2)], {
    ...quiet,
    emit: event => void events.push(event),
    patienceMs: 10_000,
  })
  let isDone = false
  void scores.then(() => (isDone = true))
  await vi.advanceTimersByTimeAsync(18_900)
  expect(isDone).toBe(false)
  await vi.advanceTimersByTimeAsync(200)
  expect(await scores).toEqual([undefined, body(1), body(2)])
  expect(events).toContainEqual({ type: 'wait', what: 'code that scores docs', forMs: 5_000, limitMs: 10_000 })
  expect(events.at(-1)).toEqual({ type: 'wait-ended', what: 'code that scores docs' })
})

test('waits longer than the patience for replies of a judge model', async () => {
  let isAsking = true
  const scores = settleScores([later(1, 95_000)], { ...quiet, patienceMs: 10_000, isAsking: () => isAsking })
  await vi.advanceTimersByTimeAsync(95_000)
  expect(await scores).toEqual([body(1)])
  const given = settleScores([never()], { ...quiet, patienceMs: 10_000, isAsking: () => isAsking })
  await vi.advanceTimersByTimeAsync(30_000)
  isAsking = false
  await vi.advanceTimersByTimeAsync(10_000)
  expect(await given).toEqual([undefined])
})

test('an interruption waits a short time for pending scores', async () => {
  const control = new AbortController()
  const scores = settleScores([never(), later(1, 5_500)], { ...quiet, drain: control.signal })
  await vi.advanceTimersByTimeAsync(5_000)
  control.abort()
  await vi.advanceTimersByTimeAsync(2_600)
  expect(await scores).toEqual([undefined, body(1)])
})

test('throws the error of a score', async () => {
  const scores = settleScores([Promise.reject(new Error('interrupted')), later(1, 5)], quiet)
  const failed = expect(scores).rejects.toThrow('interrupted')
  await vi.advanceTimersByTimeAsync(5)
  await failed
})
