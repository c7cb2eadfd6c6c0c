import { expect, test } from 'vitest'
import { SharedWork } from '../../../base/collections/shared-work.js'

/** Work that ends on request. */
function scene() {
  const signals: AbortSignal[] = []
  let over = 0
  let finish: (text: string) => void = () => undefined
  let fail: (error: Error) => void = () => undefined
  const work = new SharedWork<string>(
    stopped => {
      signals.push(stopped)
      return new Promise((resolve, reject) => {
        ;[finish, fail] = [resolve, reject]
      })
    },
    () => (over += 1),
  )
  return {
    work,
    isStopped: () => signals[0]?.aborted === true,
    over: () => over,
    finish: (text: string) => finish(text),
    fail: (error: Error) => fail(error),
  }
}

test('a caller that leaves does not stop the work for the others', async () => {
  const { work, isStopped, over, finish } = scene()
  const leaving = new AbortController()
  const left = work.join(leaving.signal)
  const stays = work.join(new AbortController().signal)
  leaving.abort(new Error('too late'))
  await expect(left).rejects.toThrow('too late')
  expect(isStopped()).toBe(false)
  finish('done')
  expect(await stays).toBe('done')
  expect(over()).toBe(0)
})

test('the work stops when all callers have left, and no new caller can join it', async () => {
  const { work, isStopped, over } = scene()
  const leaving = new AbortController()
  const both = [work.join(leaving.signal), work.join(leaving.signal)]
  leaving.abort(new Error('too late'))
  for (const one of both) await expect(one).rejects.toThrow('too late')
  expect(isStopped()).toBe(true)
  expect(over()).toBe(1)
})

test('a failure reaches all callers, and a later caller starts the work again', async () => {
  const { work, over, fail } = scene()
  const both = [work.join(new AbortController().signal), work.join(new AbortController().signal)]
  fail(new Error('broken'))
  for (const one of both) await expect(one).rejects.toThrow('broken')
  expect(over()).toBe(1)
})
