import { rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { LogSync, UnsyncedError } from '../../../../cache/sqlite/connection/log-sync.js'
import { temporaryFolder, temporaryStore } from '../../../support/store.js'

async function database(): Promise<string> {
  const file = join(await temporaryFolder(), 'cache.db')
  await writeFile(file, '')
  await writeFile(`${file}-wal`, '')
  return file
}

test('notices at the next commit that the database was deleted during a run', async () => {
  const file = await database()
  const log = new LogSync(file)
  await log.sync()
  await rm(file)
  await expect(log.sync()).rejects.toThrow(
    /^the store in .* was deleted while it was written to: .* run the same command again/,
  )
  await log.close()
})

test('notices a database that was replaced', async () => {
  const file = await database()
  const log = new LogSync(file)
  await writeFile(`${file}-new`, '')
  await rename(`${file}-new`, file)
  await expect(log.sync()).rejects.toThrow(/ was replaced while it was written to/)
  await log.close()
})

test('opens a log again at the next commit if it could not be opened', async () => {
  const file = await database()
  await rename(`${file}-wal`, `${file}-away`)
  const log = new LogSync(file)
  await expect(log.sync()).rejects.toThrow(/ENOENT/)
  await rename(`${file}-away`, `${file}-wal`)
  await expect(log.sync()).resolves.toBeUndefined()
  await log.close()
})

test('distinguishes a disk that fails to sync from a full disk', async () => {
  const file = await database()
  await rm(`${file}-wal`)
  // The file can be written but not synced.
  await symlink('/dev/null', `${file}-wal`)
  const log = new LogSync(file)
  await expect(log.sync()).rejects.toThrow(new UnsyncedError('EINVAL'))
  await log.close()
})

test('after a failed sync the store accepts no write, and says that a restart is needed', async () => {
  const store = await temporaryStore()
  const sync = vi.spyOn(LogSync.prototype, 'sync').mockRejectedValueOnce(new UnsyncedError('ENOSPC'))
  const refused = {
    reason: 'store-unsynced',
    message: expect.stringMatching(/did not confirm what was written \(ENOSPC\).* must be restarted\.$/) as string,
  }
  await expect(store.probe()).rejects.toMatchObject(refused)
  await expect(store.probe()).rejects.toMatchObject(refused)
  sync.mockRestore()
})
