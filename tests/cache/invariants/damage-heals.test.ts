import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { Store } from '../../../cache/store.js'
import { docs, dumpOf, inStore, line } from '../../support/line.js'
import { temporaryFolder } from '../../support/store.js'

/** What a reader sees before the repair; undefined if it reports damage. */
async function reported(store: Store): Promise<string | undefined> {
  try {
    const run = (await store.runs.list()).at(-1)
    const judgement = run && (await store.judgements.list(run)).at(-1)
    return run && judgement && (await dumpOf(store, { run, judgement }))
  } catch (error) {
    expect(error).toMatchObject({ code: 'store', message: expect.stringContaining('damaged record: ') as string })
    return undefined
  }
}

type Value = string | number | bigint | Buffer | null

const changes: Readonly<Record<string, (value: Value) => Value>> = {
  changed: value => {
    if (typeof value === 'number') return value + 1
    if (typeof value === 'string') return value.replace(/[a-z](?=[^a-z]*$)/, 'z') + ' '
    if (!Buffer.isBuffer(value)) return 7
    const bytes = Buffer.from(value)
    bytes[3] = bytes[3]! ^ 4
    return bytes
  },
  emptied: value => (typeof value === 'string' ? '' : Buffer.isBuffer(value) ? Buffer.alloc(value.length) : 0),
  garbage: () => 'garbage',
  // The row's primary key.
  moved: () => 999,
}

// Tables left out hold current leases and caches.
const tables = [
  ...['preimage', 'instance', 'record', 'request', 'response', 'run', 'input_progress', 'item', 'judgement', 'score'],
  ...['verdict', 'memory', 'run_file'],
]

interface Damage {
  readonly what: string
  readonly apply: (db: Database.Database) => void
}

/** One value of one row, for each table, column and way to damage it. */
function damages(db: Database.Database, ways: readonly string[]): readonly Damage[] {
  return tables.flatMap(table => {
    const columns = db.prepare<[], { name: string; pk: number }>(`PRAGMA table_info(${table})`).all()
    const rows = db.prepare<[], Record<string, Value>>(`SELECT * FROM ${table}`).all()
    const chosen = table === 'preimage' ? rows : rows.slice(2, 3).concat(rows.slice(0, rows.length > 2 ? 0 : 1))
    const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => name)
    return chosen.flatMap((row, index) =>
      columns.flatMap(({ name }) =>
        (['id', 'seq'].includes(name) ? ['moved'] : ways).map(way => ({
          what: `${table} ${index} ${name} ${way}`,
          apply: (damaged: Database.Database) =>
            void damaged
              .prepare(
                `UPDATE OR IGNORE ${table} SET ${name} = ? WHERE ${key.map(part => `${part} = ?`).join(' AND ')}`,
              )
              .run(changes[way]!(row[name]!), ...key.map(part => row[part])),
        })),
      ),
    )
  })
}

test.each([
  ['a finished run', docs, ['changed', 'garbage']],
  ['a run with requests that are still to be asked', 2, ['emptied']],
])(
  'a damaged value of %s is reported or harmless, and its repair costs at most one answer',
  async (_, answered, ways) => {
    const folder = await temporaryFolder()
    const [whole, sound] = [join(folder, 'whole'), join(folder, 'sound')]
    const expected = await inStore(whole, async store => dumpOf(store, await line(store)))
    const before = await inStore(sound, async store => {
      const ended = await line(store, answered)
      await store.values.set('pace', 3)
      return dumpOf(store, ended)
    })
    const found = new Database(join(sound, 'store.sqlite'))
    const cases = damages(found, ways)
    found.close()
    for (const [index, { what, apply }] of cases.entries()) {
      const dir = join(folder, `${index}`)
      await cp(sound, dir, { recursive: true })
      damage(dir, apply)
      await inStore(dir, async store => {
        const report = await reported(store)
        const { damaged } = await store.upkeep.verify({ repair: false })
        if (damaged.length === 0 && report !== undefined) expect(report, what).toBe(before)
        expect((await store.upkeep.verify({ repair: true })).damaged.length > 0, what).toBe(damaged.length > 0)
        const ended = await line(store)
        expect(ended.asked, what).toBeLessThanOrEqual(docs - answered + 1)
        expect(await dumpOf(store, ended), what).toBe(expected)
        expect((await store.upkeep.verify({ repair: false })).damaged, what).toEqual([])
      })
    }
  },
)

function damage(dir: string, apply: (db: Database.Database) => void): void {
  const db = new Database(join(dir, 'store.sqlite'))
  db.pragma('foreign_keys = OFF')
  apply(db)
  db.close()
}
