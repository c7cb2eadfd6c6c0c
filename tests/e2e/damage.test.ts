import { cp, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import { runCli } from '../support/cli.js'
import { dumpOf, expectSound } from '../support/crash.js'
import { query } from '../support/store-look.js'
import { temporaryFolder } from '../support/store.js'
import { writeTextTask } from '../support/text-task.js'

interface Place {
  readonly store: string
  readonly line: readonly string[]
  /** The state before the damage. */
  readonly dump: string
}

const kept = await mkdtemp(join(tmpdir(), 'pipeline-damage-'))
afterAll(() => rm(kept, { recursive: true }))

/** Finished runs by their settings. Each is made once, and tests damage copies of it. */
const finished = new Map<string, Promise<Place>>()

const textTask = await writeTextTask(join(kept, 'task'), 40)

async function finishRun(settings: readonly string[]): Promise<Place> {
  const store = join(kept, `store-${finished.size}`)
  const line = ['eval', ...settings]
  expect(await runCli([...line, '--store', store])).toMatchObject({ code: 0 })
  return { store, line, dump: await dumpOf(store) }
}

/** A finished run in one database file without a write-ahead log. */
async function finishedRun(settings?: readonly string[]): Promise<Place> {
  const asked = settings ?? ['--model', 'dummy', '--tasks', textTask]
  const key = asked.join(' ')
  const made = finished.get(key) ?? finishRun(asked)
  finished.set(key, made)
  const { store: whole, line, dump } = await made
  const store = join(await temporaryFolder(), 'store')
  await cp(whole, store, { recursive: true })
  return { store, line: [...line, '--store', store], dump }
}

function change(store: string, sql: string): void {
  const db = new Database(join(store, 'store.sqlite'))
  expect(db.prepare(sql).run().changes, sql).toBe(1)
  db.close()
}

const verified = async (store: string, ...flags: readonly string[]) => {
  const { code, stdout } = await runCli(['cache', 'verify', '--json', '--store', store, ...flags])
  const { damaged } = JSON.parse(stdout) as { damaged: readonly { kind: string; name: string }[] }
  return { code, damaged }
}

/** A reader either returns the original data or reports damage, and nothing else. */
async function expectNoLie({ store, dump }: Place): Promise<void> {
  const { code, stdout, stderr } = await runCli(['report', 'last', '--dump', '--store', store])
  if (code === 0) return expect(stdout).toBe(dump)
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^error: damaged record: .*pipeline cache verify --repair --store .*\n$/) as string,
  })
}

/** The damage is reported and dropped, and the same command computes it again with the original results. */
async function expectMended(place: Place, kind: string, name: RegExp): Promise<void> {
  const { store, line, dump } = place
  await expectNoLie(place)
  const found = { damaged: [{ kind, name: expect.stringMatching(name) as string }] }
  expect(await verified(store)).toEqual({ code: 1, ...found })
  expect(await verified(store, '--repair')).toEqual({ code: 0, ...found })
  await expectNothingWrong(place)
  expect(await runCli(line)).toMatchObject({ code: 0 })
  await expectSound(store)
  expect(await dumpOf(store)).toBe(dump)
}

/** Between repair and the next run, data may be missing, but none may be wrong. */
async function expectNothingWrong({ store, dump }: Place): Promise<void> {
  const { stdout } = await runCli(['report', 'last', '--dump', '--store', store])
  const before = new Map(dump.split('\n').map(line => [placeOf(line), line]))
  for (const line of stdout.split('\n').filter(line => line.includes('"aggregate"')))
    expect(line).toBe(before.get(placeOf(line)))
}

const placeOf = (line: string): string => /"doc":"[^"]*"/.exec(line)?.[0] ?? line

const one = (table: string, column = 'id'): string =>
  `(SELECT ${column} FROM ${table} ORDER BY ${column} LIMIT 1 OFFSET 7)`

describe('a damaged row', () => {
  test('is reported, dropped and computed again: a byte of an answer in the file', async () => {
    const place = await finishedRun()
    const file = join(place.store, 'store.sqlite')
    const bytes = await readFile(file)
    // Split pages keep stale copies, so each copy is damaged.
    const row = '{"finishReason":"stop","text":"question 17"}'
    let hits = 0
    for (let at = bytes.indexOf(row); at >= 0; at = bytes.indexOf(row, at + 1)) {
      bytes[at + 41] = bytes[at + 41]! ^ 1
      hits += 1
    }
    expect(hits).toBeGreaterThan(0)
    await writeFile(file, bytes)
    await expectMended(place, 'response', /^sha256:[0-9a-f]{64}$/)
  })

  test.each([
    [
      'response',
      `UPDATE response SET body = replace(body, 'question', 'answer') WHERE seq = ${one('response', 'seq')}`,
    ],
    ['response', `UPDATE response SET meta = '{}' WHERE seq = ${one('response', 'seq')}`],
    ['response', `UPDATE response SET digest = zeroblob(32) WHERE seq = ${one('response', 'seq')}`],
    [
      'score',
      `UPDATE score SET body = replace(body, 'match":1', 'match":0') WHERE id = (SELECT max(id) FROM score WHERE body LIKE '%match":1%')`,
    ],
    ['score', `UPDATE score SET outcome = 'unparsed' WHERE id = ${one('score')}`],
    ['record', `UPDATE record SET preimage = replace(preimage, 'question', 'Question') WHERE id = ${one('record')}`],
    [
      'instance',
      `UPDATE instance SET preimage = replace(preimage, 'question', 'Question') WHERE id = ${one('instance')}`,
    ],
    ['preimage', `UPDATE preimage SET preimage = replace(preimage, '8', '9') WHERE kind = 'config'`],
    ['preimage', `UPDATE preimage SET preimage = preimage || ' ' WHERE kind = 'judge-config'`],
    ['preimage', `UPDATE preimage SET preimage = preimage || ' ' WHERE kind = 'task'`],
    [
      'preimage',
      `UPDATE preimage SET preimage = preimage || ' ' WHERE kind = 'code' AND id = (SELECT min(id) FROM preimage WHERE kind = 'code')`,
    ],
    [
      'preimage',
      `UPDATE preimage SET preimage = preimage || ' ' WHERE kind = 'code' AND id = (SELECT max(id) FROM preimage WHERE kind = 'code')`,
    ],
    ['item', `UPDATE item SET record = (SELECT max(id) FROM record) WHERE id = ${one('item')}`],
    ['item', `UPDATE item SET doc_id = 'other' WHERE id = ${one('item')}`],
    ['request', `UPDATE request SET instance = (SELECT max(id) FROM instance) WHERE id = ${one('request')}`],
    ['run', `UPDATE run SET asked = replace(asked, 'dummy', 'dumber')`],
    ['run', `UPDATE run SET provenance = replace(provenance, 'echoes', 'others')`],
    ['judgement', `UPDATE judgement SET aggregates = replace(aggregates, '"total":40', '"total":41')`],
    ['judgement', `UPDATE judgement SET finished = NULL, aggregates = NULL`],
  ])('is reported, dropped and computed again: %s (%s)', async (kind, sql) => {
    const place = await finishedRun()
    change(place.store, sql)
    await expectMended(place, kind, /./)
  })

  test.each([
    ['item', `UPDATE item SET doc_id = 'other' WHERE id = ${one('item')}`],
    ['request', `UPDATE request SET instance = (SELECT max(id) FROM instance) WHERE id = ${one('request')}`],
  ])('is computed again with all samples of its doc: %s', async (kind, sql) => {
    const place = await finishedRun(['--model', 'dummy', '--tasks', textTask, '--repeats', '2'])
    change(place.store, sql)
    await expectMended(place, kind, /./)
  })

  test('with an answer is not judged', async () => {
    const folder = await temporaryFolder()
    const store = join(folder, 'store')
    const flags = ['--model', 'dummy', '--tasks', await writeTextTask(join(folder, 'task'), 40), '--store', store]
    expect(await runCli(['infer', ...flags])).toMatchObject({ code: 0 })
    change(
      store,
      `UPDATE response SET body = replace(body, 'question', 'answer') WHERE seq = ${one('response', 'seq')}`,
    )
    const judged = await runCli(['judge', 'last', '--store', store])
    expect(judged).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error: damaged record: response') as string,
    })
    expect(await verified(store, '--repair')).toMatchObject({ damaged: [{ kind: 'response' }] })
    expect(await runCli(['eval', ...flags])).toMatchObject({ code: 0 })
    expect(query(store, "SELECT count(*) AS n FROM response WHERE body LIKE '%answer%'")).toEqual([{ n: 0 }])
  })

  test('that refers to another input is not sent', async () => {
    const folder = await temporaryFolder()
    const store = join(folder, 'store')
    const flags = ['--model', 'dummy', '--tasks', await writeTextTask(join(folder, 'task'), 40), '--store', store]
    expect(await runCli(['infer', '--input-only', ...flags])).toMatchObject({ code: 0 })
    change(store, `UPDATE request SET instance = (SELECT max(id) FROM instance) WHERE id = ${one('request')}`)
    expect(await runCli(['infer', ...flags])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('error: damaged record: request') as string,
    })
    expect(await verified(store, '--repair')).toMatchObject({ damaged: [{ kind: 'request' }] })
    expect(await runCli(['eval', ...flags])).toMatchObject({ code: 0 })
    await expectSound(store)
  })
})

describe('a damaged medium', () => {
  const quick = ['--config', 'examples/quickstart.yaml', '--limit', '6']

  const firstMedium = async (store: string): Promise<string> => {
    const [prefix] = (await readdir(join(store, 'media'))).sort()
    const [name] = await readdir(join(store, 'media', prefix!))
    return join(store, 'media', prefix!, name!)
  }

  test('is reported, dropped and read again from the dataset', async () => {
    const place = await finishedRun(quick)
    const file = await firstMedium(place.store)
    const bytes = await readFile(file)
    bytes[bytes.length - 20] = bytes[bytes.length - 20]! ^ 4
    await writeFile(file, bytes)
    await expectMended(place, 'medium', /^sha256:[0-9a-f]{64}$/)
    expect((await readFile(file)).equals(bytes)).toBe(false)
  })

  test('is never sent to a model', async () => {
    const store = join(await temporaryFolder(), 'store')
    const flags = [...quick, '--store', store]
    expect(await runCli(['infer', '--input-only', ...flags])).toMatchObject({ code: 0 })
    const file = await firstMedium(store)
    const bytes = await readFile(file)
    bytes[bytes.length - 20] = bytes[bytes.length - 20]! ^ 4
    await writeFile(file, bytes)
    const asked = await runCli(['eval', ...flags])
    expect(asked.code).toBe(2)
    expect(asked.stderr).toMatch(/ media +medium sha256:/)
    expect(await verified(store, '--repair')).toMatchObject({ damaged: [{ kind: 'medium' }] })
    expect(await runCli(['eval', ...flags])).toMatchObject({ code: 0 })
  })

  test('that is missing fails its docs, and a repair reads them again', async () => {
    const store = join(await temporaryFolder(), 'store')
    const flags = [...quick, '--store', store]
    expect(await runCli(['infer', '--input-only', ...flags])).toMatchObject({ code: 0 })
    await rm(await firstMedium(store))
    const asked = await runCli(['eval', ...flags])
    expect(asked).toMatchObject({ code: 2, stderr: expect.stringMatching(/ media +medium sha256:/) as string })
    expect(await verified(store)).toMatchObject({ code: 1, damaged: [{ kind: 'missing medium' }] })
    expect(await verified(store, '--repair')).toMatchObject({ damaged: [{ kind: 'missing medium' }] })
    expect(await runCli(['eval', ...flags])).toMatchObject({ code: 0 })
    expect(await verified(store)).toEqual({ code: 0, damaged: [] })
  })
})
