import { spawnSync } from 'node:child_process'
import { existsSync, statfsSync } from 'node:fs'
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCli, type Ended } from '../support/cli.js'
import { dumpOf, expectSound } from '../support/crash.js'
import { grow, mount, mountSmallDisk, run } from '../support/small-disk.js'
import { lookInto } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

const docs = 30

interface Place {
  readonly folder: string
  readonly store: string
  readonly line: (store: string) => readonly string[]
}

async function emptyPlace(count = docs): Promise<Place> {
  const folder = await temporaryFolder()
  const task = await writeTextTask(join(folder, 'task'), count)
  return {
    folder,
    store: join(folder, 'store'),
    line: store => ['eval', '--model', 'dummy', '--tasks', task, '--store', store],
  }
}

/** A store with a finished run. */
async function filledPlace(count = docs): Promise<Place> {
  const place = await emptyPlace(count)
  expect(await runCli(place.line(place.store))).toMatchObject({ code: 0 })
  return place
}

/** One line with the problem and what to do, without internals of the program. */
function expectRefusal({ code, stderr }: Ended, says: RegExp): void {
  expect(stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(says)])
  expect(stderr).toMatch(/^error: /)
  expect(stderr).not.toMatch(/internal error| {4}at /)
  expect(code).toBe(1)
}

test('leaves a store of a newer format unchanged, and says that a newer program is needed', async () => {
  const { store, line } = await filledPlace()
  const db = new Database(join(store, 'store.sqlite'))
  db.pragma('user_version = 99')
  db.close()
  const before = await readFile(join(store, 'store.sqlite'))
  for (const command of [line(store), ['report', 'last', '--store', store], ['cache', 'verify', '--store', store]])
    expectRefusal(
      await runCli(command),
      /has format 99, newer than this program's \d+\. Nothing was changed; use the newer/,
    )
  expect(await readFile(join(store, 'store.sqlite'))).toEqual(before)
})

test('leaves a database of another program unchanged', async () => {
  const { store, line } = await emptyPlace()
  await mkdir(store)
  const file = join(store, 'store.sqlite')
  const db = new Database(file)
  db.exec('CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES (1)')
  db.close()
  const before = await readFile(file)
  expectRefusal(
    await runCli(line(store)),
    /store\.sqlite is a database of another program\. Nothing was changed; choose/,
  )
  expectRefusal(await runCli(['runs', '--store', store]), /is a database of another program/)
  expect(await readFile(file)).toEqual(before)
})

test('leaves a file that is not a database unchanged', async () => {
  const { store, line } = await emptyPlace()
  await mkdir(store)
  await writeFile(join(store, 'store.sqlite'), 'dear diary,\n'.repeat(1000))
  expectRefusal(await runCli(line(store)), /store\.sqlite is not a database\. Nothing was changed; move it away/)
  expectRefusal(await runCli(['runs', '--store', store]), /is not a database/)
  expect(await readFile(join(store, 'store.sqlite'), 'utf8')).toBe('dear diary,\n'.repeat(1000))
})

test('leaves a file in place of the folder unchanged', async () => {
  const { store, line } = await emptyPlace()
  await writeFile(store, 'mine')
  expectRefusal(await runCli(line(store)), /store is a file, not a folder: .*Choose another with --store DIR/)
  expectRefusal(await runCli(['report', 'last', '--store', store]), /--store DIR/)
  expectRefusal(await runCli(line(join(store, 'below'))), /a file, not a folder|can't be/)
  expect(await readFile(store, 'utf8')).toBe('mine')
})

test('rejects a folder in place of the database', async () => {
  const { store, line } = await emptyPlace()
  await mkdir(join(store, 'store.sqlite'), { recursive: true })
  expectRefusal(await runCli(line(store)), /store\.sqlite is not a file: that is no store of ours/)
})

test('a reading command says that there is no store, and creates none', async () => {
  const { store } = await emptyPlace()
  expectRefusal(await runCli(['report', 'last', '--store', store]), /no store in .*--store DIR/)
  expect(existsSync(store)).toBe(false)
})

describe('a store locked by another program', () => {
  test.each(['BEGIN EXCLUSIVE', 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'])(
    'with %s is reported, and nothing is lost',
    async how => {
      const { folder, store, line } = await filledPlace()
      const before = await dumpOf(store)
      const other = new Database(join(store, 'store.sqlite'))
      other.exec(how)
      try {
        // Another command, because the same one would have nothing left to write.
        expectRefusal(
          await runCli([...line(store), '--limit', '5']),
          /store is locked by another program\. Nothing was lost; close/,
        )
      } finally {
        other.exec('COMMIT')
        other.close()
      }
      expect(await dumpOf(store)).toBe(before)
      expect(await runCli(line(store))).toMatchObject({ code: 0 })
      await expectSound(store)
      expect(folder).not.toBe('')
    },
  )
})

describe('a full disk', () => {
  const mounted = mountSmallDisk('8m')
  test.skipIf(mounted !== undefined)(
    `is reported in one line, and answers are kept (${mounted ?? 'on a small tmpfs'})`,
    async () => {
      const { folder, line } = await emptyPlace(20_000)
      const disk = join(folder, 'disk')
      await mkdir(disk)
      mount(disk, '8m')
      const store = join(disk, 'store')
      const ended = await runCli([...line(store), '--quiet'])
      expectRefusal(
        ended,
        /no space left on the disk of the store .* is kept; free some space and run the same command again/,
      )
      const { responses } = lookInto(store)
      expect(responses).toBeGreaterThan(0)
      grow(disk, '200m')
      expect(lookInto(store).responses).toBe(responses)
      expect(await runCli(line(store))).toMatchObject({ code: 0 })
      expect(lookInto(store)).toMatchObject({ responses: 20_000, verdicts: 20_000 })
      await expectSound(store)
    },
  )
})

describe('a full disk while a run is sealed', () => {
  const mounted = mountSmallDisk('1m')
  test.skipIf(mounted !== undefined)(`is reported in one line (${mounted ?? 'on a small tmpfs'})`, async () => {
    const { folder, store, line } = await filledPlace(4000)
    const before = await dumpOf(store)
    await rm(join(store, 'runs'), { recursive: true })
    const disk = join(folder, 'disk')
    await mkdir(disk)
    mount(disk, '100m')
    const there = join(disk, 'store')
    await cp(store, there, { recursive: true })
    const { blocks, bfree, bsize } = statfsSync(disk)
    grow(disk, `${(blocks - bfree) * bsize + 100_000}`)
    const full = /no space left on the disk of .*; free some space and run the same command again/
    expectRefusal(await runCli([...line(there), '--quiet']), full)
    expectRefusal(await runCli(['export', 'last', '--store', there, '-o', join(disk, 'run.pipeline')]), full)
    grow(disk, '100m')
    expect(await runCli(line(there))).toMatchObject({ code: 0 })
    expect(existsSync(join(there, 'runs'))).toBe(true)
    expect(await dumpOf(there)).toBe(before)
  })
})

describe('a read-only store', () => {
  const why = canMount() ? undefined : 'skipped: mounting needs root'
  test.skipIf(why !== undefined)(
    `can be used for reports, comparisons and exports (${why ?? 'on a read-only mount'})`,
    async () => {
      const { folder, store, line } = await filledPlace()
      expect(await runCli([...line(store), '--new-run'])).toMatchObject({ code: 0 })
      const before = await dumpOf(store)
      const locked = join(folder, 'locked')
      await cp(store, locked, { recursive: true })
      // The state that a writer leaves. A reader leaves a write-ahead log and shared memory, which make a database easier to open.
      for (const suffix of ['-wal', '-shm']) await rm(join(locked, `store.sqlite${suffix}`), { force: true })
      mountReadOnly(locked)
      expect(await dumpOf(locked)).toBe(before)
      for (const command of [
        ['report', 'last'],
        ['runs'],
        ['runs', 'show', 'last'],
        ['compare', 'last~1', 'last'],
        ['cache', 'stats'],
        ['cache', 'verify'],
        ['export', 'last', '-o', join(folder, 'run.pipeline')],
      ])
        expect(await runCli([...command, '--store', locked]), command.join(' ')).toMatchObject({ code: 0 })
      for (const command of [line(locked), ['judge', 'last', '--store', locked], ['resume', 'last', '--store', locked]])
        expectRefusal(
          await runCli(command),
          /can't be written .*It can still be reported from: pipeline report last --store/,
        )
      expect(await runCli(['import', join(folder, 'run.pipeline'), '--store', join(folder, 'other')])).toMatchObject({
        code: 0,
      })
    },
  )

  test.skipIf(why !== undefined)('contains what a killed process had committed', async () => {
    const { folder, store } = await filledPlace()
    // A copy taken before the write-ahead log is merged equals what a killed process leaves.
    const open = new Database(join(store, 'store.sqlite'))
    open.pragma('wal_autocheckpoint = 0')
    open.exec("UPDATE run SET name = 'from-the-log'")
    const locked = join(folder, 'locked')
    await cp(store, locked, { recursive: true })
    open.close()
    mountReadOnly(locked)
    expect(await runCli(['runs', '--store', locked])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('from-the-log') as string,
    })
  })

  const setpriv = spawnSync('setpriv', ['--version']).status === 0 && process.getuid?.() === 0
  test.skipIf(!setpriv)(
    `of another user is reported (${setpriv ? 'as nobody' : 'skipped: needs root and setpriv'})`,
    async () => {
      const { folder, store, line } = await filledPlace()
      await chmod(folder, 0o755)
      const asNobody = (args: readonly string[]): Ended => {
        const { status, stdout, stderr } = spawnSync(
          'setpriv',
          ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, 'dist/src/cli/bin.js', ...args],
          { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: '/', NO_COLOR: '1' } },
        )
        return { code: status, signal: null, stdout, stderr }
      }
      const report = asNobody(['report', 'last', '--dump', '--store', store])
      expect(report).toMatchObject({ code: 0, stderr: '', stdout: await dumpOf(store) })
      expectRefusal(asNobody(line(store)), /can't be written .*It can still be reported from/)
    },
  )
})

function canMount(): boolean {
  return mountSmallDisk('1m') === undefined
}

function mountReadOnly(folder: string): void {
  run('mount', ['--bind', folder, folder])
  onTestFinished(() => run('umount', [folder]))
  run('mount', ['-o', 'remount,bind,ro', folder])
}
