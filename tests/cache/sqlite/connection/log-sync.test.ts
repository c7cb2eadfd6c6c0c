import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { LogSync } from '../../../../cache/sqlite/connection/log-sync.js'
import { temporaryFolder } from '../../../support/store.js'

async function database(): Promise<string> {
  const file = join(await temporaryFolder(), 'cache.db')
  await writeFile(file, '')
  await writeFile(`${file}-wal`, '')
  return file
}

test('a database that was deleted under a run is noticed at the next commit', async () => {
  const file = await database()
  const log = new LogSync(file)
  await log.sync()
  await rm(file)
  await expect(log.sync()).rejects.toThrow(
    /^the store in .* was deleted while it was written to: .* start the same line again/,
  )
  await log.close()
})

test('one that was replaced is another one', async () => {
  const file = await database()
  const log = new LogSync(file)
  await writeFile(`${file}-new`, '')
  await rename(`${file}-new`, file)
  await expect(log.sync()).rejects.toThrow(/ was replaced while it was written to/)
  await log.close()
})
