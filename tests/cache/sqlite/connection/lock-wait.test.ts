import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import { writePresenceFile } from '../../../../cache/sqlite/connection/presence-files.js'
import { databaseName, openToWrite } from '../../../../cache/sqlite/connection/database.js'
import { GroupCommit } from '../../../../cache/sqlite/connection/group-commit.js'
import { lockHolder } from '../../../../cache/sqlite/connection/lock-holder.js'
import { createPatience, type LockPatience } from '../../../../cache/sqlite/connection/lock-wait.js'
import { thisProcess } from '../../../../base/processes/process-identity.js'
import { temporaryFolder, temporaryStore } from '../../../support/store.js'

const now = (): number => 0
const self = thisProcess()
/** A process that does not hold the lock. */
const another = { ...self, pid: 1, startTime: '0' }

/** Whether the operating system can name the process that holds a lock. */
const areLocksTold = (): boolean =>
  existsSync('/proc/locks') && readFileSync('/proc/locks', 'utf8').includes(` WRITE ${process.pid} `)

test('waits for a lock of another process of this program', async context => {
  const dir = await temporaryFolder()
  await temporaryStore(dir)
  const other = new Database(join(dir, databaseName))
  other.exec('BEGIN IMMEDIATE')
  context.skip(!areLocksTold(), 'this system does not tell who holds locks')
  const told: string[] = []
  const tell = (line: string): void => {
    told.push(line)
    other.exec('COMMIT')
  }
  await (await openStore(dir, { waiting: { tell } })).close()
  other.close()
  expect(told).toEqual([expect.stringContaining(`waiting for process ${process.pid}, which keeps the store in ${dir}`)])
})

test('names once the process that holds the lock', async () => {
  const dir = await temporaryFolder()
  writePresenceFile(dir, self, 0)
  const told: string[] = []
  const patience = createPatience(dir, { self: another, now, tries: 1 }, { tell: line => void told.push(line) })
  for (let met = 0; met < 3; met++) await patience.wait(new Error('busy'))
  expect(told).toEqual([expect.stringContaining(`process ${self.pid}`)])
})

test('first waits with short pauses for other writers, and names nobody, again after each success', async () => {
  const dir = await temporaryFolder()
  writePresenceFile(dir, self, 0)
  const told: string[] = []
  const patience = createPatience(
    dir,
    { self: another, now, tries: 1, firstPauseMs: 125 },
    { tell: line => void told.push(line) },
  )
  await patience.wait(new Error('busy'))
  expect(told).toEqual([])
  await patience.wait(new Error('busy'))
  expect(told).toHaveLength(1)
  patience.reset()
  await patience.wait(new Error('busy'))
  expect(told).toHaveLength(1)
})

test('retries a lock of another program a few times, then names its process', async () => {
  const dir = await temporaryFolder()
  openToWrite(dir).db.close()
  const other = new Database(join(dir, databaseName))
  other.exec('BEGIN IMMEDIATE')
  const patience = createPatience(dir, { self, now, tries: 2 })
  await patience.wait(new Error('busy'))
  const program = areLocksTold() ? (expect.stringContaining(`process ${process.pid}`) as string) : undefined
  await expect(patience.wait(new Error('busy'))).rejects.toMatchObject({ code: 'SQLITE_BUSY', program })
  other.close()
})

test('announces a process that opens a store until the process has ended', async () => {
  const dir = await temporaryFolder()
  const takeBack = writePresenceFile(dir, self, 0)
  writePresenceFile(dir, { ...self, startTime: 'before' }, 0)
  expect(lockHolder(dir, another, 0)).toEqual({ owner: { ...self, seen: 0 } })
  expect(await readdir(dir)).toEqual([`.opening-${self.pid}-${self.startTime}`])
  takeBack()
  expect(lockHolder(dir, another, 0)).toEqual({})
  expect(await readdir(dir)).toEqual([])
})

test('a closed store has no presence files, not even those of killed processes', async () => {
  const dir = await temporaryFolder()
  writePresenceFile(dir, { ...self, startTime: 'before' }, 0)
  writePresenceFile(dir, { ...self, host: 'elsewhere', startTime: 'long ago' }, 0)
  await (await openStore(dir)).close()
  expect((await readdir(dir)).filter(name => name.startsWith('.'))).toEqual([])
})

test('a stopped process no longer waits', async () => {
  const dir = await temporaryFolder()
  const stop = new AbortController()
  const patience = createPatience(dir, { self, now, tries: 100 }, { stop: stop.signal })
  const waiting = patience.wait(new Error('busy'))
  stop.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })
  await expect(patience.wait(new Error('busy'))).rejects.toMatchObject({ name: 'AbortError' })
})

/** A database that is locked until `wait` is called, and a group commit that waits for it. */
async function locked(wait: (unlock: () => void) => Promise<void>) {
  const file = join(await temporaryFolder(), 'db')
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE written (value TEXT)')
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  const patience: LockPatience = { wait: () => wait(() => other.exec('COMMIT')), reset: () => undefined }
  const commit = new GroupCommit(db, { sync: () => Promise.resolve(), explain: error => error, patience })
  const write = (value: string): Promise<string> =>
    commit.add(() => {
      db.prepare('INSERT INTO written VALUES (?)').run(value)
      return value
    })
  return { commit, write, written: () => db.prepare('SELECT value FROM written').pluck().all() }
}

test('writes that meet a lock are written after it in order, and a flush waits for them', async () => {
  let later: Promise<string> | undefined
  const { commit, write, written } = await locked(unlock => {
    later = write('b')
    unlock()
    return Promise.resolve()
  })
  const first = write('a')
  await commit.flush()
  expect(written()).toEqual(['a', 'b'])
  expect([await first, await later]).toEqual(['a', 'b'])
})

test('writes fail with the error that ends the wait', async () => {
  const { write, written } = await locked(() => Promise.reject(new Error('locked for good')))
  await expect(write('a')).rejects.toThrow('locked for good')
  expect(written()).toEqual([])
})

test.skipIf(!existsSync('/proc/self/stat'))('waits a minute for a suspended process that holds the lock', async () => {
  const dir = await temporaryFolder()
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child, 'spawn')
  const pid = child.pid ?? 0
  child.kill('SIGSTOP')
  const isStopped = (): boolean => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  while (!isStopped()) await new Promise(resolve => setImmediate(resolve))
  writePresenceFile(dir, { ...self, pid, startTime: 'unknown' }, 0)
  let uptime = 0
  const told: string[] = []
  const patience = createPatience(
    dir,
    { self, now, tries: 1, uptime: () => (uptime += 30_000) },
    { tell: line => void told.push(line) },
  )
  await patience.wait(new Error('busy'))
  await patience.wait(new Error('busy'))
  await expect(patience.wait(new Error('busy'))).rejects.toMatchObject({
    program: expect.stringContaining(`kill -CONT ${pid}`) as string,
  })
  expect(told).toEqual([expect.not.stringContaining('min now'), expect.stringContaining('(for 1 min now)')])
})

test('waits for a lock up to the limit, and not again until a write succeeds', async () => {
  const dir = await temporaryFolder()
  let time = 0
  const patience = createPatience(dir, { self, now, tries: 100, uptime: () => time }, { limitMs: 5000 })
  await patience.wait(new Error('busy'))
  time = 5000
  await expect(patience.wait(new Error('busy'))).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
  await expect(patience.wait(new Error('busy'))).rejects.toMatchObject({ code: 'SQLITE_BUSY' })
  patience.reset()
  await patience.wait(new Error('busy'))
})

test.each([
  ['a signal to finish', false, ['drain', 'stop']],
  ['a signal to stop alone, while answers may be lost with the work', true, ['stop']],
] as const)('a wait ends by %s', async (_, holdsAnswers, ending) => {
  const dir = await temporaryFolder()
  writePresenceFile(dir, self, 0)
  for (const signal of ['drain', 'stop'] as const) {
    const signals = { drain: new AbortController(), stop: new AbortController() }
    const { drain, stop } = signals
    const patience = createPatience(dir, { self: another, now, tries: 1 }, { drain: drain.signal, stop: stop.signal })
    const waits = patience.wait(new Error('busy'), { holdsAnswers })
    signals[signal].abort()
    if ((ending as readonly string[]).includes(signal)) await expect(waits).rejects.toThrow(/aborted/)
    else await waits
  }
})

test('a write before the first lease is given up at a signal to finish, a later one waits on', async () => {
  const waited: (boolean | undefined)[] = []
  const end = new Error('interrupted')
  const { write } = await locked(() => Promise.reject(end))
  await expect(write('a')).rejects.toBe(end)
  const db = new Database(':memory:')
  db.exec('CREATE TABLE written (value TEXT)')
  const patience: LockPatience = {
    wait: (_, options) => Promise.reject(new Error(String(waited.push(options?.holdsAnswers)))),
    reset: () => undefined,
  }
  const busy = new GroupCommit(db, { sync: () => Promise.resolve(), explain: error => error, patience })
  const fail = (): never => {
    throw Object.assign(new Error('locked'), { code: 'SQLITE_BUSY' })
  }
  await expect(busy.add(fail)).rejects.toThrow('1')
  busy.expectAnswers()
  await expect(busy.add(fail)).rejects.toThrow('2')
  expect(waited).toEqual([false, true])
})
