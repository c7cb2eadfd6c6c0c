import type { Context } from '../connection/context.js'
import { sumOfItem, type ItemRow } from '../work/items.js'

/** Lets an item refer to other rows than it did. Call inside a write transaction. */
export function repointItem(
  context: Context,
  item: ItemRow,
  to: { readonly request?: number; readonly record?: number },
): void {
  const { request, record } = { request: item.request, record: item.record, ...to }
  context
    .sql('UPDATE item SET request = ?, record = ?, sum = ? WHERE id = ?')
    .run(request, record, sumOfItem(context, { ...item, request, record }), item.id)
}

/** Lets all that uses a record use another, which says the same. Call inside a write transaction. */
export function repointRecord(context: Context, from: number, to: number): void {
  for (const item of context.sql<ItemRow>('SELECT * FROM item WHERE record = ?').all(from))
    repointItem(context, item, { record: to })
  for (const table of ['score', 'revision'])
    context.sql(`UPDATE ${table} SET record = ? WHERE record = ?`).run(to, from)
}
