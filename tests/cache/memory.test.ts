import Database from 'better-sqlite3'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { databaseName } from '../../cache/sqlite/connection/database.js'
import { temporaryFolder, temporaryStore } from '../support/store.js'

test('a value that one process stores is read by the next until it is removed', async () => {
  const dir = await temporaryFolder()
  const first = await temporaryStore(dir)
  expect(await first.values.get('pace')).toBeUndefined()
  await first.values.set('pace', { limit: 12 })
  await first.values.set('pace', { limit: 20 })
  const second = await temporaryStore(dir)
  expect(await second.values.get('pace')).toEqual({ limit: 20 })
  await second.values.set('pace', undefined)
  expect(await first.values.get('pace')).toBeUndefined()
})

test('ignores a damaged value, and a repair drops it', async () => {
  const dir = await temporaryFolder()
  const store = await temporaryStore(dir)
  await store.values.set('pace', { limit: 12 })
  await store.values.set('other', 1)
  const db = new Database(join(dir, databaseName))
  db.prepare(`UPDATE memory SET text = '{"limit":99}' WHERE name = 'pace'`).run()
  db.close()
  await expect(store.values.get('pace')).rejects.toThrow('damaged record: memory')
  expect((await store.upkeep.verify({ repair: true })).damaged).toEqual([{ kind: 'memory', name: 'pace' }])
  expect(await store.values.get('pace')).toBeUndefined()
  expect(await store.values.get('other')).toBe(1)
})
