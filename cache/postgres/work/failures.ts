import { wellFormed } from '../../../base/text/visible-text.js'
import { checkedFailure, sumOfFailure, type FailureRow } from '../../rows/answers.js'
import { isPermanent, type Failure } from '../../records.js'
import { splitColumns, fromColumn, nowSql, toColumn, type Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import { failureColumns } from './item-sql.js'

/** A failure of an item of a run. */
export interface NewFailure {
  readonly run: number
  readonly item: number
  readonly request: number | null
  readonly failure: Failure
}

/** Stores failures. Call inside a write transaction. */
export async function insertFailures(
  { sum, owners, changes }: Context,
  query: Query,
  failures: readonly NewFailure[],
): Promise<void> {
  if (failures.length === 0) return
  changes.own += failures.length
  await changes.announce(query)
  const rows = failures.map(({ run, item, request, failure }) => {
    const content = {
      ...{ run, item, request, class: failure.class, message: wellFormed(failure.message) },
      ...{ attempts: failure.attempts, permanent: isPermanent(failure) ? 1 : 0 },
    }
    return { ...content, message: toColumn(content.message), sum: sumOfFailure({ sum }, content) }
  })
  await query(
    `INSERT INTO failure (run, item, request, class, message, attempts, permanent, owner, at, sum)
     SELECT u.run, u.item, u.request, u.class, u.message, u.attempts, u.permanent, $9, ${nowSql}, u.sum
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::integer[], $7::smallint[], $8::bigint[])
       WITH ORDINALITY u(run, item, request, class, message, attempts, permanent, sum, place) ORDER BY place`,
    [
      ...splitColumns(rows, ['run', 'item', 'request', 'class', 'message', 'attempts', 'permanent', 'sum']),
      owners.registered ?? 0,
    ],
  )
}

/** Reads failures by number. @throws DamagedRowError if one is damaged */
export async function readFailures(
  sums: Context,
  query: Query,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Failure>> {
  if (ids.length === 0) return new Map()
  const rows = await query<FailureRow>(`SELECT ${failureColumns} FROM failure f WHERE f.id = ANY($1)`, [ids])
  return new Map(rows.map(row => [row.id, checkedFailure(sums, fromFailureRow(row))]))
}

/** Restores the original message of a row. */
export const fromFailureRow = <Row extends { readonly message: string }>(row: Row): Row => ({
  ...row,
  message: fromColumn(row.message),
})
