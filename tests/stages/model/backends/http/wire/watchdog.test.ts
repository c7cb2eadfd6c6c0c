import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Watchdog } from '../../../../../../stages/model/backends/http/wire/watchdog.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watch() {
  const strikes: string[] = []
  return { strikes, dog: new Watchdog({ timeoutMs: 60_000, stallMs: 1_000 }, why => strikes.push(why)) }
}

test('lets a slow answer continue until the deadline while bytes arrive', () => {
  const { strikes, dog } = watch()
  dog.expect('answer')
  for (let second = 0; second < 59; second++) {
    vi.advanceTimersByTime(999)
    dog.progress()
  }
  expect(strikes).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(strikes).toEqual(['no byte of the answer moved for 1 s'])
})

test('aborts a stalled answer once, long before the deadline', () => {
  const { strikes, dog } = watch()
  dog.expect('answer')
  vi.advanceTimersByTime(999)
  expect(strikes).toEqual([])
  vi.advanceTimersByTime(120_000)
  expect(strikes).toEqual(['no byte of the answer moved for 1 s'])
})

test('waits until the deadline for a server that is computing', () => {
  const { strikes, dog } = watch()
  dog.expect('request')
  dog.relax()
  dog.progress()
  vi.advanceTimersByTime(59_999)
  expect(strikes).toEqual([])
  vi.advanceTimersByTime(1)
  expect(strikes).toEqual(['no answer within 60 s'])
})

test('waits five times as long for the first byte', () => {
  const { strikes, dog } = watch()
  dog.expect('answer', 'in time')
  vi.advanceTimersByTime(4_999)
  expect(strikes).toEqual([])
  dog.expect('answer')
  vi.advanceTimersByTime(1_000)
  expect(strikes).toEqual(['no byte of the answer moved for 1 s'])
})

test('aborts nothing after the end', () => {
  const { strikes, dog } = watch()
  dog.expect('answer')
  dog.end()
  vi.advanceTimersByTime(120_000)
  expect(strikes).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})
