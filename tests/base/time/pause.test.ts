import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { pause } from '../../../base/time/pause.js'
import { settle, virtualClock } from '../../support/virtual-clock.js'

test('a pause ends after its time or when a signal aborts, and leaves no listener or timer behind', async () => {
  const clock = virtualClock()
  const [one, other] = [new AbortController(), new AbortController()]
  const signals = [one.signal, other.signal]
  let ended = 0
  const begin = (): void => void pause(100, clock, signals).then(() => (ended += 1))
  const listeners = () => signals.map(signal => getEventListeners(signal, 'abort').length)
  begin()
  await clock.advance(99)
  expect([ended, ...listeners()]).toEqual([0, 1, 1])
  await clock.advance(1)
  expect([ended, ...listeners()]).toEqual([1, 0, 0])
  begin()
  other.abort()
  await settle()
  expect([ended, ...listeners(), clock.pending]).toEqual([2, 0, 0, 0])
  begin()
  await settle()
  expect([ended, ...listeners(), clock.pending]).toEqual([3, 0, 0, 0])
})
