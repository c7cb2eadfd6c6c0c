import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openDataFile } from '../../../../stages/input/datasets/data-file.js'
import type { Dataset } from '../../../../stages/input/datasets/dataset.js'
import { openDataset } from '../../../../stages/input/datasets/open-dataset.js'
import { hubPlace } from '../../../support/hub-task.js'
import { root } from '../../../support/cli.js'

const folder = join(root, 'tests/golden/datasets')
const expected = JSON.parse(await readFile(join(folder, 'expected.json'), 'utf8')) as Record<
  'table' | 'extra' | 'hub',
  unknown
>

async function rowsOf(dataset: Dataset, columns?: readonly string[]): Promise<readonly unknown[]> {
  const rows = []
  for await (const row of dataset.rows(columns === undefined ? {} : { columns })) rows.push(row)
  return rows
}

const open = async (name: string): Promise<Dataset> => (await openDataFile(join(folder, name))).dataset

/** Bytes as the expected rows have them. */
function shown(value: unknown): unknown {
  if (value instanceof Uint8Array) return { hex: Buffer.from(value).toString('hex') }
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shown(item)]))
}

test.each(['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4', 'v2'])(
  'reads Parquet with the codec %s as its writer does',
  async codec => {
    expect(shown(await rowsOf(await open(`${codec}.parquet`)))).toEqual(expected.table)
  },
)

test.each(['encrypted', 'encrypted_columns'])('reports an encrypted Parquet file (%s) as encrypted', async name => {
  await expect(open(`${name}.parquet`)).rejects.toThrow(/\.parquet is an encrypted Parquet file: write it again/)
})

test.each(['stream', 'file'])('reads an Arrow %s as its writer does', async form => {
  expect(shown(await rowsOf(await open(`${form}.arrow`)))).toEqual(expected.extra)
})

test.each(['zstd', 'lz4'])('reads an Arrow file compressed with %s', async codec => {
  expect(shown(await rowsOf(await open(`${codec}.arrow`)))).toEqual(expected.table)
})

test('reads only the requested columns of an Arrow file', async () => {
  const dataset = await open('file.arrow')
  expect(dataset.columns.filter(({ isMedia }) => isMedia).map(({ name }) => name)).toEqual(['raw', 'lbin'])
  expect(await rowsOf(dataset, ['id'])).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }])
})

test('reads JSONL compressed with Zstandard', async () => {
  const rows = await rowsOf(await open('rows.jsonl.zst'))
  expect(rows).toEqual(Array.from({ length: 200 }, (_, id) => ({ id, text: 'ä'.repeat(id) })))
})

describe("a Hub's schema", () => {
  const features = {
    image: { type: 'image' },
    images: { type: 'list', of: { type: 'image' } },
    label: { type: 'class', names: ['cat', 'dog'] },
    qa: {
      type: 'struct',
      fields: {
        q: { type: 'list', of: { type: 'value', dtype: 'string' } },
        a: { type: 'list', of: { type: 'value', dtype: 'int32' } },
      },
    },
    opts: { type: 'list', of: { type: 'value', dtype: 'string' } },
    n: { type: 'value', dtype: 'int64' },
  }

  test.each([
    ['in Parquet', 'dataset_path: hub.parquet\n'],
    ['of a saved dataset', 'dataset_path: saved\ntest_split: test\n'],
    [
      'of a saved dictionary of splits',
      'dataset_path: savedict\ntest_split: test\ndataset_kwargs: {load_from_disk: true}\n',
    ],
  ])('%s sets the types of columns', async (_, yaml) => {
    const place = await hubPlace('http://127.0.0.1:9')
    const dataset = await openDataset(await place.task(yaml.replace('dataset_path: ', `dataset_path: ${folder}/`)))
    expect(dataset.features).toEqual(features)
    expect(dataset.columns.filter(({ isMedia }) => isMedia).map(({ name }) => name)).toEqual(['image', 'images'])
    expect(shown(await rowsOf(dataset))).toEqual(expected.hub)
  })

  test('the error for a saved dictionary names its splits', async () => {
    const place = await hubPlace('http://127.0.0.1:9')
    const task = await place.task(`dataset_path: ${folder}/savedict\ntest_split: dev\n`)
    await expect(openDataset(task)).rejects.toThrow(
      /t\.yaml:5:13 {2}test_split: no split "dev" in .*savedict \(it has test, train\)/,
    )
  })
})
