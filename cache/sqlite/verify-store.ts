import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { verifyMedia } from '../media/verify-media.js'
import type { StoreStats, VerifyReport } from '../store.js'
import type { Context } from './context.js'
import { databaseName } from './database.js'
import { readAgainFor, repairRows } from './repair.js'
import { findDamagedPages, findDamagedRows } from './verify.js'

/** Checks pages, rows and media; with `repair`, drops what is damaged. */
export async function verifyStore(
  context: Context,
  dir: string,
  options: { readonly repair: boolean },
): Promise<VerifyReport> {
  const pages = findDamagedPages(context)
  // Indexes hold nothing of their own: they are made anew from the tables.
  if (pages.length > 0 && options.repair) context.db.exec('REINDEX')
  const rows = await findDamagedRows(context)
  if (options.repair) await repairRows(context, rows.damaged)
  const media = await verifyMedia(join(dir, 'media'), options.repair)
  if (options.repair) for (const digest of media.damaged) await readAgainFor(context, digest)
  return {
    checked: { ...rows.checked, media: media.checked },
    damaged: [
      ...pages.map(name => ({ kind: 'database', name })),
      ...rows.damaged.map(({ table, name }) => ({ kind: table, name })),
      ...media.damaged.map(name => ({ kind: 'medium', name })),
    ],
    repaired: options.repair,
  }
}

export async function storeStats(context: Context, dir: string): Promise<StoreStats> {
  const count = (table: string): number =>
    context.sql<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).get()?.n ?? 0
  return {
    runs: count('run'),
    requests: count('request'),
    responses: count('response'),
    scores: count('score'),
    failures: count('failure'),
    media: await folderSize(join(dir, 'media')),
    databaseBytes: (await stat(join(dir, databaseName))).size,
  }
}

async function folderSize(folder: string): Promise<{ files: number; bytes: number }> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    found.filter(entry => entry.isFile()).map(entry => stat(join(entry.parentPath, entry.name))),
  )
  return { files: sizes.length, bytes: sizes.reduce((sum, { size }) => sum + size, 0) }
}
