import type { RowSum } from '../../rows/sums.js'
import type { OwnAnswers } from '../../rows/judging/own-answers.js'
import type { Changes } from './changes.js'
import type { Database } from './database.js'
import type { Query } from './query.js'
import type { Owners } from './owners.js'

/** The state that all parts of the store share. */
export interface Context {
  readonly db: Database
  readonly owners: Owners
  /** The name of this machine. */
  readonly host: string
  readonly sum: RowSum
  readonly changes: Changes
  readonly ownAnswers: OwnAnswers
}

/** SQL of the server's time, in milliseconds since 1970. */
export const nowSql = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** SQL that reads a digest as text, or null. */
export const digestSql = (column: string): string => `'sha256:' || encode(${column}, 'hex')`

/** Takes the next numbers of a counter, and tells other handles. Nobody else gets any until the transaction ends. @returns the first of them */
export async function takeNumbers(
  { changes }: Pick<Context, 'changes'>,
  query: Query,
  counter: 'item' | 'judgement' | 'job' | 'label',
  count: number,
): Promise<number> {
  const [row] = await query<{ value: number }>(
    'UPDATE counter SET value = value + $2 WHERE name = $1 RETURNING value',
    [counter, count],
  )
  changes.own += count
  await changes.announce(query)
  return (row?.value ?? 0) - count + 1
}

/** Makes a text storable. PostgreSQL has no NUL character in texts, which ids of docs and messages may hold. */
export const toColumn = (text: string): string =>
  text.replace(/[\u0000\u0001]/g, sign => (sign === '\u0000' ? '\u00010' : '\u00011'))

/** The inverse of {@link toColumn}. */
export const fromColumn = (text: string): string =>
  text.replace(/\u0001([01])/g, (_, digit) => (digit === '0' ? '\u0000' : '\u0001'))

/** Turns rows into one array a column, which `unnest` turns back into rows. */
export const splitColumns = <Row extends object>(
  rows: readonly Row[],
  names: readonly (keyof Row)[],
): readonly unknown[][] => names.map(name => rows.map(row => row[name]))
