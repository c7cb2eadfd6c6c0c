import { stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { listNames } from '../../base/files/path-kinds.js'
import { sealFolder } from '../location.js'
import type { Run } from '../records.js'
import type { Store } from '../store.js'
import { manifestName } from './manifest.js'

/** The folder with the sealed tables of a removed run. */
export interface LooseSeal {
  /** The name of the run. */
  readonly name: string
  readonly bytes: number
}

/**
 * Finds sealed tables of runs that are no longer in the store.
 *
 * @param removed runs that count as removed
 * @returns nothing for a store on a server, because several stores may share one work folder
 */
export async function findLooseSeals(
  store: Pick<Store, 'location' | 'workFolder' | 'runs'>,
  removed: readonly Pick<Run, 'name'>[],
): Promise<readonly LooseSeal[]> {
  if (store.location !== store.workFolder) return []
  const names = new Set((await store.runs.names()).map(({ name }) => name))
  for (const { name } of removed) names.delete(name)
  const seals: LooseSeal[] = []
  for (const name of await listNames(dirname(sealFolder(store, { name: 'x' })))) {
    const folder = sealFolder(store, { name })
    const files = await listNames(folder)
    if (names.has(name) || !files.includes(manifestName)) continue
    const sizes = await Promise.all(files.map(async file => (await stat(join(folder, file))).size))
    seals.push({ name, bytes: sizes.reduce((sum, bytes) => sum + bytes, 0) })
  }
  return seals
}
