import { canonicalJson, type Json } from '../../../base/canonical-json.js'
import type { Context } from '../connection/context.js'
import { DamagedRowError } from '../rows.js'

/** @throws DamagedRowError where it is not what was written: to have forgotten may cost money, so it is not passed over. */
export function getValue(context: Context, name: string): Json | undefined {
  const row = context
    .sql<{ id: number; text: string; sum: number }>('SELECT id, text, sum FROM memory WHERE name = ?')
    .get(name)
  if (row === undefined) return undefined
  if (context.sum(name, row.text) !== row.sum) throw new DamagedRowError('memory', row.id)
  return JSON.parse(row.text) as Json
}

export function setValue(context: Context, name: string, value: Json | undefined): Promise<void> {
  if (value === undefined) {
    return context.commit.add(() => void context.sql('DELETE FROM memory WHERE name = ?').run(name))
  }
  const text = canonicalJson(value)
  const sql = `INSERT INTO memory (name, text, sum) VALUES (?, ?, ?)
    ON CONFLICT (name) DO UPDATE SET text = excluded.text, sum = excluded.sum`
  return context.commit.add(() => void context.sql(sql).run(name, text, context.sum(name, text)))
}
