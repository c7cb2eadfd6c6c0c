import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { databaseName, holdsDatabase, openToRead, openToWrite } from '../../../cache/sqlite/connection/database.js'
import { temporaryFolder } from '../../support/store.js'

/** Runs this process as a user without access until the test ends. Tests may run as root, whom no mode keeps out. */
function leaveRoot(): void {
  if (process.geteuid?.() !== 0) return
  process.seteuid?.(65_534)
  onTestFinished(() => process.seteuid?.(0))
}

/** Creates a store whose folder or database has the given mode. */
async function makeStore(mode: number, name = ''): Promise<string> {
  const dir = await temporaryFolder()
  openToWrite(dir).db.close()
  await chmod(dir, 0o755)
  await chmod(join(dir, name), mode)
  onTestFinished(() => chmod(dir, 0o755))
  leaveRoot()
  return dir
}

const refusal = (dir: string): string =>
  `cannot read ${join(dir, databaseName)}: permission denied. Work as the owner of the store (ls -ld ${dir}), or have the owner allow it: chmod -R a+rX ${dir}`

test('says that this user may not enter the folder, not that the store is missing', async () => {
  const dir = await makeStore(0o000)
  expect(() => openToRead(dir)).toThrow(refusal(dir))
  expect(() => openToWrite(dir, { isThere: true })).toThrow(refusal(dir))
  expect(() => holdsDatabase(dir)).toThrow(refusal(dir))
})

test('says that this user may not read the database', async () => {
  const dir = await makeStore(0o000, databaseName)
  expect(() => openToRead(dir)).toThrow(refusal(dir))
  expect(() => openToWrite(dir)).toThrow(refusal(dir))
})
