import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDataFile } from '../../../../../stages/input/datasets/data-file.js'
import type { Doc } from '../../../../../stages/input/datasets/dataset.js'
import { newestManifest } from '../../../../../stages/input/datasets/arrow/saved-dataset.js'
import { openDataset } from '../../../../../stages/input/datasets/open-dataset.js'
import { loadTask } from '../../../../../stages/input/tasks/load-task.js'
import { root } from '../../../../support/cli.js'
import { temporaryFolder } from '../../../../support/store.js'

const table = join(root, 'tests/golden/datasets/table.lance')
const packageName = '@lancedb/lancedb'
const isInstalled = await import(packageName).then(
  () => true,
  () => false,
)

const rowsOf = async (rows: AsyncIterable<Doc>): Promise<readonly Doc[]> => {
  const read: Doc[] = []
  for await (const row of rows) read.push(row)
  return read
}

test('finds the newest version of a Lance table, however its manifest is named', async () => {
  const folder = await temporaryFolder()
  expect(await newestManifest(folder)).toBeUndefined()
  const versions = join(folder, '_versions')
  await mkdir(versions)
  for (const name of ['9.manifest', '10.manifest', 'latest_version_hint.json'])
    await writeFile(join(versions, name), '')
  expect(await newestManifest(folder)).toBe(join(versions, '10.manifest'))
  for (const last of ['14', '13']) await writeFile(join(versions, `184467440737095516${last}.manifest`), '')
  await rm(join(versions, '10.manifest'))
  await rm(join(versions, '9.manifest'))
  expect(await newestManifest(folder)).toBe(join(versions, '18446744073709551613.manifest'))
})

test.skipIf(isInstalled)('without the package that reads Lance, rejects a table and names the package', async () => {
  const file = join(await temporaryFolder(), 't.yaml')
  await writeFile(
    file,
    `task: t\ndoc_to_text: q\ndoc_to_target: a\ndataset_path: ${table}\ntest_split: test\noutput_type: generate_until\nmetric_list: [{metric: exact_match}]\n`,
  )
  const opened = loadTask(file, { cacheDir: await temporaryFolder() }).then(task => openDataset(task))
  await expect(opened).rejects.toThrow(`npm install ${packageName}`)
})

test.skipIf(!isInstalled)(`reads a Lance table in order and by column (needs ${packageName})`, async () => {
  const { dataset, isTyped } = await openDataFile((await newestManifest(table)) ?? '')
  expect(isTyped).toBe(true)
  expect(dataset.count).toBe(3)
  expect(dataset.columns.filter(({ isMedia }) => isMedia).map(({ name }) => name)).toEqual(['picture'])
  expect(await rowsOf(dataset.rows({ columns: ['id', 'question'] }))).toEqual([
    { id: 1, question: 'one' },
    { id: 2, question: 'two' },
    { id: 3, question: 'three' },
  ])
  const pictures = (await rowsOf(dataset.rows({ columns: ['picture'] }))).map(row => [
    ...(row['picture'] as Uint8Array),
  ])
  expect(pictures).toEqual([[1, 2, 3], [4], [5]])
})
