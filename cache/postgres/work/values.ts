import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { DamagedRowError } from '../../rows/sums.js'
import type { ValueStore } from '../../store.js'
import { nowSql, type Context } from '../connection/context.js'

/** Opens the values of a store on PostgreSQL. A damaged value is not ignored, because to forget it may cost money. */
export const postgresValues = ({ db, sum }: Context): ValueStore => ({
  get: name =>
    db.read(async query => {
      const [row] = await query<{ id: number; text: string; sum: number }>(
        'SELECT id, text, sum FROM memory WHERE name = $1',
        [name],
      )
      if (row === undefined) return undefined
      if (sum(name, row.text) !== row.sum) throw new DamagedRowError('memory', row.id)
      return JSON.parse(row.text) as Json
    }),
  set: (name, value) =>
    db.write(async query => {
      if (value === undefined) {
        await query('DELETE FROM memory WHERE name = $1', [name])
        return
      }
      const text = canonicalJson(value)
      await query(
        `INSERT INTO memory (name, text, sum) VALUES ($1, $2, $3)
         ON CONFLICT (name) DO UPDATE SET text = excluded.text, sum = excluded.sum`,
        [name, text, sum(name, text)],
      )
    }),
  update: (name, change) =>
    db.write(async query => {
      const none = canonicalJson(null)
      // Afterwards, a row exists that can be locked.
      await query('INSERT INTO memory (name, text, sum) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING', [
        ...[name, none, sum(name, none)],
      ])
      const [row] = await query<{ id: number; text: string; sum: number; now: number }>(
        `SELECT id, text, sum, ${nowSql} AS now FROM memory WHERE name = $1 FOR UPDATE`,
        [name],
      )
      if (row === undefined) throw new Error('internal error: a value vanished')
      if (sum(name, row.text) !== row.sum) throw new DamagedRowError('memory', row.id)
      const { value, told } = change((JSON.parse(row.text) as Json) ?? undefined, row.now)
      const text = canonicalJson(value)
      await query('UPDATE memory SET text = $2, sum = $3 WHERE id = $1', [row.id, text, sum(name, text)])
      return told
    }),
})
