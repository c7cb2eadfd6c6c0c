import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { authorName } from '../../../src/labels/author.js'
import { temporaryFolder } from '../../support/store.js'

test('the author is PIPELINE_AUTHOR, or the user of git, or the login name', async () => {
  const home = await temporaryFolder()
  const config = join(home, 'gitconfig')
  await writeFile(config, '[user]\n  name = Ada Lovelace\n')
  const env = { PATH: process.env['PATH'], HOME: home, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: config }
  expect(await authorName({ ...env, PIPELINE_AUTHOR: ' Bob ' })).toBe('Bob')
  expect(await authorName({ ...env, PIPELINE_AUTHOR: '' })).toBe('Ada Lovelace')
  expect(await authorName({ PATH: home })).toBe(userInfo().username)
})
