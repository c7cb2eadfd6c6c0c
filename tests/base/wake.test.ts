import { expect, test } from 'vitest'
import { Wake } from '../../base/wake.js'

test('a notification while nobody waits is remembered', async () => {
  const wake = new Wake()
  wake.notify()
  await wake.wait(Infinity)
})

test('many notifications between two waits are one', async () => {
  const wake = new Wake()
  wake.notify()
  wake.notify()
  await wake.wait(Infinity)
  let isAwake = false
  const second = wake.wait(Infinity).then(() => void (isAwake = true))
  await new Promise<void>(resolve => void setImmediate(resolve))
  expect(isAwake).toBe(false)
  wake.notify()
  await second
})

test('one notification wakes all that wait', async () => {
  const wake = new Wake()
  const both = Promise.all([wake.wait(Infinity), wake.wait(60_000)])
  wake.notify()
  await both
})

test('a wait ends by itself after its time', async () => {
  await new Wake().wait(1)
})
