import { expect, test } from 'vitest'
import { limiterFor } from '../../../src/model/traffic.js'
import { MemoryData } from '../../support/memory-data.js'
import { MemoryStore } from '../../support/memory-store.js'

const recipient = (key: string) => ({
  identity: { backend: 'openai', args: { model: 'm', base_url: 'https://api.example' } },
  args: { api_key: key },
  concurrency: 4,
  isConcurrencyGiven: true,
})

/** Returns the number of processes that share each stored limit. */
const membersOf = (data: MemoryData): readonly number[] =>
  [...data.values]
    .filter(([name]) => name.startsWith('shared '))
    .map(([, text]) => Object.keys((JSON.parse(text) as { members: object }).members).length)

test('processes with the same key share a limit while they send, and not with another key', async () => {
  const data = new MemoryData()
  const open = (owner: string, key: string) =>
    limiterFor(recipient(key), new MemoryStore(data, owner), new Map()).then(limiter => limiter.join(() => undefined))
  const clients = [await open('a', 'sk-one'), await open('b', 'sk-one'), await open('c', 'sk-two')]
  await expect.poll(() => membersOf(data)).toEqual([2, 1])
  for (const client of clients) client.quit()
  await expect.poll(() => membersOf(data)).toEqual([0, 0])
  expect(JSON.stringify([...data.values])).not.toMatch(/sk-one|sk-two/)
})

test('a model without a server has no shared limit', async () => {
  const data = new MemoryData()
  const local = { ...recipient(''), identity: { backend: 'dummy', args: {} }, args: {} }
  const limiter = await limiterFor(local, new MemoryStore(data, 'a'), new Map())
  limiter.join(() => undefined).quit()
  expect([...data.values]).toEqual([])
})
