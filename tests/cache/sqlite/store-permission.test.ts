import { basename, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { databaseName, holdsDatabase, openToRead, openToWrite } from '../../../cache/sqlite/connection/database.js'
import { temporaryFolder } from '../../support/store.js'

// Tests may run as root, whom no mode keeps out: the system's refusals are put in their place.
const shut = vi.hoisted(() => ({ isFolder: false, isFile: false }))

vi.mock('node:fs', async original => {
  const fs = await original<typeof import('node:fs')>()
  const denied = (path: string) =>
    Object.assign(new Error(`EACCES: permission denied, '${path}'`), { code: 'EACCES', path })
  const isDatabase = (path: unknown): path is string =>
    typeof path === 'string' && basename(path) === 'store.sqlite' && !path.includes('pipeline-read-')
  return {
    ...fs,
    existsSync: (path: string) => !(shut.isFolder && isDatabase(path)) && fs.existsSync(path),
    statSync: (...args: Parameters<typeof fs.statSync>) => {
      if (shut.isFolder && isDatabase(args[0])) throw denied(args[0])
      return fs.statSync(...args)
    },
    accessSync: (...args: Parameters<typeof fs.accessSync>) => {
      if ((shut.isFolder || shut.isFile) && isDatabase(args[0])) throw denied(args[0])
      fs.accessSync(...args)
    },
    copyFileSync: (...args: Parameters<typeof fs.copyFileSync>) => {
      if (shut.isFile && isDatabase(args[0])) throw denied(args[0])
      fs.copyFileSync(...args)
    },
  }
})

vi.mock('better-sqlite3', async original => {
  const { default: Database } = await original<{ default: typeof import('better-sqlite3') }>()
  return {
    default: class extends Database {
      constructor(file: string, options?: ConstructorParameters<typeof Database>[1]) {
        if (shut.isFile && basename(file) === 'store.sqlite')
          throw Object.assign(new Error('unable to open database file'), { code: 'SQLITE_CANTOPEN' })
        super(file, options)
      }
    },
  }
})

beforeEach(() => void Object.assign(shut, { isFolder: false, isFile: false }))

const refusal = (dir: string): string =>
  `cannot read ${join(dir, databaseName)}: permission denied. Work as the owner of the store (ls -ld ${dir}), or have the owner allow it: chmod -R a+rX ${dir}`

test('says that this user may not enter the folder, instead of that there is no store', async () => {
  const dir = await temporaryFolder()
  openToWrite(dir).db.close()
  shut.isFolder = true
  expect(() => openToRead(dir)).toThrow(refusal(dir))
  expect(() => openToWrite(dir, { isThere: true })).toThrow(refusal(dir))
  expect(() => holdsDatabase(dir)).toThrow(refusal(dir))
})

test('says that this user may not read the database', async () => {
  const dir = await temporaryFolder()
  openToWrite(dir).db.close()
  shut.isFile = true
  expect(() => openToRead(dir)).toThrow(refusal(dir))
  expect(() => openToWrite(dir)).toThrow(refusal(dir))
})
