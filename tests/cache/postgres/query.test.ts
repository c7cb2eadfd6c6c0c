import type { PoolClient } from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeQuery, transact } from '../../../cache/postgres/connection/query.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A connection whose server replies to the first statements only. */
function makeClient(replies: number): { readonly client: PoolClient; readonly sent: string[] } {
  const sent: string[] = []
  const client = {
    query(text: string) {
      sent.push(text)
      return sent.length > replies ? new Promise(() => undefined) : Promise.resolve({ rows: [{ text }] })
    },
  } as unknown as PoolClient
  return { client, sent }
}

test('a statement whose reply comes asks nobody', async () => {
  const isAtWork = vi.fn(() => Promise.resolve(false))
  expect(await makeQuery(makeClient(1).client, isAtWork)('SELECT 1')).toEqual([{ text: 'SELECT 1' }])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(isAtWork).not.toHaveBeenCalled()
})

test('a statement that the server works on is waited for, however long that takes', async () => {
  const answers = [true, true, true, false]
  const query = makeQuery(makeClient(0).client, () => Promise.resolve(answers.shift() === true))
  let ended: unknown
  query('SELECT 1').catch((error: unknown) => (ended = error))
  await vi.advanceTimersByTimeAsync(59_000)
  expect(ended).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(ended).toMatchObject({ code: 'ETIMEDOUT' })
})

test('a transaction on a lost connection ends at once, and sends nothing further', async () => {
  const { client, sent } = makeClient(1)
  const query = makeQuery(client, () => Promise.resolve(false))
  const transaction = transact(query, 'BEGIN', async inside => inside('UPDATE t SET a = 1'))
  const ended = transaction.catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await ended).toMatchObject({ code: 'ETIMEDOUT' })
  expect(sent).toEqual(['BEGIN', 'UPDATE t SET a = 1'])
})

test('an error of a statement in time is the error', async () => {
  const client = { query: () => Promise.reject(new Error('no such table')) } as unknown as PoolClient
  await expect(makeQuery(client, () => Promise.resolve(true))('SELECT 1')).rejects.toThrow('no such table')
})
