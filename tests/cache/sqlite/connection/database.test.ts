import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test, vi } from 'vitest'
import { databaseName, openToRead, openToWrite } from '../../../../cache/sqlite/connection/database.js'
import { storeError } from '../../../../cache/sqlite/connection/store-error.js'
import { temporaryFolder } from '../../../support/store.js'

test.each([
  Object.assign(new Error('… was compiled against a different Node.js version'), { code: 'ERR_DLOPEN_FAILED' }),
  new Error(
    'Could not locate the bindings file. Tried:\n → /app/node_modules/better-sqlite3/build/better_sqlite3.node',
  ),
])('names the command that rebuilds a library that was not built for this Node', error => {
  expect(storeError('/store', error).message).toMatch(
    /^SQLite is not built for this Node .*: npm rebuild better-sqlite3$/,
  )
})

test.each(['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'ENOSPC', 'EDQUOT'])('reports %s as a full disk', code => {
  const told = storeError('/store', Object.assign(new Error('disk I/O error'), { code }))
  expect(told).toMatchObject({ reason: 'store-full' })
  expect(told.message).toContain('no space left on the disk of the store /store')
})

test('a reader does not accept an empty database as a store', async () => {
  const dir = await temporaryFolder()
  await writeFile(join(dir, databaseName), '')
  expect(() => openToRead(dir)).toThrow(/^no store in /)
})

test('does not create a store that must exist', async () => {
  const dir = await temporaryFolder()
  const mistyped = join(dir, 'stroe')
  expect(() => openToWrite(mistyped, { isThere: true })).toThrow(/^no store in .*stroe/)
  expect(() => openToWrite(dir, { isThere: true })).toThrow(/^no store in /)
  expect(await readdir(dir)).toEqual([])
  openToWrite(dir).db.close()
  openToWrite(dir, { isThere: true }).db.close()
})

test('accepts a store that another process is creating at the same moment', async () => {
  const dir = join(await temporaryFolder(), 'store')
  await mkdir(dir)
  const empty = new Database(join(dir, databaseName))
  empty.pragma('journal_mode = WAL')
  empty.close()
  let made = 0
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with the connection as its `this`
  const pragma = Database.prototype.pragma
  vi.spyOn(Database.prototype, 'pragma').mockImplementation(function (this: Database.Database, ...args) {
    const answer: unknown = pragma.apply(this, args)
    if (args[0] === 'application_id' && made++ === 0) openToWrite(dir).db.close()
    return answer
  })
  try {
    const opened = openToWrite(dir)
    expect(opened.db.prepare('SELECT count(*) AS n FROM run').get()).toEqual({ n: 0 })
    opened.db.close()
  } finally {
    vi.restoreAllMocks()
  }
  expect(made).toBe(2)
})
