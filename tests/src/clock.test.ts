import { afterEach, expect, test, vi } from 'vitest'
import { realClock } from '../../src/clock.js'

afterEach(() => void vi.useRealTimers())

test('waits of more than 24 days have the right length and can be cancelled', () => {
  vi.useFakeTimers()
  const day = 86_400_000
  const seen: string[] = []
  realClock.after(60 * day, () => void seen.push('late'))
  const cancel = realClock.after(40 * day, () => void seen.push('never'))
  realClock.after(5, () => void seen.push('soon'))
  vi.advanceTimersByTime(30 * day)
  expect(seen).toEqual(['soon'])
  cancel()
  vi.advanceTimersByTime(30 * day - 1)
  expect(seen).toEqual(['soon'])
  vi.advanceTimersByTime(1)
  expect(seen).toEqual(['soon', 'late'])
})
