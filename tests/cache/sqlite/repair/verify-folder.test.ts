import { existsSync } from 'node:fs'
import { cp, open, readFile, readdir, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sealRun } from '../../../../cache/bundle/seal.js'
import { verifyStore } from '../../../../cache/open.js'
import { dumpOf, inStore, line } from '../../../support/line.js'
import { temporaryFolder, temporaryStore } from '../../../support/store.js'

const repair = { repair: true }

/** A store with a finished run, and its results. */
async function finished(options: { readonly sealed: boolean }): Promise<{ dir: string; dump: string }> {
  const dir = join(await temporaryFolder(), 'store')
  const dump = await inStore(dir, async store => {
    const ended = await line(store)
    if (options.sealed) await sealRun(store, ended.run)
    return dumpOf(store, ended)
  })
  return { dir, dump }
}

const fileIn = (dir: string): string => join(dir, 'store.sqlite')

async function overwrite(file: string, at: number, bytes: Buffer): Promise<void> {
  await using handle = await open(file, 'r+')
  await handle.write(bytes, 0, bytes.length, at)
}

/** Runs the same command again. @returns the number of requests sent */
const again = (dir: string, dump: string): Promise<number> =>
  inStore(dir, async store => {
    const ended = await line(store)
    expect(await dumpOf(store, ended)).toBe(dump)
    expect((await store.upkeep.verify({ repair: false })).damaged).toEqual([])
    return ended.asked
  })

describe('a database with a damaged page', () => {
  test('is reported and repaired, for every page', async () => {
    const { dir, dump } = await finished({ sealed: false })
    const pages = (await stat(fileIn(dir))).size / 4096
    for (let page = 0; page < pages; page++) {
      const copy = `${dir}-${page}`
      await cp(dir, copy, { recursive: true })
      await overwrite(fileIn(copy), page * 4096, Buffer.alloc(4096, page % 2))
      const told = await verifyStore(copy, { repair: false }).then(
        ({ damaged }) => damaged.length > 0,
        (error: unknown) => {
          expect(error).toMatchObject({
            code: 'store',
            message: expect.stringContaining('cache verify --repair') as string,
          })
          return true
        },
      )
      // A page may contain no rows.
      if (told) expect((await verifyStore(copy, repair)).damaged.length, `page ${page}`).toBeGreaterThan(0)
      await again(copy, dump)
    }
  })

  test('keeps its answers outside that page, and the damaged file beside it', async () => {
    const { dir, dump } = await finished({ sealed: false })
    await overwrite(fileIn(dir), 0, Buffer.alloc(4096))
    const damagedFile = await readFile(fileIn(dir))
    const { salvaged } = await verifyStore(dir, repair)
    expect(salvaged).toMatchObject({ rows: { response: 5, request: 5, run: 1 }, kept: `${fileIn(dir)}.damaged` })
    expect(await readFile(`${fileIn(dir)}.damaged`)).toEqual(damagedFile)
    expect(await again(dir, dump)).toBe(0)
  })

  test('keeps rows that are only in the write-ahead log', async () => {
    const { dir, dump } = await finished({ sealed: false })
    const crashed = `${dir}-crashed`
    const store = await temporaryStore(dir)
    const db = new Database(fileIn(dir))
    onTestFinished(() => void db.close())
    db.pragma('wal_autocheckpoint = 0')
    db.exec('UPDATE response SET seq = seq + 100')
    await cp(dir, crashed, { recursive: true })
    await store.close()
    const { size } = await stat(fileIn(crashed))
    await writeFile(fileIn(crashed), Buffer.alloc(size))
    expect((await stat(`${fileIn(crashed)}-wal`)).size).toBeGreaterThan(0)
    expect((await verifyStore(crashed, repair)).salvaged?.rows).toMatchObject({ response: 5 })
    expect(existsSync(`${fileIn(crashed)}-wal`)).toBe(false)
    await again(crashed, dump)
  })

  test('is left unchanged while another program has it open', async () => {
    const { dir } = await finished({ sealed: false })
    const other = new Database(fileIn(dir))
    onTestFinished(() => void other.close())
    other.prepare('SELECT count(*) FROM run').get()
    await overwrite(fileIn(dir), 4096, Buffer.alloc(4096))
    await expect(verifyStore(dir, repair)).rejects.toThrow('is locked by another program')
    expect(await readdir(dir)).not.toContain('store.sqlite.damaged')
  })

  test('leaves a folder without files unchanged', async () => {
    const dir = await temporaryFolder()
    await writeFile(fileIn(dir), 'dear diary,\n'.repeat(1000))
    await expect(verifyStore(dir, repair)).rejects.toThrow('nothing of a store is left')
    expect(await readdir(dir)).toEqual(['store.sqlite'])
  })
})

describe('a sealed run', () => {
  test.each<[string, (file: string) => Promise<void>]>([
    ['is gone', file => rm(file)],
    ['is empty', file => truncate(file, 0)],
    ['is cut off', file => truncate(file, 5000)],
    ['has no header', file => overwrite(file, 0, Buffer.alloc(100))],
  ])('is restored from its sealed tables when the database %s', async (_, damage) => {
    const { dir, dump } = await finished({ sealed: true })
    await damage(fileIn(dir))
    await expect(inStore(dir, store => store.runs.list())).rejects.toThrow('pipeline cache verify --repair')
    expect((await verifyStore(dir, repair)).salvaged).toMatchObject({
      sealed: [expect.stringMatching(/^\w+-\w+-\w{4}$/) as string],
      unreadable: [],
    })
    expect(await again(dir, dump)).toBe(0)
  })

  test('names a folder with damaged tables and writes it again', async () => {
    const { dir } = await finished({ sealed: true })
    const [name = ''] = await readdir(join(dir, 'runs'))
    const table = join(dir, 'runs', name, 'responses.parquet')
    const bytes = await readFile(table)
    await overwrite(table, 100, Buffer.from([bytes[100]! ^ 1]))
    const damaged = [{ kind: 'sealed table', name: join('runs', name, 'responses.parquet') }]
    expect(await verifyStore(dir, { repair: false })).toMatchObject({ damaged })
    expect(await verifyStore(dir, repair)).toMatchObject({ damaged })
    expect(await verifyStore(dir, { repair: false })).toMatchObject({ damaged: [] })
    expect(await readFile(table)).toEqual(bytes)
  })
})
