import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Dataset } from '../../../../../stages/input/datasets/dataset.js'
import type { FileDigests } from '../../../../../stages/input/datasets/locate/file-identities.js'
import { datasetIdentity, openDataset } from '../../../../../stages/input/datasets/open-dataset.js'
import { commitOf, fakeHub, type FakeRepository } from '../../../../support/fake-hub.js'
import { hubPlace, type HubPlace } from '../../../../support/hub-task.js'

async function rowsOf(dataset: Dataset): Promise<readonly unknown[]> {
  const rows = []
  for await (const row of dataset.rows()) rows.push(row)
  return rows
}

const read = async (place: HubPlace, yaml: string): Promise<readonly unknown[]> =>
  rowsOf(await openDataset(await place.task(yaml)))

const refused = (): Promise<never> => Promise.reject(new Error('no file is digested'))
const noDigest: FileDigests = { digest: refused, knownDigest: refused }

const parquet = (ids: readonly number[], padding = 0): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'id', data: [...ids], type: 'INT32' },
        { name: 'text', data: ids.map(id => `${id}${'x'.repeat(padding)}`), type: 'STRING' },
      ],
      codec: 'UNCOMPRESSED',
    }),
  )

const withMain = (files: FakeRepository['branches'][string]): FakeRepository => ({ branches: { main: files } })

describe('the files of a split', () => {
  test('are those that the card lists for the configuration', async () => {
    const card = `---
configs:
- config_name: easy
  default: true
  data_files:
  - split: test
    path: e/*.jsonl
- config_name: hard
  data_files:
  - split: test
    path: [h/b.jsonl, h/a.jsonl]
---
# A dataset
`
    const files = {
      'README.md': card,
      'e/1.jsonl': '{"n":1}',
      'e/2.jsonl': '{"n":2}',
      'h/a.jsonl': '{"n":3}',
      'h/b.jsonl': '{"n":4}',
      'test.jsonl': '{"n":5}',
    }
    const hub = await fakeHub({ 'org/set': withMain(files) })
    const place = await hubPlace(hub.url)
    expect(await read(place, 'dataset_path: org/set\ntest_split: test\n')).toEqual([{ n: 1 }, { n: 2 }])
    expect(await read(place, 'dataset_path: org/set\ndataset_name: hard\ntest_split: test\n')).toEqual([
      { n: 4 },
      { n: 3 },
    ])
    await expect(read(place, 'dataset_path: org/set\ndataset_name: hrad\ntest_split: test\n')).rejects.toThrow(
      /t\.yaml:5:15 {2}dataset_name: org\/set has no configuration "hrad"\. Did you mean "hard"\? It has easy, hard/,
    )
    await expect(read(place, 'dataset_path: org/set\ntest_split: dev\n')).rejects.toThrow(
      /t\.yaml:5:13 {2}test_split: no file of the split "dev" in org\/set \(it has test\)/,
    )
  })

  test('are found by their names if there is no card', async () => {
    const shards = {
      'data/test-00000-of-00002.parquet': parquet([0, 1]),
      'data/test-00001-of-00002.parquet': parquet([2]),
      'data/train-00000-of-00001.parquet': parquet([9]),
    }
    const folders = {
      'en/validation-00000-of-00001.csv': 'a,b\n1,x\n',
      'fr/validation-00000-of-00001.csv': 'a,b\n2,y\n',
    }
    const hub = await fakeHub({
      'org/shards': withMain(shards),
      'org/langs': withMain(folders),
      plain: withMain({ 'my_dev_file.tsv': 'a\tb\n1\tx\n' }),
    })
    const place = await hubPlace(hub.url)
    expect(await read(place, 'dataset_path: org/shards\ntest_split: test\n')).toEqual(
      [0, 1, 2].map(id => ({ id, text: `${id}` })),
    )
    expect(await read(place, 'dataset_path: org/langs\ndataset_name: fr\nvalidation_split: validation\n')).toEqual([
      { a: 2, b: 'y' },
    ])
    expect(await read(place, 'dataset_path: plain\nvalidation_split: validation\n')).toEqual([{ a: 1, b: 'x' }])
    await expect(
      read(place, 'dataset_path: org/langs\ndataset_name: de\nvalidation_split: validation\n'),
    ).rejects.toThrow(/dataset_name: org\/langs has no configuration "de" \(it has folders en, fr\)/)
  })

  test('are those that the Hub has converted if its own cannot be read', async () => {
    const branches = {
      main: { 'set.py': 'print()', 'README.md': '# set' },
      'refs/convert/parquet': { 'default/test/0000.parquet': parquet([7]) },
    }
    const hub = await fakeHub({ 'org/script': { branches } })
    const place = await hubPlace(hub.url)
    expect(await read(place, 'dataset_path: org/script\ntest_split: test\n')).toEqual([{ id: 7, text: '7' }])
    const identity = await datasetIdentity(await place.task('dataset_path: org/script\ntest_split: test\n'), noDigest)
    expect(identity.revision).toBe(commitOf(branches.main))
  })

  test('are those that data_files names, also with an address of the Hub', async () => {
    const hub = await fakeHub({
      'org/set': withMain({ 'a/x.jsonl': '{"n":1}', 'a/y.jsonl': '{"n":2}', 'b.csv': 'n\n3\n' }),
    })
    const place = await hubPlace(hub.url)
    const kwargs = (files: string): string => `test_split: test\ndataset_kwargs: {data_files: ${files}}\n`
    expect(await read(place, `dataset_path: org/set\n${kwargs('{test: a/*.jsonl}')}`)).toEqual([{ n: 1 }, { n: 2 }])
    expect(await read(place, `dataset_path: csv\n${kwargs('hf://datasets/org/set/b.csv')}`)).toEqual([{ n: 3 }])
    await expect(read(place, `dataset_path: org/set\n${kwargs('c/*.jsonl')}`)).rejects.toThrow(
      /t\.yaml:6:17 {2}dataset_kwargs: org\/set has no file c\/\*\.jsonl/,
    )
  })
})

describe('the commit', () => {
  const old = { 'test.jsonl': '{"n":1}' }
  const now = { 'test.jsonl': '{"n":2}' }

  test('identifies the data, so that a push makes another run', async () => {
    const branches: Record<string, Record<string, string>> = { main: old }
    const hub = await fakeHub({ 'org/set': { branches } })
    const place = await hubPlace(hub.url)
    const yaml = 'dataset_path: org/set\ntest_split: test\n'
    const before = await datasetIdentity(await place.task(yaml), noDigest)
    expect(before).toEqual({ path: 'org/set', split: 'test', revision: commitOf(old), files: {} })
    branches['main'] = now
    branches['v1'] = old
    expect((await datasetIdentity(await place.task(yaml), noDigest)).revision).toBe(commitOf(now))
    expect(await datasetIdentity(await place.task(`${yaml}dataset_kwargs: {revision: v1}\n`), noDigest)).toEqual(before)
    await expect(read(place, `${yaml}dataset_kwargs: {revision: v2}\n`)).rejects.toThrow(
      /org\/set has no revision "v2"/,
    )
  })

  test('of a run stays the same when the run is resumed', async () => {
    const branches: Record<string, Record<string, string>> = { main: old }
    const hub = await fakeHub({ 'org/set': { branches } })
    const place = await hubPlace(hub.url)
    const yaml = 'dataset_path: org/set\ntest_split: test\n'
    await read(place, yaml)
    branches['main'] = now
    const pinned = new Map([['t', commitOf(old)]])
    expect(await rowsOf(await openDataset(await place.task(yaml, {}, { pinned })))).toEqual([{ n: 1 }])
  })
})

describe('a downloaded file', () => {
  const files = { 'data/test-00000-of-00001.parquet': parquet([1, 2, 3], 50_000) }
  const yaml = 'dataset_path: org/set\ntest_split: test\n'

  const patience = { attempts: 2, firstWaitMs: 1, stallMs: 100 }

  test('is not downloaded again, even for another commit', async () => {
    const branches: Record<string, Record<string, string | Uint8Array>> = { main: files }
    const hub = await fakeHub({ 'org/set': { branches } })
    const place = await hubPlace(hub.url)
    await read(place, yaml)
    branches['main'] = { ...files, 'README.md': '# new' }
    await read(place, yaml)
    expect(hub.downloads.map(({ path }) => path)).toEqual(['data/test-00000-of-00001.parquet', 'README.md'])
  })

  test('is continued where an interrupted download ended', async () => {
    const hub = await fakeHub({ 'org/set': withMain(files) })
    const place = await hubPlace(hub.url)
    hub.stallAfter(40_000, 60_000)
    expect(await rowsOf(await openDataset(await place.task(yaml, { patience })))).toHaveLength(3)
    const ranges = hub.downloads.map(({ range }) => range)
    expect(ranges).toEqual([undefined, 'bytes=40000-', 'bytes=100000-'])
  })

  test('is continued by a later process after the first was killed', async () => {
    const hub = await fakeHub({ 'org/set': withMain(files) })
    const place = await hubPlace(hub.url)
    hub.stallAfter(40_000, 0, 0)
    await expect(openDataset(await place.task(yaml, { patience }))).rejects.toThrow(
      /broke off: nothing came for 0\.1 s/,
    )
    expect(await read(place, yaml)).toHaveLength(3)
    expect(hub.downloads.at(-1)?.range).toBe('bytes=40000-')
  })

  test('is verified and not used if it is damaged', async () => {
    const hub = await fakeHub({ 'org/set': withMain(files) })
    const place = await hubPlace(hub.url)
    hub.damage(true)
    await expect(read(place, yaml)).rejects.toThrow(/arrived damaged: their checksum is not the one that the Hub lists/)
    hub.damage(false)
    expect(await read(place, yaml)).toHaveLength(3)
  })

  test('is the only source offline, with a note', async () => {
    const hub = await fakeHub({ 'org/set': withMain(files) })
    const place = await hubPlace(hub.url)
    await read(place, yaml)
    await hub.close()
    const offline = await place.task(yaml, { offline: true })
    expect(await rowsOf(await openDataset(offline))).toHaveLength(3)
    expect(place.notes).toEqual([expect.stringMatching(/^offline: org\/set is [0-9a-f]{7} of the cache/)])
    const other = await place.task('dataset_path: org/other\ntest_split: test\n', { offline: true })
    await expect(openDataset(other)).rejects.toThrow(
      /HF_HUB_OFFLINE is set, and org\/other \(main\) is not in the cache/,
    )
  })

  test('of several is downloaded only when it is reached', async () => {
    const shards = Object.fromEntries([0, 1, 2].map(n => [`data/test-0000${n}-of-00003.jsonl`, `{"n":${n}}`]))
    const hub = await fakeHub({ 'org/set': withMain(shards) })
    const place = await hubPlace(hub.url)
    const dataset = await openDataset(await place.task(yaml))
    for await (const row of dataset.rows()) {
      expect(row).toEqual({ n: 0 })
      break
    }
    expect(hub.downloads).toHaveLength(1)
    expect(await rowsOf(dataset)).toHaveLength(3)
    expect(hub.downloads).toHaveLength(3)
  })
})

describe('a repository', () => {
  const files = { 'test.jsonl': '{"n":1}' }
  const yaml = 'dataset_path: org/set\ntest_split: test\n'

  test('that is gated says where to request access, and is read with the token', async () => {
    const hub = await fakeHub({ 'org/set': { ...withMain(files), gatedFor: 'hf_secret' } })
    const place = await hubPlace(hub.url)
    await expect(read(place, yaml)).rejects.toThrow(
      /org\/set is gated or not for this user \(403, HF_TOKEN is not set\): ask for access at http:\S+\/datasets\/org\/set/,
    )
    const task = await place.task(yaml, { token: 'hf_secret' })
    expect(await rowsOf(await openDataset(task))).toEqual([{ n: 1 }])
  })

  test('that is private is reported as missing without the token, which is stored nowhere', async () => {
    const hub = await fakeHub({ 'org/set': { ...withMain(files), privateTo: 'hf_secret' } })
    const place = await hubPlace(hub.url)
    await expect(read(place, yaml)).rejects.toThrow(/no dataset org\/set that may be read \(401, HF_TOKEN is not set\)/)
    await openDataset(await place.task(yaml, { token: 'hf_secret' }))
    const wrong = openDataset(await place.task(yaml, { token: 'hf_wrongsecret' }))
    await expect(wrong).rejects.toThrow(/no dataset org\/set/)
    await expect(wrong).rejects.not.toThrow(/wrongsecret/)
    const kept = await readdir(place.cacheDir, { recursive: true, withFileTypes: true })
    const texts = await Promise.all(
      kept.filter(one => one.isFile()).map(one => readFile(join(one.parentPath, one.name), 'utf8')),
    )
    expect(texts.filter(text => text.includes('secret'))).toEqual([])
  })

  test('that does not exist is reported with the line that names it', async () => {
    const place = await hubPlace((await fakeHub({})).url)
    await expect(read(place, yaml)).rejects.toThrow(/t\.yaml:4:15 {2}dataset_path: no dataset org\/set/)
  })

  test('is not queried if a local file has that name', async () => {
    const hub = await fakeHub({ 'org/set': withMain(files) })
    const place = await hubPlace(hub.url)
    await writeFile(join(place.cacheDir, '..', 'own.jsonl'), '{"own":1}')
    expect(await read(place, 'dataset_path: own.jsonl\n')).toEqual([{ own: 1 }])
    expect(hub.asked).toEqual([])
  })

  test('that cannot be reached is reported with the offline option', async () => {
    const hub = await fakeHub({})
    await hub.close()
    const place = await hubPlace(hub.url)
    await expect(read(place, yaml)).rejects.toThrow(
      /127\.0\.0\.1:\d+ can't be reached: ECONNREFUSED \(with HF_HUB_OFFLINE=1/,
    )
  })

  test.each([
    ['text/html', '<!DOCTYPE html><html><body>Log in</body></html>'],
    ['application/json', 'null'],
    ['application/json', '{"sha": "'],
  ])('that answers with another page than the Hub (%s: %s) is named, with what to check', async (type, body) => {
    const server = createServer((_, response) => response.writeHead(200, { 'content-type': type }).end(body))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    const place = await hubPlace(`http://127.0.0.1:${address.port}`)
    await expect(read(place, yaml)).rejects.toThrow(
      new RegExp(`127\\.0\\.0\\.1:\\d+ does not answer as the Hub does: .*it sent ${type} .*See whether HF_ENDPOINT`),
    )
  })

  test('whose cached list of files is cut short is listed again', async () => {
    const hub = await fakeHub({ 'org/set': withMain(files) })
    const place = await hubPlace(hub.url)
    const rows = await read(place, yaml)
    const [commit] = (await readdir(join(place.cacheDir, 'datasets--org--set'))).filter(name =>
      /^[0-9a-f]{40}$/.test(name),
    )
    await writeFile(join(place.cacheDir, 'datasets--org--set', commit ?? '', 'tree.json'), '[{"path": ')
    expect(await read(place, yaml)).toEqual(rows)
  })

  test('rejects a token in a task file, because it would be stored', async () => {
    const place = await hubPlace((await fakeHub({})).url)
    await expect(read(place, `${yaml}dataset_kwargs: {token: hf_abc}\n`)).rejects.toThrow(
      /t\.yaml:6:25 {2}dataset_kwargs\.token: expected true or false: a token itself is given in HF_TOKEN/,
    )
  })
})
