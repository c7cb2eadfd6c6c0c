import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf, PipelineError, systemCode } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { thisProcess } from '../../../base/processes/process-identity.js'
import { findWorkFolder } from '../../location.js'
import { createRowSum } from '../../rows/sums.js'
import type { Owner } from '../../store.js'
import type { Access, LockListener } from '../../store/opening.js'
import { PostgresStore } from '../postgres-store.js'
import { parseAddress, type ServerAddress } from './address.js'
import { Database, openPool } from './database.js'
import { migrate, readFormat, refuseNewer, refuseOlder, type Format } from './migrate.js'
import { Owners } from './owners.js'

/** The milliseconds that an opening process waits for a server that is just starting. */
const openingMs = 3_000

interface OpenOptions {
  readonly access: Access
  /** The process whose leases the handle takes. @default this process */
  readonly self?: Owner
  /** Told while the server cannot be reached. Its signals may end the wait. */
  readonly waiting?: LockListener
}

/** Opens the store at an address like `postgres://user@host/database?media=/shared/folder`. @throws PipelineError if it cannot be used */
export async function openPostgresStore(
  location: string,
  { access, self = thisProcess(), waiting }: OpenOptions,
): Promise<PostgresStore> {
  const address = parseAddress(location)
  const readOnly = access === 'read'
  // Whoever opens a store learns soon that the server is not there. Whoever works in it waits.
  const db = new Database(address.shown, await openPool(address, { readOnly }), { ...waiting, limitMs: openingMs })
  try {
    const { store } = await openFormat(db, address, access)
    await checkMediaFolder(address, store, readOnly)
    const owners = new Owners(self)
    if (!readOnly) await db.write(query => owners.register(query))
    db.listen(waiting ?? {})
    return new PostgresStore(
      {
        ...{ location: address.shown, workFolder: findWorkFolder(location) },
        ...{ mediaFolder: address.mediaFolder, readOnly },
      },
      { db, owners, host: self.host, sum: await createRowSum(), tally: { own: 0 } },
    )
  } catch (error) {
    await db.close()
    throw error
  }
}

/** Tells whether there is a store at an address. */
export async function holdsPostgresStore(location: string): Promise<boolean> {
  const address = parseAddress(location)
  const db = new Database(address.shown, await openPool(address, { readOnly: true }), { limitMs: 0 })
  try {
    return (await db.read(query => readFormat(query, address.schema))) !== undefined
  } finally {
    await db.close()
  }
}

async function openFormat(db: Database, address: ServerAddress, access: Access): Promise<Format> {
  const { schema, shown } = address
  const known = await db.read(query => readFormat(query, schema))
  if (known === undefined && access !== 'write')
    throw new PipelineError(
      'store',
      `there is no store in schema ${schema} of ${shown}. Name another one with ${option('store')}, or start an evaluation, which creates it.`,
      { reason: 'store-missing' },
    )
  if (known !== undefined) refuseNewer(shown, known.version)
  if (access === 'read' && known !== undefined) {
    refuseOlder(shown, known.version)
    return known
  }
  return migrate(db, address.schema, store => markMediaFolder(address, store))
}

/** The file in the media folder that names the store. */
const markName = 'store.txt'

/** Marks the media folder of a store that is created now. */
async function markMediaFolder({ shown, mediaFolder }: ServerAddress, store: string): Promise<void> {
  try {
    await mkdir(mediaFolder, { recursive: true })
    // A folder without media may hold the mark of a store whose creation was interrupted.
    if ((await readdir(mediaFolder)).some(name => /^[0-9a-f]{2}$/.test(name)))
      throw new PipelineError(
        'store',
        `${mediaFolder} holds the media of another store than ${shown}: name an empty folder for a new store.`,
      )
    await writeFile(join(mediaFolder, markName), `${store}\n`)
  } catch (error) {
    throw explainMediaError({ shown }, error)
  }
}

/**
 * Checks that the media folder belongs to this store. A machine on which the share is not mounted would store media where no other machine finds them.
 * A process that only reads may do without media.
 *
 * @throws PipelineError (store) if it does not
 */
async function checkMediaFolder(
  { shown, mediaFolder }: ServerAddress,
  store: string,
  readOnly: boolean,
): Promise<void> {
  const mark = await readMark(join(mediaFolder, markName)).catch((error: unknown) => {
    throw explainMediaError({ shown }, error)
  })
  if (mark === store || (mark === undefined && readOnly)) return
  throw new PipelineError(
    'store',
    mark === undefined
      ? `${mediaFolder} is not the media folder of the store ${shown}: its file ${markName} is missing. Mount the share on this machine. If the media were moved, write ${store} into that file.`
      : `${mediaFolder} holds the media of another store than ${shown}: name the store's own folder.`,
  )
}

const explainMediaError = ({ shown }: Pick<ServerAddress, 'shown'>, error: unknown): PipelineError =>
  error instanceof PipelineError
    ? error
    : new PipelineError('store', `the media folder of the store ${shown} can't be used: ${messageOf(error)}`, {
        cause: error,
      })

async function readMark(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
    throw error
  }
}
