import { describe, expect, test } from 'vitest'
import { openDataset } from '../../../../../stages/input/datasets/open-dataset.js'
import type { Dataset } from '../../../../../stages/input/datasets/dataset.js'
import { splitParts, sliceDataset } from '../../../../../stages/input/datasets/locate/split-slices.js'
import { loadTask } from '../../../../../stages/input/tasks/load-task.js'
import { temporaryFolder } from '../../temp-folder.js'

const folder = temporaryFolder()

const rowsOf = (count: number, isCounted: boolean): Dataset => ({
  files: [],
  columns: [],
  ...(isCounted ? { count } : {}),
  async *rows() {
    for (let i = 0; i < count; i++) yield await Promise.resolve({ i })
  },
})

async function taken(text: string, count: number, isCounted: boolean): Promise<readonly unknown[]> {
  const [part] = splitParts(text)
  const dataset = await sliceDataset(rowsOf(count, isCounted), part ?? { name: '' })
  const rows: unknown[] = []
  for await (const row of dataset.rows()) rows.push(row['i'])
  if (dataset.count !== undefined) expect(dataset.count).toBe(rows.length)
  return rows
}

describe.each([true, false])('a slice of a split (number of rows known: %s)', isCounted => {
  test.each([
    ['test', 4, [0, 1, 2, 3]],
    ['test[:]', 3, [0, 1, 2]],
    ['test[:2]', 4, [0, 1]],
    ['test[1:3]', 4, [1, 2]],
    ['test[-2:]', 5, [3, 4]],
    ['test[:-3]', 5, [0, 1]],
    ['test[:10%]', 25, [0, 1]],
    ['test[:50%]', 5, [0, 1]],
    ['test[50%:]', 7, [4, 5, 6]],
    ['test[-10%:]', 20, [18, 19]],
    ['test[3:100]', 5, [3, 4]],
    ['test[1_000:]', 5, []],
    ['test[4:2]', 5, []],
  ])('%s of %i rows', async (text, count, rows) => {
    expect(await taken(text, count, isCounted)).toEqual(rows)
  })
})

test.each(['test[', 'test[1]', 'test[:1.5]', 'a b+c', 'test[:200%]'])('rejects %s', text => {
  expect(() => splitParts(text)).toThrow(/names no split|a share of a split/)
})

test('reads slices of several splits in order, and includes them in the identity', async () => {
  for (const split of ['train', 'test'])
    await folder.write(`data/${split}.jsonl`, [0, 1, 2, 3].map(i => JSON.stringify({ q: `${split}${i}` })).join('\n'))
  const yaml = 'task: t\ndataset_path: ./data\ntest_split: train[:2]+test[75%:]\ndoc_to_text: q\ndoc_to_target: q\n'
  const dataset = await openDataset(await loadTask(await folder.write('t.yaml', yaml), { cacheDir: folder.path('c') }))
  const rows: unknown[] = []
  for await (const row of dataset.rows()) rows.push(row['q'])
  expect(rows).toEqual(['train0', 'train1', 'test3'])
  expect(dataset.count ?? 3).toBe(3)
})
