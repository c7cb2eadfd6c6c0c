import type { Context } from './connection/context.js'
import { linkChecks } from './repair/link-checks.js'
import { pages } from './pages.js'
import type { CheckedRow, RowCheck } from './repair/checks.js'
import { rowChecks } from './repair/row-checks.js'

/** A row whose content differs from what was written. */
export interface DamagedRow {
  readonly table: string
  readonly id: number
  /** A key, or the row's place in a run, which a person can look up. */
  readonly name: string
}

/** The damage of a database. */
export interface Damage {
  readonly kind: string
  readonly name: string
}

/** Repairs what a check found, before the next check runs. */
export interface Repair {
  readonly rows: (damaged: readonly DamagedRow[]) => Promise<void>
  readonly links: (check: (typeof linkChecks)[number]) => Promise<void>
}

/** Reads every row of the database and lists the damaged ones. */
export async function findDamage(
  context: Context,
  repair?: Repair,
): Promise<{ readonly checked: Readonly<Record<string, number>>; readonly damaged: readonly Damage[] }> {
  const checked: Record<string, number> = {}
  const damaged: Damage[] = []
  for (const check of rowChecks) {
    const rows = await damagedRows(context, check, count => (checked[check.table] = count))
    for (const { table, name } of rows) damaged.push({ kind: table, name })
    if (rows.length > 0) await repair?.rows(rows)
  }
  // Rows that refer to a damaged row would be reported although they are intact.
  if (damaged.length > 0 && repair === undefined) return { checked, damaged }
  for (const check of linkChecks) {
    const damagedNames = check.find(context)
    for (const name of damagedNames) damaged.push({ kind: check.table, name })
    if (damagedNames.length > 0) await repair?.links(check)
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

/** Lists SQLite's findings about its pages and indexes. Empty if there is no damage. */
export const findDamagedPages = (context: Context): readonly string[] =>
  context
    .sql<{ integrity_check: string }>('PRAGMA integrity_check')
    .all()
    .map(row => row.integrity_check)
    .filter(line => line !== 'ok')
