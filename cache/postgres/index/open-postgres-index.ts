import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openSampleIndex, type OpenSampleIndex } from '../../sqlite/index/open-sample-index.js'
import type { IndexSource } from '../../sqlite/index/source/index-source.js'
import type { Store } from '../../store.js'
import type { ServerAddress } from '../connection/address.js'
import { Database } from '../connection/database.js'
import { openServer } from '../connection/pool.js'
import { makePostgresSource } from './index-source.js'

/** The store that is indexed, which is open. */
export interface IndexedServer {
  readonly db: Database
  readonly address: ServerAddress
  readonly workFolder: string
  readonly labels: Store['labels']
}

/** Opens the index of a store on PostgreSQL. It is a file of this machine, which each viewer's machine builds for itself. */
export const openPostgresIndex = ({ db, address, workFolder, labels }: IndexedServer): OpenSampleIndex =>
  openSampleIndex(async () => {
    const { indexPath } = await import('../../sqlite/index/building/index-file.js')
    const { shown } = address
    const dir = join(workFolder, 'view-index', createHash('sha256').update(shown).digest('hex').slice(0, 16))
    const file = indexPath(dir, !canMake(dir), shown)
    const thread = { file: new URL('./index-thread.js', import.meta.url), data: { address, file } }
    return { openSource: () => makePostgresSource(db), file, labels, thread }
  })

/** Opens a source with a connection of its own. */
export async function openOwnSource(address: ServerAddress): Promise<IndexSource> {
  const db = new Database(address.shown, await openServer({ ...address, connections: 1 }, { readOnly: true }), {})
  return { ...makePostgresSource(db), close: () => db.close() }
}

function canMake(dir: string): boolean {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    return true
  } catch {
    return false
  }
}
