import { canonicalJson, type Json } from '../../../base/values/canonical-json.js'
import { DamagedRowError } from '../../rows/sums.js'
import type { ValueStore } from '../../store.js'
import type { Context, Read } from '../connection/context.js'

/** Opens the values of a store on SQLite. */
export const sqliteValues = (context: Context, read: Read): ValueStore => ({
  get: name => read(() => getValue(context, name)),
  set: (name, value) =>
    context.commit.add(() => {
      if (value === undefined) context.sql('DELETE FROM memory WHERE name = ?').run(name)
      else setValue(context, name, value)
    }),
  update: (name, change) =>
    context.commit.add(() => {
      const { value, told } = change(getValue(context, name), context.now())
      setValue(context, name, value)
      return told
    }),
})

/** @throws DamagedRowError if the value is damaged. It is not ignored, because to forget it may cost money. */
function getValue(context: Context, name: string): Json | undefined {
  const row = context
    .sql<{ id: number; text: string; sum: number }>('SELECT id, text, sum FROM memory WHERE name = ?')
    .get(name)
  if (row === undefined) return undefined
  if (context.sum(name, row.text) !== row.sum) throw new DamagedRowError('memory', row.id)
  return JSON.parse(row.text) as Json
}

function setValue(context: Context, name: string, value: Json): void {
  const text = canonicalJson(value)
  context
    .sql(
      `INSERT INTO memory (name, text, sum) VALUES (?, ?, ?)
       ON CONFLICT (name) DO UPDATE SET text = excluded.text, sum = excluded.sum`,
    )
    .run(name, text, context.sum(name, text))
}
