import { cp, open } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import { databaseName } from '../../../../cache/sqlite/connection/schema.js'
import type { NewLabel } from '../../../../cache/records.js'
import type { Store } from '../../../../cache/store.js'
import { verifyStore } from '../../../../cache/open.js'
import { inStore } from '../../../support/line.js'
import { allOf } from '../../../support/store-conformance/scene.js'
import { temporaryFolder, testRun } from '../../../support/store.js'

const label: NewLabel = {
  ...{ record: sha256<'judge-record'>('r'), answers: sha256<'answers'>('a'), label: 'right', note: 'It counts.' },
  ...{ author: 'Ada', run: 'calm-heron-19c2', task: 't', doc: '1' },
}

/** A store with three labels of one author and two tags. */
async function filledStore(): Promise<string> {
  const dir = join(await temporaryFolder(), 'sound')
  await inStore(dir, async store => {
    await store.labels.merge([
      { ...label, at: 1 },
      { ...label, at: 2, label: null, note: '' },
      { ...label, at: 3, label: 'unclear' },
    ])
    await store.runs.tag(await testRun(store), { add: ['baseline', 'paper'] })
  })
  return dir
}

const contentOf = async (store: Store) => ({
  labels: await allOf(store.labels.list()),
  tags: [...(await store.runs.tags()).values()].flat(),
})

function change(dir: string, sql: string): void {
  const db = new Database(join(dir, databaseName))
  db.pragma('foreign_keys = OFF')
  db.exec(sql)
  db.close()
}

const labelChanges = ['record', 'answers', 'note', 'author', 'run', 'task', 'doc', 'label'].map(
  column => `UPDATE label SET ${column} = 'wrong' WHERE id = 2`,
)
const tagChanges = ["UPDATE run_tag SET tag = 'best' WHERE id = 1", 'UPDATE run_tag SET run = 7 WHERE id = 1']

test.each([...labelChanges, 'UPDATE label SET at = 9 WHERE id = 2'])(
  'hides a damaged label, and a repair drops it alone: %s',
  async sql => {
    const dir = await filledStore()
    const before = await inStore(dir, contentOf)
    change(dir, sql)
    await inStore(dir, async store => {
      await expect(allOf(store.labels.list())).rejects.toThrow('damaged record: label 2')
      expect((await store.upkeep.verify({ repair: false })).damaged).toMatchObject([{ kind: 'label' }])
      await store.upkeep.verify({ repair: true })
      expect((await store.upkeep.verify({ repair: false })).damaged).toEqual([])
      expect(await contentOf(store)).toEqual({ ...before, labels: before.labels.filter(({ id }) => id !== 2) })
    })
  },
)

test.each(tagChanges)('hides a damaged tag, and a repair drops it alone: %s', async sql => {
  const dir = await filledStore()
  const before = await inStore(dir, contentOf)
  change(dir, sql)
  await inStore(dir, async store => {
    await expect(store.runs.tags()).rejects.toThrow('damaged record: run_tag 1')
    expect((await store.upkeep.verify({ repair: false })).damaged).toMatchObject([{ kind: 'run_tag' }])
    await store.upkeep.verify({ repair: true })
    expect(await contentOf(store)).toEqual({ ...before, tags: ['paper'] })
  })
})

test('labels and tags survive damage to the first page of the database', async () => {
  const sound = await filledStore()
  const before = await inStore(sound, contentOf)
  const dir = join(await temporaryFolder(), 'damaged')
  await cp(sound, dir, { recursive: true })
  const file = await open(join(dir, databaseName), 'r+')
  await file.write(Buffer.alloc(4096, 0xff), 0, 4096, 0)
  await file.close()
  await verifyStore(dir, { repair: true })
  expect(await inStore(dir, contentOf)).toEqual(before)
})
