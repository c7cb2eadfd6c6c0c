import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formatFolderPath, withWrittenFiles } from '../../../../stages/judge/python/written-files.js'
import { temporaryFolder } from '../../../support/store.js'

test("the folder of a task is inside the folder of the run, whatever the task's name", () => {
  expect(formatFolderPath('/runs/a', 'mmmu', 'none')).toBe('/runs/a/mmmu')
  expect(formatFolderPath('/runs/a', 'mmlu/anatomy', 'flexible')).toBe('/runs/a/mmlu_anatomy/flexible')
  expect(formatFolderPath('/runs/a', '../../b', '..')).toBe('/runs/a/__.._b/_')
})

test('keeps files that code writes, and removes the temporary folder', async () => {
  const exchange = await temporaryFolder()
  const kept = join(await temporaryFolder(), 'mmmu')
  const write = async (folder: string) => {
    await writeFile(join(folder, 'submission.json'), '[]')
    return 1
  }
  expect(await withWrittenFiles({ exchange, kept }, write)).toEqual({
    result: 1,
    written: [join(kept, 'submission.json')],
  })
  expect(await readFile(join(kept, 'submission.json'), 'utf8')).toBe('[]')
  expect(await readdir(exchange)).toEqual([])
})
