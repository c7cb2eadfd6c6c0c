import { join } from 'node:path'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { thisProcess } from '../../../base/processes/process-identity.js'
import { findWorkFolder } from '../../location.js'
import { folderLocation, markName, type MediaLocation } from '../../media/media-location.js'
import { createRowSum } from '../../rows/sums.js'
import type { Owner } from '../../store.js'
import type { Access, LockListener } from '../../store/opening.js'
import { OwnAnswers } from '../../rows/judging/own-answers.js'
import { AnswerSpill } from '../../waiting-answers/answer-spill.js'
import { findPlaces } from '../../waiting-answers/places.js'
import { recoveredText, WaitingAnswers } from '../../waiting-answers/waiting-answers.js'
import { recoverWaiting } from '../work/answers/recover-answers.js'
import { PostgresStore } from '../postgres-store.js'
import { Changes, channel } from './changes.js'
import { parseAddress, type ServerAddress } from './address.js'
import { Database } from './database.js'
import { migrate, readFormat, refuseNewer, findReaderViews, type Format } from './migrate.js'
import { Owners } from './owners.js'
import { openServer } from './pool.js'

/** The milliseconds that an opening process waits for a server that is just starting. */
const openingMs = 3_000
/** The milliseconds that a read-only process waits for object storage. A user is waiting for its output. */
const readingMs = 30_000

interface OpenOptions {
  readonly access: Access
  /** The owner of the handle's leases. @default this process */
  readonly self?: Owner
  /** Told while the server cannot be reached. Its signals may end the wait. */
  readonly waiting?: LockListener
}

/** Opens the store at an address like `postgres://user@host/database?media=/shared/folder` or `…?media=s3://bucket/prefix`. @throws PipelineError if it cannot be used */
export async function openPostgresStore(
  location: string,
  { access, self = thisProcess(), waiting }: OpenOptions,
): Promise<PostgresStore> {
  const address = parseAddress(location)
  const readOnly = access === 'read'
  // Opening a store fails soon if the server is unreachable. Later operations wait.
  const db = new Database(address.shown, await openServer(address, { readOnly }), { ...waiting, limitMs: openingMs })
  const workFolder = findWorkFolder(location)
  let mediaLocation: MediaLocation | undefined
  try {
    const media = (mediaLocation = await openMediaLocation(address, workFolder, { ...waiting, limitMs: openingMs }))
    const { store } = await openFormat(db, address, access, media)
    await checkMediaLocation(address.shown, media, store, readOnly)
    const owners = new Owners(self)
    if (!readOnly) await db.write(query => owners.register(query))
    db.listen(waiting ?? {})
    const changes = new Changes(address.schema)
    db.hear(channel, notice => changes.hear(notice))
    media.listen({ ...(readOnly && { limitMs: readingMs }), ...waiting })
    const context = { db, owners, host: self.host, sum: await createRowSum(), changes, ownAnswers: new OwnAnswers() }
    const places = findPlaces(join(workFolder, 'waiting-answers', store), store)
    const spill = new AnswerSpill(places, { owner: () => owners.key, sum: context.sum })
    const answers = new WaitingAnswers(spill, () => recoverWaiting(context, places))
    const recovered = readOnly ? 0 : await answers.recover()
    if (recovered > 0) waiting?.tell?.(recoveredText(recovered))
    return new PostgresStore(
      {
        ...{ location: address.shown, address, workFolder, mediaLocation: media, readOnly, answers },
        mostInMemory: address.mostWaitingBytes,
      },
      context,
    )
  } catch (error) {
    await mediaLocation?.close()
    await db.close()
    throw error
  }
}

/** Tells whether a store exists at an address. */
export async function holdsPostgresStore(location: string): Promise<boolean> {
  const address = parseAddress(location)
  const db = new Database(address.shown, await openServer(address, { readOnly: true }), { limitMs: 0 })
  try {
    return (await db.read(query => readFormat(query, address.schema))) !== undefined
  } finally {
    await db.close()
  }
}

async function openFormat(
  db: Database,
  address: ServerAddress,
  access: Access,
  mediaLocation: MediaLocation,
): Promise<Format> {
  const { schema, shown } = address
  const format = await db.read(query => readFormat(query, schema))
  if (format === undefined && access !== 'write')
    throw new PipelineError(
      'store',
      `there is no store in schema ${schema} of ${shown}. Name another one with ${option('store')}, or start an evaluation, which creates it.`,
      { reason: 'store-missing' },
    )
  if (format !== undefined) refuseNewer(shown, format.version)
  if (access === 'read' && format !== undefined) {
    const views = findReaderViews(shown, schema, format.version)
    if (views.length > 0) await db.prepareConnections(['BEGIN READ WRITE', ...views, 'COMMIT'].join('; '))
    return format
  }
  return migrate(db, address.schema, store => markMediaLocation(shown, mediaLocation, store))
}

async function openMediaLocation(
  { media }: ServerAddress,
  workFolder: string,
  waiting: LockListener,
): Promise<MediaLocation> {
  if (typeof media === 'string') return folderLocation(media)
  const { openS3Location } = await import('../../media/s3/s3-location.js')
  return openS3Location(media, { workFolder, waiting })
}

/** Writes the name of a new store into its media location. */
async function markMediaLocation(storeName: string, mediaLocation: MediaLocation, store: string): Promise<void> {
  try {
    // A media location without media may hold the mark of a store whose creation was interrupted.
    if (await mediaLocation.isUsed())
      throw new PipelineError(
        'store',
        `${mediaLocation.shown} holds the media of another store than ${storeName}: name an empty ${locationWord(mediaLocation)} for a new store.`,
      )
    await mediaLocation.writeMark(store)
  } catch (error) {
    throw explainMediaError(storeName, error)
  }
}

/**
 * Checks that the media location belongs to this store. A machine on which the share is not mounted would store media where no other machine finds
 * them. A process that only reads may do without media.
 *
 * @throws PipelineError (store) if it does not
 */
async function checkMediaLocation(
  storeName: string,
  mediaLocation: MediaLocation,
  store: string,
  readOnly: boolean,
): Promise<void> {
  const mark = await mediaLocation.readMark().catch((error: unknown) => {
    throw explainMediaError(storeName, error)
  })
  if (mark === store || (mark === undefined && readOnly)) return
  throw new PipelineError(
    'store',
    mark === undefined
      ? `${mediaLocation.shown} is not the media ${locationWord(mediaLocation)} of the store ${storeName}: its ${itemWord(mediaLocation)} ${markName} is missing. ${mediaLocation.unmarked} If the media were moved, write ${store} into that ${itemWord(mediaLocation)}.`
      : `${mediaLocation.shown} holds the media of another store than ${storeName}: name the store's own ${locationWord(mediaLocation)}.`,
  )
}

const locationWord = ({ kind }: MediaLocation): string => (kind === 'folder' ? 'folder' : 'prefix')
const itemWord = ({ kind }: MediaLocation): string => (kind === 'folder' ? 'file' : 'object')

const explainMediaError = (storeName: string, error: unknown): PipelineError =>
  error instanceof PipelineError
    ? error
    : new PipelineError('store', `the media folder of the store ${storeName} can't be used: ${messageOf(error)}`, {
        cause: error,
      })
