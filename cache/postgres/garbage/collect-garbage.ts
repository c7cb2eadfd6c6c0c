import { findUnusedMedia, sumMedia } from '../../media/unused-media.js'
import type { Garbage, GarbageQuery, ListedMedium, MediaStore, OpenProcess } from '../../store.js'
import type { Context } from '../connection/context.js'
import type { Query } from '../connection/query.js'
import type { OwnerKey } from '../../waiting-answers/answer-spill.js'
import { countDeadRows, deleteDeadRows, readRemembered, readUsedMedia } from './dead-rows.js'

/** The number of media that the first transaction removes. No process can open the store during it. */
const firstPiece = 16
/** The most media that one transaction removes. */
const largestPiece = 1024
/** The time that one transaction should last at most, in milliseconds. */
const pieceMs = 1000

/** Frees what no run refers to. See `StoreUpkeep.collectGarbage`. */
export async function collectGarbage(
  context: Context,
  media: MediaStore,
  { dryRun, without = [] }: GarbageQuery,
): Promise<Garbage> {
  const { db, owners } = context
  const runs = without.map(({ ref }) => ref)
  if (dryRun) {
    const { rows, used, remembered } = await db.snapshot(async query => ({
      rows: await countDeadRows(query, runs),
      used: await readUsedMedia(query, runs),
      remembered: await readRemembered(query),
    }))
    const unused = await findUnusedMedia(media, used, remembered)
    return { ...rows, media: sumMedia(unused.media), users: await db.read(query => findUsers(context, query)) }
  }
  const rows = await db.write(async query => {
    await query('SET LOCAL idle_in_transaction_session_timeout = 0')
    await owners.bury(query)
    const counted = await countDeadRows(query, [])
    if (counted.requests + counted.scores + counted.records > 0 || counted.rowBytes > 0) await deleteDeadRows(query)
    return counted
  })
  return { ...rows, ...(await freeMedia(context, media)) }
}

async function freeMedia(context: Context, media: MediaStore): Promise<Pick<Garbage, 'media' | 'users'>> {
  const { db } = context
  const { users, last, used, remembered } = await db.read(async query => ({
    users: await findUsers(context, query),
    last: await readLastOwner(query),
    used: await readUsedMedia(query, []),
    remembered: await readRemembered(query),
  }))
  if (users.length > 0) return { media: sumMedia([]), users }
  const unused = await findUnusedMedia(media, used, remembered)
  const removed: ListedMedium[] = []
  // Values first: they must not name media that are removed.
  await db.write(query => query('DELETE FROM memory WHERE name = ANY($1)', [unused.values]))
  for (let piece = firstPiece; removed.length < unused.media.length;) {
    const batch = unused.media.slice(removed.length, removed.length + piece)
    const tookMs = await db.write(async query => {
      await query('SET LOCAL idle_in_transaction_session_timeout = 0')
      await holdRegistrations(query)
      if ((await readLastOwner(query)) !== last || (await findUsers(context, query)).length > 0) return undefined
      const began = performance.now()
      await media.remove(batch.map(({ digest }) => digest))
      return performance.now() - began
    })
    if (tookMs === undefined) break
    removed.push(...batch)
    piece = nextPiece(piece, tookMs)
  }
  return { media: sumMedia(removed), users: await db.read(query => findUsers(context, query)) }
}

/** Chooses how many media the next transaction removes. @param tookMs what the removal of `piece` media took */
export const nextPiece = (piece: number, tookMs: number): number =>
  Math.max(1, Math.min(largestPiece, 2 * piece, Math.floor((piece * pieceMs) / Math.max(1, tookMs))))

/**
 * Lets no process register until the transaction ends. A process registers before it adds media. Whoever inserts a row takes a number of the
 * sequence, even for a row that exists, and this lock of the sequence makes that wait. Heartbeats only update rows. A lock of the table would hold them back
 * for as long as object storage takes.
 */
async function holdRegistrations(query: Query): Promise<void> {
  const [row] = await query<{ sequence: string }>("SELECT pg_get_serial_sequence('owner', 'id') AS sequence")
  if (row === undefined) throw new Error('internal error: owners have no sequence')
  await query(`ALTER SEQUENCE ${row.sequence} CACHE 1`)
}

async function readLastOwner(query: Query): Promise<number> {
  const [row] = await query<{ last: number | null }>('SELECT max(id) AS last FROM owner')
  return row?.last ?? 0
}

/** Lists the other processes that may add media, and this one if it works on a run. */
async function findUsers({ owners }: Context, query: Query): Promise<readonly OpenProcess[]> {
  const alive = await owners.alive(query)
  const rows = await query<OwnerKey & { readonly works: boolean }>(
    'SELECT id, host, boot, pid, start, EXISTS (SELECT 1 FROM working w WHERE w.owner = o.id) AS works FROM owner o WHERE id = ANY($1) ORDER BY id',
    [[...alive]],
  )
  return rows.filter(row => row.works || !owners.isSelf(row)).map(({ host, pid }) => ({ host, pid }))
}
