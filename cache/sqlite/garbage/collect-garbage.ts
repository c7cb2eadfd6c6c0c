import type { FileMediaStore } from '../../media/file-media-store.js'
import { findUnusedMedia, sumMedia, type UnusedMedia } from '../../media/unused-media.js'
import type { Garbage, GarbageQuery, ListedMedium, OpenProcess } from '../../store.js'
import type { Context } from '../connection/context.js'
import { isSameMachine } from '../connection/owners.js'
import { countDeadRows, deleteDeadRows, readParameters, readRemembered, readUsedMedia } from './dead-rows.js'

/** The number of media that are removed in one transaction, during which no process can open the store. */
const removalsAtOnce = 500
/** The database is compacted if at least this share of it is free. */
const worthwhilePart = 1 / 8

/** Frees what no run refers to. See `StoreUpkeep.collectGarbage`. */
export async function collectGarbage(
  context: Context,
  media: FileMediaStore,
  { dryRun, without = [] }: GarbageQuery,
): Promise<Garbage> {
  if (dryRun) {
    const parameters = readParameters(
      context,
      without.map(({ ref }) => ref),
    )
    const used = readUsedMedia(context, parameters)
    const unused = await findUnusedMedia(media, used, readRemembered(context))
    return { ...countDeadRows(context, parameters), media: sumMedia(unused.media), users: findUsers(context) }
  }
  const rows = await context.commit.add(() => {
    const parameters = readParameters(context, [])
    const counted = countDeadRows(context, parameters)
    if (counted.requests + counted.scores + counted.records > 0 || counted.rowBytes > 0)
      deleteDeadRows(context, parameters)
    return counted
  })
  const freed = await freeMedia(context, media)
  await context.commit.flush()
  compact(context)
  return { ...rows, ...freed }
}

async function freeMedia(context: Context, media: FileMediaStore): Promise<Pick<Garbage, 'media' | 'users'>> {
  const users = findUsers(context)
  const last = readLastOwner(context)
  if (users.length > 0) return { media: sumMedia([]), users }
  const used = readUsedMedia(context, readParameters(context, []))
  const unused = await findUnusedMedia(media, used, readRemembered(context))
  const removed: ListedMedium[] = []
  // A process registers before it adds media, and cannot do so during a transaction.
  const isAlone = (): boolean => readLastOwner(context) === last && findUsers(context).length === 0
  await forgetValues(context, unused)
  for (let from = 0; from < unused.media.length; from += removalsAtOnce) {
    const batch = unused.media.slice(from, from + removalsAtOnce)
    const isRemoved = await context.commit.add(() => {
      if (!isAlone()) return false
      media.removeNow(batch.map(({ digest }) => digest))
      return true
    })
    if (!isRemoved) break
    removed.push(...batch)
  }
  return { media: sumMedia(removed), users: findUsers(context) }
}

/** Forgets values first: they must not name media that are removed. */
const forgetValues = (context: Context, { values }: UnusedMedia): Promise<void> =>
  context.commit.add(() => {
    for (const name of values) context.sql('DELETE FROM memory WHERE name = ?').run(name)
  })

const readLastOwner = (context: Context): number =>
  context.sql<{ last: number | null }>('SELECT max(id) AS last FROM owner').get()?.last ?? 0

/** Lists the other processes that may add media, and this one if it works on a run. */
function findUsers(context: Context): readonly OpenProcess[] {
  const { owners, self } = context
  const works = new Set(
    context
      .sql<{ owner: number }>('SELECT DISTINCT owner FROM working')
      .all()
      .map(({ owner }) => owner),
  )
  return context
    .sql<{ id: number }>('SELECT id FROM owner ORDER BY id')
    .all()
    .flatMap(({ id }) => {
      const owner = owners.describe(id)?.owner
      const isSelf = owner?.pid === self.pid && owner.startTime === self.startTime && owner.host === self.host
      if (owner === undefined || (isSelf && !works.has(id)) || !owners.isAlive(id)) return []
      // A process of another machine is only visible through its work.
      return works.has(id) || isSameMachine(owner, self) ? [{ host: owner.host, pid: owner.pid }] : []
    })
}

/** Gives free pages back to the disk. Where another process reads, or the disk is full, SQLite uses them for later rows. */
function compact({ db }: Context): void {
  const pages = Number(db.pragma('page_count', { simple: true }))
  const free = Number(db.pragma('freelist_count', { simple: true }))
  if (free < pages * worthwhilePart) return
  try {
    db.exec('VACUUM')
    db.pragma('wal_checkpoint(TRUNCATE)')
  } catch {
    // The rows are gone all the same.
  }
}
