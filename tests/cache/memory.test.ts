import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { databaseName } from '../../cache/sqlite/connection/database.js'
import { temporaryFolder, temporaryStore } from '../support/store.js'

test('what one process remembers, the next recalls, until it is forgotten', async () => {
  const dir = await temporaryFolder()
  const first = await temporaryStore(dir)
  expect(await first.recall('pace')).toBeUndefined()
  await first.remember('pace', { limit: 12 })
  await first.remember('pace', { limit: 20 })
  const second = await temporaryStore(dir)
  expect(await second.recall('pace')).toEqual({ limit: 20 })
  await second.remember('pace', undefined)
  expect(await first.recall('pace')).toBeUndefined()
})

test('what was damaged is not recalled, and is dropped by a repair', async () => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  await store.remember('pace', { limit: 12 })
  await store.remember('other', 1)
  const db = new Database(join(dir, databaseName))
  db.prepare(`UPDATE memory SET text = '{"limit":99}' WHERE name = 'pace'`).run()
  db.close()
  await expect(store.recall('pace')).rejects.toThrow('damaged record: memory')
  expect((await store.verify({ repair: true })).damaged).toEqual([{ kind: 'memory', name: 'pace' }])
  expect(await store.recall('pace')).toBeUndefined()
  expect(await store.recall('other')).toBe(1)
})
