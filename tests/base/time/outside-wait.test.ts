import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { untilAborted, waitOutside, WaitLimitError } from '../../../base/time/outside-wait.js'

const never = <Value>(): Promise<Value> => new Promise(() => undefined)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a wait for an external result', () => {
  test('returns the value and leaves no timer behind', async () => {
    await expect(waitOutside(() => Promise.resolve(7), { what: 'it', limitMs: 1_000 })).resolves.toBe(7)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('ends at its limit with an error that names the wait, and aborts the work', async () => {
    let inside: AbortSignal | undefined
    const wait = waitOutside(signal => ((inside = signal), never()), { what: 'the server', limitMs: 30_000 })
    const ended = expect(wait).rejects.toThrow(new WaitLimitError('the server took longer than 30 s'))
    await vi.advanceTimersByTimeAsync(30_000)
    await ended
    expect(inside?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('ends with the signal, even if it was aborted before', async () => {
    const control = new AbortController()
    const wait = waitOutside(never, { what: 'it', signal: control.signal })
    control.abort()
    await expect(wait).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }) as Error)
    await expect(waitOutside(never, { what: 'it', signal: control.signal })).rejects.toThrow('aborted')
  })

  test('is reported while it takes long and when it has ended', async () => {
    const told: (number | undefined)[] = []
    const onSlow = (forMs: number | undefined): void => void told.push(forMs && Math.round(forMs / 1_000))
    const wait = waitOutside(never, { what: 'it', limitMs: 12_000, onSlow }).catch(() => undefined)
    await vi.advanceTimersByTimeAsync(12_000)
    await wait
    expect(told).toEqual([5, 10, undefined])
    await waitOutside(() => Promise.resolve(1), { what: 'it', onSlow })
    expect(told).toHaveLength(3)
  })
})

describe('values of an aborted source', () => {
  test('arrive until the source ends, and the source is closed if the reader stops early', async () => {
    let isClosed = false
    async function* source(): AsyncGenerator<number> {
      try {
        for (const value of [1, 2, 3]) yield await Promise.resolve(value)
      } finally {
        isClosed = true
      }
    }
    const seen: number[] = []
    for await (const value of untilAborted(source(), { what: 'it' })) seen.push(value)
    expect(seen).toEqual([1, 2, 3])
    isClosed = false
    for await (const value of untilAborted(source(), { what: 'it' })) if (value === 1) break
    expect(isClosed).toBe(true)
  })

  test('end with the signal while the source sends nothing', async () => {
    async function* source(): AsyncGenerator<number> {
      yield 1
      await never()
    }
    const control = new AbortController()
    const seen: number[] = []
    const reading = (async () => {
      for await (const value of untilAborted(source(), { what: 'it', signal: control.signal })) {
        seen.push(value)
        setTimeout(() => control.abort(), 1_000)
      }
    })()
    const ended = expect(reading).rejects.toThrow('aborted')
    await vi.advanceTimersByTimeAsync(1_000)
    await ended
    expect(seen).toEqual([1])
  })
})
