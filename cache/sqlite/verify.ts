import type { Context } from './connection/context.js'
import { linkChecks } from './repair/link-checks.js'
import { pages } from './pages.js'
import { rowChecks, type CheckedRow, type RowCheck } from './repair/row-checks.js'

/** A row whose content is not what was written. */
export interface DamagedRow {
  readonly table: string
  readonly id: number
  /** A key, or the place in a run: what a person can look up. */
  readonly name: string
}

/** What is wrong in a database. */
export interface Damage {
  readonly kind: string
  readonly name: string
}

/** Puts right what a check found, before the next one looks. */
export interface Repair {
  readonly rows: (damaged: readonly DamagedRow[]) => Promise<void>
  readonly links: (check: (typeof linkChecks)[number]) => Promise<void>
}

/** Reads every row of the database and tells which are not what was written. */
export async function findDamage(
  context: Context,
  repair?: Repair,
): Promise<{ readonly checked: Readonly<Record<string, number>>; readonly damaged: readonly Damage[] }> {
  const checked: Record<string, number> = {}
  const damaged: Damage[] = []
  for (const check of rowChecks) {
    const found = await damagedRows(context, check, count => (checked[check.table] = count))
    for (const { table, name } of found) damaged.push({ kind: table, name })
    if (found.length > 0) await repair?.rows(found)
  }
  // What refers to a damaged row is wrong for no reason of its own.
  if (damaged.length > 0 && repair === undefined) return { checked, damaged }
  for (const check of linkChecks) {
    const found = check.find(context)
    for (const name of found) damaged.push({ kind: check.table, name })
    if (found.length > 0) await repair?.links(check)
  }
  return { checked, damaged }
}

async function damagedRows(
  context: Context,
  { table, rows }: RowCheck,
  onCount: (count: number) => void,
): Promise<readonly DamagedRow[]> {
  let count = 0
  const damaged: DamagedRow[] = []
  for await (const page of pages<CheckedRow>(last => rows(context, last?.id ?? -1))) {
    count += page.length
    for (const { id, name, isSound } of page) if (!isSound) damaged.push({ table, id, name })
  }
  onCount(count)
  return damaged
}

/** What SQLite says of its own pages and indexes; empty where all is well. */
export const findDamagedPages = (context: Context): readonly string[] =>
  context
    .sql<{ integrity_check: string }>('PRAGMA integrity_check')
    .all()
    .map(row => row.integrity_check)
    .filter(line => line !== 'ok')
