import { expect, onTestFinished, test, vi } from 'vitest'
import { Wake } from '../../../base/time/wake.js'

/** Whether a wait has resolved once all microtasks and immediates that are due have run. */
async function isOver(wait: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  const later = new Promise<symbol>(
    resolve =>
      void setImmediate(() => {
        resolve(pending)
      }),
  )
  return (await Promise.race([wait, later])) !== pending
}

test('remembers a notification that arrives while nobody waits', async () => {
  const wake = new Wake()
  wake.notify()
  expect(await isOver(wake.wait(Infinity))).toBe(true)
})

test('counts many notifications between two waits as one', async () => {
  const wake = new Wake()
  wake.notify()
  wake.notify()
  expect(await isOver(wake.wait(Infinity))).toBe(true)
  const second = wake.wait(Infinity)
  expect(await isOver(second)).toBe(false)
  wake.notify()
  expect(await isOver(second)).toBe(true)
})

test('one notification wakes all waiters', async () => {
  const wake = new Wake()
  const waits = [wake.wait(Infinity), wake.wait(60_000)]
  expect(await Promise.all(waits.map(isOver))).toEqual([false, false])
  wake.notify()
  expect(await Promise.all(waits.map(isOver))).toEqual([true, true])
})

test('a wait ends after its timeout', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const wait = new Wake().wait(1000)
  vi.advanceTimersByTime(999)
  expect(await isOver(wait)).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await isOver(wait)).toBe(true)
})
