import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { listNames } from '../../base/files/path-kinds.js'
import { sealFolder } from '../location.js'
import type { Run } from '../records.js'
import type { Store } from '../store.js'
import { manifestName } from './manifest.js'

/** The folder of sealed tables whose run is gone. */
export interface LooseSeal {
  /** The name of the run. */
  readonly name: string
  readonly bytes: number
}

/**
 * Finds sealed tables of runs that are not in the store any more, such as those of a run that a program removed.
 *
 * @param removed runs that count as removed
 * @returns none for a store on a server, because several stores may work in one folder
 */
export async function findLooseSeals(
  store: Pick<Store, 'location' | 'workFolder' | 'runs'>,
  removed: readonly Pick<Run, 'name'>[],
): Promise<readonly LooseSeal[]> {
  if (store.location !== store.workFolder) return []
  const names = new Set((await store.runs.names()).map(({ name }) => name))
  for (const { name } of removed) names.delete(name)
  const found: LooseSeal[] = []
  for (const name of await listNames(dirname(sealFolder(store, { name: 'x' })))) {
    const folder = sealFolder(store, { name })
    const files = await listNames(folder)
    if (names.has(name) || !files.includes(manifestName)) continue
    const sizes = await Promise.all(files.map(async file => (await stat(join(folder, file))).size))
    found.push({ name, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) })
  }
  return found
}
