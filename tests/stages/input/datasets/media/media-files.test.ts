import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { openDataset, type OpenedDataset } from '../../../../../stages/input/datasets/open-dataset.js'
import { root } from '../../../../support/cli.js'
import { fakeHub } from '../../../../support/fake-hub.js'
import { hubPlace, type HubPlace } from '../../../../support/hub-task.js'
import { temporaryFolder } from '../../../../support/store.js'
import { zipOf } from '../../../../support/zip.js'

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

/** Makes an archive with the system's tar, as people do. */
function tarOf(folder: string, ...args: readonly string[]): Buffer {
  return execFileSync('tar', ['-C', folder, '-cf', '-', ...args], { maxBuffer: 1e8 })
}

const rows = '{"q":"?","a":"!"}\n'
const yaml = (kwargs: string): string => `dataset_path: org/set\ntest_split: test\ndataset_kwargs: ${kwargs}\n`

async function opened(
  files: Readonly<Record<string, string | Uint8Array>>,
  kwargs: string,
): Promise<{ place: HubPlace; dataset: OpenedDataset; downloads: () => readonly string[] }> {
  const hub = await fakeHub({ 'org/set': { branches: { main: { 'test.jsonl': rows, ...files } } } })
  const place = await hubPlace(hub.url)
  const dataset = await openDataset(await place.task(yaml(kwargs)))
  return { place, dataset, downloads: () => hub.downloads.map(({ path }) => path) }
}

const contentOf = async (dataset: OpenedDataset, name: string): Promise<string | undefined> => {
  const { readFile } = await import('node:fs/promises')
  const path = await dataset.media.locate(name)
  return path === undefined ? undefined : readFile(path, 'utf8')
}

describe('media of a Hub repository', () => {
  test('are downloaded one by one if they are single files', async () => {
    const { dataset, downloads } = await opened({ 'videos/a.mp4': 'A', 'videos/b.mp4': 'B' }, '{}')
    expect(await contentOf(dataset, 'videos/b.mp4')).toBe('B')
    expect(downloads()).toEqual(['test.jsonl', 'videos/b.mp4'])
    expect(await dataset.media.locate('videos/c.mp4')).toBeUndefined()
  })

  test('in archives are unpacked until the medium is found, by its name or with another extension', async () => {
    const folder = await folderWith({ 'data/a.mp4': 'A', 'data/b.MKV': 'B', 'sub/c.mp4': 'C' })
    const files = {
      'v_1.zip': zipOf({ 'data/a.mp4': 'A' }),
      'v_2.tar.gz': execFileSync('gzip', ['-c'], { input: tarOf(folder, 'data/b.MKV') }),
      'v_3.tar': tarOf(folder, './sub'),
    }
    const { dataset, downloads } = await opened(files, '{video: true, cache_dir: v}')
    expect(await contentOf(dataset, 'data/a.mp4')).toBe('A')
    expect(downloads()).toEqual(['test.jsonl', 'v_1.zip'])
    expect(await contentOf(dataset, 'data/b.mp4')).toBe('B')
    expect(downloads()).toEqual(['test.jsonl', 'v_1.zip', 'v_2.tar.gz'])
    expect(await contentOf(dataset, 'sub/c.mp4')).toBe('C')
  })

  test('in an archive are unpacked once, with one note', async () => {
    const { place, dataset } = await opened({ 'v.zip': zipOf({ 'a.mp4': 'A' }) }, '{video: true}')
    const again = await openDataset(await place.task(yaml('{video: true}')))
    for (const one of [dataset, again]) expect(await contentOf(one, 'a.mp4')).toBe('A')
    expect(place.notes.filter(note => note.startsWith('unpacking'))).toEqual(['unpacking v.zip'])
  })

  test('in an archive split into parts are unpacked from all parts', async () => {
    const folder = await folderWith({ 'x/long.mp4': 'L'.repeat(30_000), 'x/other.mp4': 'O' })
    const tar = tarOf(folder, 'x')
    const pieces = { 'm.tar.part_aa': tar.subarray(0, 12_345), 'm.tar.part_ab': tar.subarray(12_345) }
    const { dataset } = await opened(pieces, '{video: true}')
    expect(await contentOf(dataset, 'x/long.mp4')).toHaveLength(30_000)
    expect(await contentOf(dataset, 'x/other.mp4')).toBe('O')
  })

  test.each(['.zip.001', '.zip.part-aa', '.zip_1'])('in a ZIP file cut into pieces (%s) are unpacked', async ending => {
    const zip = zipOf({ 'x/long.mp4': 'L'.repeat(30_000), 'x/other.mp4': 'O' })
    const names = Array.from({ length: 12 }, (_, index) =>
      ending.replace(/001|aa|1$/, first =>
        first === 'aa' ? `a${'abcdefghijkl'.charAt(index)}` : String(index + 1).padStart(first.length, '0'),
      ),
    )
    const size = Math.ceil(zip.length / names.length)
    const pieces = names.map((name, index) => [`m${name}`, zip.subarray(index * size, (index + 1) * size)] as const)
    const { place, dataset } = await opened(Object.fromEntries(pieces), '{archives: "m*"}')
    expect(await contentOf(dataset, 'x/long.mp4')).toHaveLength(30_000)
    expect(await contentOf(dataset, 'x/other.mp4')).toBe('O')
    expect(place.notes.filter(note => note.startsWith('unpacking'))).toEqual(['unpacking m.zip'])
  })

  test('in a multi-volume ZIP file are unpacked from all volumes', async () => {
    const folder = join(root, 'tests/golden/datasets/split')
    const names = ['m.z01', 'm.z02', 'm.zip']
    const pieces = Object.fromEntries(
      await Promise.all(names.map(async name => [name, await readFile(join(folder, name))] as const)),
    )
    const { dataset } = await opened(pieces, '{video: true}')
    for (const [name, letter] of [
      ['x/a.mp4', 'a'],
      ['x/b.mp4', 'b'],
      ['x/c.mp4', 'c'],
    ] as const)
      expect((await contentOf(dataset, name))?.slice(-4)).toBe(`end${letter}`)
    const { dataset: broken } = await opened({ ...pieces, 'm.z02': Buffer.alloc(0) }, '{video: true}')
    await expect(broken.media.locate('x/a.mp4')).rejects.toThrow(/m\.zip can't be unpacked/)
  })

  test('are taken from the folder into which lmms-eval unpacked them', async () => {
    const hub = await fakeHub({
      'org/set': { branches: { main: { 'test.jsonl': rows, 'v.zip': zipOf({ 'a.mp4': 'A' }) } } },
    })
    const place = await hubPlace(hub.url)
    const hfHome = await folderWith({ 'cache/data/a.mp4': 'mine' })
    const task = await place.task(yaml('{video: true, cache_dir: cache}'), {}, { hfHome })
    expect(await contentOf(await openDataset(task), 'data/a.mp4')).toBe('mine')
  })

  test('are never outside its folder', async () => {
    const { dataset } = await opened({}, '{}')
    expect(await dataset.media.locate('/etc/passwd')).toBeUndefined()
    expect(await dataset.media.locate('../../../../../../../../etc/passwd')).toBeUndefined()
  })
})

describe('an archive', () => {
  const hostile = async (name: string, archive: Uint8Array): Promise<{ place: HubPlace; error: unknown }> => {
    const { place, dataset } = await opened({ [name]: archive }, '{video: true}')
    const error = await dataset.media.locate('a.mp4').then(
      () => undefined,
      (reason: unknown) => reason,
    )
    return { place, error }
  }

  const unpackedBy = (place: HubPlace): Promise<readonly string[]> =>
    readdir(join(place.cacheDir, 'unpacked')).catch(() => [])

  test.each(['../evil.mp4', 'x/../../evil.mp4', '/evil.mp4'])('with %s is not unpacked', async name => {
    const { place, error } = await hostile('v.zip', zipOf({ 'fine.mp4': 'F', [name]: 'E' }))
    expect(String(error)).toMatch(
      /v\.zip (can't be unpacked: (invalid relative|absolute) path|holds a file that would lie outside)/,
    )
    expect(await unpackedBy(place)).toEqual([])
  })

  test('with a name or link that points outside its folder is not unpacked', async () => {
    const folder = await folderWith({ 'in/x.mp4': 'X', 'out.mp4': 'O' })
    const byName = tarOf(join(folder, 'in'), '-P', '../out.mp4')
    expect(String((await hostile('v.tar', byName)).error)).toMatch(
      /v\.tar holds a file that would lie outside of its folder/,
    )
    await symlink('/etc/passwd', join(folder, 'in', 'a.mp4'))
    const byLink = await hostile('v.tar', tarOf(join(folder, 'in'), '.'))
    expect(String(byLink.error)).toMatch(/v\.tar holds a file that would lie outside of its folder \("\/etc\/passwd"\)/)
    expect(await unpackedBy(byLink.place)).toEqual([])
  })

  test('may contain two names of one file', async () => {
    const folder = await folderWith({ 'b.mp4': 'B' })
    await link(join(folder, 'b.mp4'), join(folder, 'c.mp4'))
    await symlink('b.mp4', join(folder, 'a.mp4'))
    const { dataset } = await opened({ 'v.tar': tarOf(folder, '.') }, '{video: true}')
    expect(await contentOf(dataset, 'a.mp4')).toBe('B')
    expect(await contentOf(dataset, 'c.mp4')).toBe('B')
  })

  test.each([
    ['v.zip', zipOf({ 'a.mp4': 'A'.repeat(5_000) }).subarray(0, 900)],
    ['v.tar', Buffer.concat([tarHead(), Buffer.alloc(100)])],
    ['v.tar.gz', Buffer.from('no archive at all')],
  ])('of the kind %s that is damaged leaves nothing behind', async (name, bytes) => {
    const { place, error } = await hostile(name, bytes)
    expect(String(error)).toMatch(/can't be unpacked/)
    expect(await unpackedBy(place)).toEqual([])
  })

  test('that ends within a file leaves nothing behind', async () => {
    const folder = await folderWith({})
    const noise = createHash('shake256', { outputLength: 400_000 }).update('noise').digest()
    for (const name of ['a.mp4', 'b.mp4']) await writeFile(join(folder, name), noise)
    const whole = gzipSync(tarOf(folder, '.'))
    const { place, error } = await hostile('v.tar.gz', whole.subarray(0, 300_000))
    expect(String(error)).toMatch(/v\.tar\.gz can't be unpacked: zlib: unexpected end of file/)
    expect(await unpackedBy(place)).toEqual([])
  })

  test('of local data is unpacked if the task names it', async () => {
    const place = await hubPlace('http://127.0.0.1:9')
    const folder = await folderWith({ 'test.jsonl': rows })
    await writeFile(join(folder, 'media.zip'), zipOf({ 'img/1.png': 'P' }))
    const task = await place.task(`dataset_path: ${folder}\ntest_split: test\ndataset_kwargs: {archives: '*.zip'}\n`)
    expect(await contentOf(await openDataset(task), 'img/1.png')).toBe('P')
    const astray = await place.task(`dataset_path: ${folder}\ntest_split: test\ndataset_kwargs: {archives: x.zip}\n`)
    await expect(openDataset(astray)).rejects.toThrow(/t\.yaml:6:17 {2}dataset_kwargs: no archive matches x\.zip/)
  })
})

/** The header of a file of 5,000 bytes. */
function tarHead(): Buffer {
  const head = Buffer.alloc(512)
  head.write('a.mp4', 0)
  head.write('0000644\0', 100)
  head.write('00000011610\0', 124)
  head.write('0', 156)
  head.write('ustar\x0000', 257)
  head.fill(' ', 148, 156)
  head.write(
    `${head
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return head
}

describe("rows of a service's job", () => {
  async function jobFiles(): Promise<{ readonly folder: string; readonly locate: (name: string) => Promise<string> }> {
    const folder = await folderWith({
      'set/test.jsonl': rows,
      'set/images/a.png': 'A',
      'shared/b.png': 'B',
      'roots/c.png': 'C',
      'private/d.png': 'D',
    })
    await symlink(join(folder, 'private'), join(folder, 'set/outer'))
    await symlink(join(folder, 'shared'), join(folder, 'set/inner'))
    const place = await hubPlace('http://127.0.0.1:1')
    const others = { rowFolders: [join(folder, 'shared')], mediaRoots: [join(folder, 'roots')] }
    const task = await place.task(`dataset_path: ${join(folder, 'set')}\ntest_split: test\n`, {}, others)
    const { media } = await openDataset(task)
    const locate = async (name: string): Promise<string> => {
      const path = await media.locate(name)
      return path === undefined ? 'no file' : readFile(path, 'utf8')
    }
    return { folder, locate }
  }

  test('may name files of the dataset, of allowed folders and of media folders', async () => {
    const { folder, locate } = await jobFiles()
    const names = ['images/a.png', '../shared/b.png', join(folder, 'shared/b.png'), 'c.png', 'inner/b.png']
    expect(await Promise.all(names.map(locate))).toEqual(['A', 'B', 'B', 'C', 'B'])
    expect(await locate('images/none.png')).toBe('no file')
  })

  test.each(['/etc/hostname', '/etc/no-such-file', '../private/d.png', '../private/none.png', 'outer/d.png', '..'])(
    'may not name %s, whether or not it exists',
    async name => {
      const { locate } = await jobFiles()
      await expect(locate(name)).rejects.toThrow(
        `${name} is outside of the folders that rows of this job may name: the dataset's folder, PIPELINE_MEDIA_ROOT, and those that the server allows (allow-dir)`,
      )
    },
  )
})
