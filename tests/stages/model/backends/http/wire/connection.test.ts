import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { AbortListeners } from '../../../../../../stages/model/backends/http/wire/connection.js'

test('a signal has one listener for any number of subscribers, and all of them are notified', () => {
  const { signal, abort } = controlled()
  const listeners = new AbortListeners()
  const heard: number[] = []
  for (let index = 0; index < 100; index++) listeners.add(signal, () => heard.push(index))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  abort()
  expect(heard).toEqual(Array.from({ length: 100 }, (_, index) => index))
})

test('a removed listener is not notified', () => {
  const { signal, abort } = controlled()
  const listeners = new AbortListeners()
  const heard: string[] = []
  const forget = listeners.add(signal, () => heard.push('one'))
  listeners.add(signal, () => heard.push('other'))
  forget()
  abort()
  expect(heard).toEqual(['other'])
})

test('notifies only listeners of the aborted signal', () => {
  const [one, other] = [controlled(), controlled()]
  const listeners = new AbortListeners()
  const heard: string[] = []
  listeners.add(one.signal, () => heard.push('one'))
  listeners.add(other.signal, () => heard.push('other'))
  other.abort()
  expect(heard).toEqual(['other'])
})

function controlled() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}
