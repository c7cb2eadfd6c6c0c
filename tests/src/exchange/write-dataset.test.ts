import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parquetMetadataAsync } from 'hyparquet'
import { asyncBufferFromFile } from 'hyparquet/src/node.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readRows } from '../../../cache/parquet/read.js'
import type { DraftDoc } from '../../../cache/store.js'
import { writeDataset } from '../../../src/exchange/write/datasets/write-dataset.js'
import { question, temporaryFolder, temporaryStore, testRun } from '../../support/store.js'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
)
const python = process.env['PIPELINE_TEST_PYTHON'] ?? ''
const hasDatasets = python !== '' && spawnSync(python, ['-c', 'import datasets, PIL']).status === 0

/** A run of three docs, of which the first has a picture. */
async function exported(): Promise<{ readonly folder: string; readonly files: readonly string[] }> {
  const store = await temporaryStore()
  const run = await testRun(store, ['t'])
  const media = (await store.media.addBytes(pixel)).digest
  const pictured: DraftDoc = {
    ...question(0),
    requests: [
      {
        choice: 0,
        sample: 0,
        input: {
          type: 'generate_until',
          messages: [
            {
              role: 'user',
              content: [
                { type: 'image', media },
                { type: 'text', text: 'What?' },
              ],
            },
          ],
        },
        generation: {},
      },
    ],
  }
  await store.docs.commit(run, 0, [pictured, question(1), question(2)], true)
  const folder = await temporaryFolder()
  const limits = { groupRows: 1, groupBytes: 1_000_000, fileBytes: 100 }
  return { folder, files: await writeDataset(store, { run }, folder, limits) }
}

test('a run becomes shards with features, pictures as bytes, and a card that lists them', async () => {
  const { folder, files } = await exported()
  expect(files).toEqual([
    join(folder, 'README.md'),
    ...[0, 1, 2].map(at => join(folder, 'data/t', `train-0000${at}-of-00003.parquet`)),
  ])
  const rows = []
  for (const file of files.slice(1)) for await (const group of readRows(file)) rows.push(...group)
  expect(rows.map(({ doc_id: id }) => id)).toEqual(['0', '1', '2'])
  expect(rows.map(({ images }) => (images as readonly unknown[]).length)).toEqual([1, 0, 0])
  const [{ bytes = new Uint8Array() } = {}] = rows[0]?.['images'] as readonly { readonly bytes?: Uint8Array }[]
  expect(Buffer.from(bytes)).toEqual(pixel)
  expect(JSON.parse(String(rows[0]?.['messages']))).toEqual([
    { role: 'user', content: [{ type: 'image' }, { type: 'text', text: 'What?' }] },
  ])
  expect(rows[1]).toMatchObject({ target: 'answer 1', response: null, duration_seconds: null, input_tokens: null })
  const { key_value_metadata: pairs } = await parquetMetadataAsync(await asyncBufferFromFile(files[1] ?? ''))
  const value = pairs?.find(({ key }) => key === 'huggingface')?.value ?? '{}'
  expect(JSON.parse(value)).toMatchObject({
    info: { features: { images: [{ _type: 'Image' }], doc_id: { dtype: 'string', _type: 'Value' } } },
  })
  const card = (await readFile(join(folder, 'README.md'), 'utf8')).split('---\n')[1] ?? ''
  expect(parse(card)).toMatchObject({
    configs: [{ config_name: 't', data_files: [{ split: 'train', path: 'data/t/train-*.parquet' }] }],
  })
})

const loads = 'the Python package datasets opens a run and decodes its picture'
test.skipIf(!hasDatasets)(
  hasDatasets ? loads : `${loads} (skipped: PIPELINE_TEST_PYTHON has no datasets)`,
  async () => {
    const { folder } = await exported()
    const cache = await temporaryFolder()
    const code = `
import sys
from datasets import load_dataset
d = load_dataset(sys.argv[1], split="train", cache_dir=sys.argv[2])
print(len(d), d[0]["images"][0].size, len(d.to_pandas()), d[1]["images"], d.features["images"])`
    const { stdout, stderr } = spawnSync(python, ['-c', code, folder, cache], {
      encoding: 'utf8',
      env: { ...process.env, HF_HUB_OFFLINE: '1', HF_HOME: cache },
    })
    expect(stdout, stderr).toContain('3 (1, 1) 3 [] List(Image(')
  },
)
