import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { bundleFile, checkOutputFile, htmlFile, refuseStorePath } from '../../cache/output-path.js'
import { exportRun } from '../../cache/bundle/export.js'
import { MemoryPortableStore } from '../support/memory-portable-store.js'
import { portableRun } from '../support/portable-runs.js'
import { temporaryFolder } from '../support/store.js'

let folder: string
let store: string

beforeEach(async () => {
  folder = await temporaryFolder()
  store = join(folder, 'store')
  await mkdir(join(store, 'media/ab'), { recursive: true })
  await mkdir(join(store, 'runs/calm-heron'), { recursive: true })
  await writeFile(join(store, 'store.sqlite'), 'SQLite format 3\0')
  await writeFile(join(store, 'media/ab/cd'), 'a picture')
})

const check = (path: string, named?: string) =>
  checkOutputFile({ path, label: '--html', ...(named !== undefined && { store: named }) }, htmlFile)

describe('a part of a store is no output', () => {
  const parts = ['store.sqlite', 'store.sqlite-wal', 'store.sqlite-shm', 'STORE.sqlite', 'store.sqlite.damaged']
  const folders = [
    'media/ab/cd',
    'media/new.html',
    'runs/calm-heron/report.html',
    'runs/new/report.html',
    'code/x.html',
  ]
  const others = ['tracked/x', 'hub/x', 'submissions/x', 'logs/x', 'view-index/x', 'media-cache/x', 'waiting-answers/x']
  test.each([...parts, ...folders, ...others, 'view-index.sqlite', '.opening-1', '.import-2/x'])('%s', part => {
    expect(() => check(join(store, part))).toThrow(/part of the store in .*store\. Name a path outside/)
  })

  test('whichever way its path is written', async () => {
    const database = join(store, 'store.sqlite')
    await symlink(database, join(folder, 'a.html'))
    await symlink(store, join(folder, 'linked'))
    await link(database, join(folder, 'hard.html'))
    for (const path of [
      relative(process.cwd(), database),
      join(store, '../store/./store.sqlite'),
      join(folder, 'a.html'),
      join(folder, 'linked/store.sqlite'),
      join(folder, 'linked/media/new/x.html'),
    ])
      expect(() => check(path), path).toThrow(/part of the store/)
    expect(() => check(join(folder, 'hard.html'))).toThrow(/is not an HTML page/)
  })

  test('also if the store that the command names does not exist yet', () => {
    const later = join(folder, 'later')
    expect(() => check(join(later, 'store.sqlite'), later)).toThrow(/part of the store/)
    expect(() => check(join(folder, 'Later/runs/x.html'), later)).toThrow(/part of the store/)
    expect(check(join(later, 'store.sqlite'))).toBe(join(later, 'store.sqlite'))
  })

  test('also if it is the folder of media of a store on a server', async () => {
    const media = join(folder, 'shared')
    await mkdir(media)
    await writeFile(join(media, 'store.txt'), '0b0ce0a2-8a55-4fd6-9e8f-6a1c8a1b0a11\n')
    for (const path of ['store.txt', 'ab/cd']) expect(() => check(join(media, path))).toThrow(/part of the store/)
    expect(check(join(media, 'report.html'))).toBe(join(media, 'report.html'))
  })

  test('the folder of a store may hold other files', () => {
    for (const path of ['report.html', 'reports/report.html', 'storehouse.html'])
      expect(check(join(store, path))).toBe(join(store, path))
    expect(() => refuseStorePath({ path: join(store, 'media'), label: '--dir' })).toThrow(/part of the store/)
    refuseStorePath({ path: join(store, 'results'), label: '--dir' })
  })
})

describe('an existing file is replaced only by a file of its kind', () => {
  test.each([
    ['d.jsonl', '{"q":"1","a":"2"}\n'],
    ['t.yaml', 'task: t\n'],
    ['utils.py', 'def f(): pass\n'],
    ['.env', 'OPENAI_API_KEY=sk\n'],
    ['key.pem', '-----BEGIN PRIVATE KEY-----\n'],
    ['data.tar', `${'picture.png\0'.padEnd(257, '\0')}ustar\0`],
    ['book.xlsx', 'PK\u0003\u0004'],
  ])('not %s', async (name, content) => {
    const file = join(folder, name)
    await writeFile(file, content)
    for (const kind of [htmlFile, bundleFile])
      expect(() => checkOutputFile({ path: file, label: '-o' }, kind)).toThrow(/exists and is not an? .* not replaced/)
    expect(await readFile(file, 'utf8')).toBe(content)
  })

  test('a report, an export and an empty file may be replaced', async () => {
    await writeFile(join(folder, 'r.html'), '\n<!DOCTYPE html>\n')
    await writeFile(join(folder, 'empty'), '')
    expect(check(join(folder, 'r.html'))).toBe(join(folder, 'r.html'))
    expect(check(join(folder, 'empty'))).toBe(join(folder, 'empty'))
    const from = new MemoryPortableStore(await temporaryFolder())
    const { run } = await from.importRun(portableRun({ docs: 1 }), 'refuse')
    const file = join(folder, 'run.pipeline')
    for (const time of ['first', 'second']) {
      await exportRun(from, run, { file, media: false })
      expect(await readFile(file, 'latin1'), time).toMatch(/^manifest\.json\0/)
    }
    await writeFile(file, 'my notes')
    await expect(exportRun(from, run, { file, media: false })).rejects.toThrow(/is not an exported run/)
  })
})
