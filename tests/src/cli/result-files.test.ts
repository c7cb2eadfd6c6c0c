import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeResultFolder } from '../../../src/cli/result-files.js'
import { temporaryFolder } from '../../support/store.js'

test('creates the folder for results, or rejects it with its flag, before work starts', async () => {
  const folder = await temporaryFolder()
  makeResultFolder(join(folder, 'a/b'))
  expect((await stat(join(folder, 'a/b'))).isDirectory()).toBe(true)
  await writeFile(join(folder, 'file'), '')
  expect(() => makeResultFolder(join(folder, 'file'))).toThrow(/^--output-path .*file: EEXIST/)
})
