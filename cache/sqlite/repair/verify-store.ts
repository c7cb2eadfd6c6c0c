import { existsSync } from 'node:fs'
import { stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { mediaIn, mediumName } from '../../bundle/media.js'
import type { MediaDigest } from '../../digest.js'
import { folderSize } from '../../media/folder-size.js'
import { verifyMedia } from '../../media/verify-media.js'
import type { Context } from '../connection/context.js'
import { databaseName } from '../connection/schema.js'
import { damagedDatabase } from './damaged-database.js'
import { tidy } from './link-checks.js'
import { readAgainFor, repairRows } from './repair.js'
import { findDamage, findDamagedPages } from '../verify.js'
import type { StoreStats, VerifyReport } from '../../store.js'

/** Checks pages, rows and media. `repair` repairs what it can and deletes other damaged parts. */
export async function verifyStore(
  context: Context,
  dir: string,
  options: { readonly repair: boolean },
): Promise<VerifyReport> {
  const pages = findDamagedPages(context)
  if (pages.length > 0 && options.repair) reindex(context, dir, pages)
  const damage = options.repair ? await repairStore(context) : await findDamage(context)
  const media = await verifyMedia(join(dir, 'media'), options.repair)
  const missing = missingMedia(context, dir).filter(digest => !media.damaged.includes(digest))
  if (options.repair) for (const digest of [...media.damaged, ...missing]) await readAgainFor(context, digest)
  return {
    checked: { ...damage.checked, media: media.checked },
    damaged: [
      ...pages.map(name => ({ kind: 'database', name })),
      ...damage.damaged,
      ...media.damaged.map(name => ({ kind: 'medium', name })),
      ...missing.map(name => ({ kind: 'missing medium', name })),
    ],
    repaired: options.repair,
  }
}

/** Rebuilds all indexes from their tables. @throws DamagedDatabaseError if a table is damaged */
function reindex(context: Context, dir: string, pages: readonly string[]): void {
  const isOfIndex = (line: string): boolean =>
    /missing from index|entries in index|non-unique entry in index/.test(line)
  const damaged = pages.find(line => !isOfIndex(line))
  if (damaged !== undefined) throw damagedDatabase(dir, damaged)
  try {
    context.db.exec('REINDEX')
  } catch (error) {
    throw damagedDatabase(dir, error)
  }
}

async function repairStore(context: Context): ReturnType<typeof findDamage> {
  // A row that refers to a missing row may be all that is left of it, so foreign keys are not enforced.
  context.db.pragma('foreign_keys = OFF')
  try {
    const damage = await findDamage(context, {
      rows: damaged => repairRows(context, damaged),
      links: check => context.commit.add(() => check.repair(context)),
    })
    if (damage.damaged.length > 0) await context.commit.add(() => tidy(context))
    return damage
  } finally {
    context.db.pragma('foreign_keys = ON')
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

/** Returns how many bytes this user may still write to the disk of a folder. Undefined if the system does not tell. */
export const freeBytes = (dir: string): Promise<number | undefined> =>
  statfs(dir).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => undefined,
  )

const unansweredSql = `
  SELECT n.preimage FROM item i JOIN request r ON r.id = i.request JOIN instance n ON n.id = r.instance
    LEFT JOIN response s ON s.request = r.id
  WHERE s.seq IS NULL AND typeof(n.preimage) = 'text' AND instr(n.preimage, '"media":') > 0`

/** Lists missing media of requests without an answer. Answered requests no longer need theirs, for example after an import. */
function missingMedia(context: Context, dir: string): readonly MediaDigest[] {
  const neededMedia = new Set<MediaDigest>()
  for (const { preimage } of context.sql<{ preimage: string }>(unansweredSql).iterate())
    for (const digest of mediaIn(preimage)) neededMedia.add(digest)
  return [...neededMedia].filter(digest => !existsSync(join(dir, mediumName(digest)))).sort()
}
