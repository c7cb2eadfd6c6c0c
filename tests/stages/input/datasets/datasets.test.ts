import { gzipSync } from 'node:zlib'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import type { Dataset, OpenDataFile } from '../../../../stages/input/datasets/dataset.js'
import { openJson } from '../../../../stages/input/datasets/json/json.js'
import { openJsonl } from '../../../../stages/input/datasets/json/jsonl.js'
import { datasetIdentity, openDataset } from '../../../../stages/input/datasets/open-dataset.js'
import { openParquet } from '../../../../stages/input/datasets/parquet/parquet.js'
import { loadTask } from '../../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../temp-folder.js'
import { wholeDigests } from '../../../support/file-digests.js'

const folder = temporaryFolder()

async function rowsOf(dataset: Dataset, columns?: readonly string[]): Promise<readonly unknown[]> {
  const rows = []
  for await (const row of dataset.rows(columns === undefined ? {} : { columns })) rows.push(row)
  return rows
}

const read = async (open: OpenDataFile, name: string, content: string | Uint8Array): Promise<readonly unknown[]> =>
  rowsOf(await open(await folder.write(name, content)))

test('reads JSONL line by line, plain and gzipped, across chunks', async () => {
  const rows = Array.from({ length: 5_000 }, (_, id) => ({ id, text: `ä€😀${'x'.repeat(id % 200)}` }))
  const text = rows.map(row => JSON.stringify(row)).join('\n\n')
  expect(await read(openJsonl, 'd.jsonl', text)).toEqual(rows)
  expect(await read(openJsonl, 'd.jsonl.gz', gzipSync(text))).toEqual(rows)
  expect(await read(openJsonl, 'bom.jsonl', `\ufeff{"a":1}\r\n{"a":2}\r\n`)).toEqual([{ a: 1 }, { a: 2 }])
})

test('an error names the line that is not JSON or not an object', async () => {
  await expect(read(openJsonl, 'd.jsonl', '{"a":1}\n{"a":\n')).rejects.toThrow(/d\.jsonl:2 {2}not JSON/)
  await expect(read(openJsonl, 'd.jsonl', '\n[1]\n')).rejects.toThrow(/d\.jsonl:2 {2}expected an object/)
})

test('an error names a file that is missing, empty, cut short or not text', async () => {
  await expect(openJsonl(folder.path('nowhere.jsonl'))).rejects.toThrow(/no file .*nowhere\.jsonl/)
  await expect(read(openJsonl, 'e.jsonl', '\n\n')).rejects.toThrow(/e\.jsonl holds no rows/)
  await expect(read(openJsonl, 'c.jsonl.gz', gzipSync('{"a":1}\n').subarray(0, 15))).rejects.toThrow(
    /c\.jsonl\.gz can't be read/,
  )
  await expect(read(openJsonl, 'b.jsonl', Uint8Array.of(0x7b, 0xff, 0xfe))).rejects.toThrow(/b\.jsonl:1 {2}not UTF-8/)
})

test('a JSON file is a list of rows or one row per line', async () => {
  expect(await read(openJson, 'l.json', ' [{"a":1},\n{"a":2}]')).toEqual([{ a: 1 }, { a: 2 }])
  expect(await read(openJson, 'o.json', '{"a":1}\n{"a":2}')).toEqual([{ a: 1 }, { a: 2 }])
})

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 7) % 256)

function parquet(rows: number, rowGroupSize = 10): Uint8Array {
  const each = <T>(make: (i: number) => T): T[] => Array.from({ length: rows }, (_, i) => make(i))
  const buffer = parquetWriteBuffer({
    rowGroupSize,
    columnData: [
      { name: 'id', data: each(i => BigInt(i)), type: 'INT64' },
      { name: 'text', data: each(i => (i === 3 ? null : `t${i}`)), type: 'STRING' },
      { name: 'score', data: each(i => i / 2), type: 'DOUBLE' },
      { name: 'raw', data: each(() => bytes(1000)), type: 'BYTE_ARRAY' },
      { name: 'when', data: each(i => new Date(i * 1000)), type: 'TIMESTAMP' },
    ],
  })
  return new Uint8Array(buffer)
}

test('reads Parquet across row groups: integers as numbers, bytes as bytes, times as texts', async () => {
  const dataset = await openParquet(await folder.write('d.parquet', parquet(35)))
  expect(dataset.count).toBe(35)
  expect(dataset.columns.map(({ name, isMedia }) => [name, isMedia])).toEqual([
    ['id', false],
    ['text', false],
    ['score', false],
    ['raw', true],
    ['when', false],
  ])
  const rows = await rowsOf(dataset)
  expect(rows).toHaveLength(35)
  expect(rows[3]).toEqual({ id: 3, text: null, score: 1.5, raw: bytes(1000), when: '1970-01-01 00:00:03' })
  expect(await rowsOf(dataset, ['id'])).toEqual(Array.from({ length: 35 }, (_, id) => ({ id })))
})

test('reads an LZ4 column without any value, whose dictionary is empty', async () => {
  const rows = await rowsOf(await openParquet('tests/golden/parquet/lz4-nulls.parquet'))
  expect(rows).toHaveLength(5)
  expect(rows[4]).toEqual({
    q: 'q4',
    n: null,
    image: { bytes: new Uint8Array(Buffer.from('\x89PNG4', 'latin1')), path: null },
  })
})

test('reads a Parquet integer too large for a number as a text of its digits', async () => {
  const buffer = parquetWriteBuffer({
    columnData: [{ name: 'id', data: [1n, 2n ** 60n, -(2n ** 53n)], type: 'INT64' }],
  })
  const rows = [{ id: 1 }, { id: '1152921504606846976' }, { id: '-9007199254740992' }]
  expect(await read(openParquet, 'd.parquet', new Uint8Array(buffer))).toEqual(rows)
})

test('rejects Parquet that is empty, cut short, damaged or another format before it reads a row', async () => {
  const whole = parquet(35)
  await expect(read(openParquet, 'a.parquet', '')).rejects.toThrow(/a\.parquet is empty/)
  await expect(read(openParquet, 'b.parquet', 'hello')).rejects.toThrow(/b\.parquet is not a Parquet file/)
  await expect(read(openParquet, 'c.parquet', whole.subarray(0, 900))).rejects.toThrow(
    /c\.parquet is a Parquet file that was cut short .*\. Download it again, or write it again$/,
  )
  const hollow = Buffer.concat([whole.subarray(0, 4), whole.subarray(2_000)])
  await expect(read(openParquet, 'd.parquet', hollow)).rejects.toThrow(/d\.parquet/)
  const footless = Buffer.concat([whole.subarray(0, 500), Buffer.alloc(8, 1), Buffer.from('PAR1')])
  await expect(read(openParquet, 'e.parquet', footless)).rejects.toThrow(
    /e\.parquet is a damaged Parquet file \(.*\)\. Download it again, or write it again$/,
  )
})

test('the Parquet file of the benchmark stores media in the form of the Hub', async () => {
  const dataset = await openParquet('examples/tinyvlm/dataset/test.parquet')
  expect(dataset.columns.filter(column => column.isMedia).map(column => column.name)).toEqual(['image', 'image_2'])
  const [first] = await rowsOf(dataset)
  expect(first).toMatchObject({ id: 'tv-0000', num_images: 1, image_2: null, image: { path: 'img_0000.png' } })
})

async function task(yaml: string, place = '.') {
  const text = `task: t\ndoc_to_text: q\ndoc_to_target: a\n${yaml}`
  return loadTask(await folder.write(`${place}/t.yaml`, text), { cacheDir: folder.path('cache') })
}

test('reads a split of a folder from one file or several, in order', async () => {
  await folder.write('data/test-00000-of-00002.jsonl', '{"a":1}\n')
  await folder.write('data/test-00001-of-00002.jsonl', '{"a":2}\n')
  await folder.write('data/train.jsonl', '{"a":3}\n')
  expect(await rowsOf(await openDataset(await task('dataset_path: .\ntest_split: test\n')))).toEqual([
    { a: 1 },
    { a: 2 },
  ])
  await expect(openDataset(await task('dataset_path: ./data\ntest_split: dev\n'))).rejects.toThrow(
    /t\.yaml:5:13 {2}test_split: no file of the split "dev" in \.\/data \(it has train, test\)/,
  )
})

test('data_files names the files of a split', async () => {
  await folder.write('x.jsonl', '{"a":1}\n')
  const yaml = 'dataset_path: json\ntest_split: test\ndataset_kwargs: {data_files: {test: x.jsonl}}\n'
  expect(await rowsOf(await openDataset(await task(yaml)))).toEqual([{ a: 1 }])
})

test('reports a missing dataset with the line that names it', async () => {
  await expect(openDataset(await task('dataset_path: ./nowhere.jsonl\n'))).rejects.toThrow(
    /t\.yaml:4:15 {2}dataset_path: no file or folder \.\/nowhere\.jsonl/,
  )
})

test('the identity of a dataset depends on its content, not on its folder', async () => {
  const identityIn = async (place: string, content: string) => {
    await folder.write(`${place}/d.jsonl`, content)
    return datasetIdentity(await task('dataset_path: ./d.jsonl\n', place), wholeDigests)
  }
  const one = await identityIn('one', '{"a":1}\n')
  expect(await identityIn('two/deep', '{"a":1}\n')).toEqual(one)
  expect(await identityIn('three', '{"a":2}\n')).not.toEqual(one)
})

test('reads a JSON integer too large for a number as a text of its digits', async () => {
  const lines = '{"a":9007199254740991,"t":"9007199254740993 \\"9007199254740993"}\n{"a":{"b":[1,-9007199254740993]}}\n'
  expect(await read(openJsonl, 'n.jsonl', lines)).toEqual([
    { a: 9007199254740991, t: '9007199254740993 "9007199254740993' },
    { a: { b: [1, '-9007199254740993'] }, t: null },
  ])
  expect(await read(openJson, 'n.json', '[{"id":12345678901234567890}]')).toEqual([{ id: '12345678901234567890' }])
  expect(await read(openJsonl, 'f.jsonl', '{"a":0.12345678901234567890,"b":1e300,"c":9007199254740991}')).toEqual([
    { a: 0.12345678901234568, b: 1e300, c: 9007199254740991 },
  ])
})

test('opens each of many files when it is reached, and all of them to count rows', async () => {
  const names = Array.from({ length: 70 }, (_, index) => `data/test-${String(index).padStart(5, '0')}-of-00070.parquet`)
  for (const name of names) await folder.write(name, parquet(3))
  const yaml = 'dataset_path: .\ntest_split: test\n'
  const dataset = await openDataset(await task(yaml))
  expect([dataset.count, await dataset.findCount?.()]).toEqual([undefined, 210])
  expect(await rowsOf(dataset)).toHaveLength(210)
  const part = await openDataset(await task(yaml.replace(': test', ': test[50%:]')))
  expect([part.count, part.findCount]).toEqual([105, undefined])
  await folder.write('data/test-00069-of-00070.parquet', 'damaged')
  const damaged = await openDataset(await task(yaml))
  await expect(rowsOf(damaged)).rejects.toThrow(/test-00069-of-00070\.parquet/)
})
