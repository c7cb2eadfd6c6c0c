import { join, resolve } from 'node:path'
import { PipelineError } from '../base/errors/errors.js'
import { option } from '../base/errors/option-words.js'
import { isServerAddress } from '../base/text/server-address.js'
import type { Run } from './records.js'
import type { Store } from './store.js'

/** Makes a location absolute, because code of a task may change the working directory. */
export const resolveLocation = (location: string): string => (isServerAddress(location) ? location : resolve(location))

/**
 * Rejects the address of any server other than PostgreSQL. Without this check, it would be read as the path of a folder. The message omits the
 * address, which may hold a password.
 *
 * @throws PipelineError (usage)
 */
export function refuseOtherAddress(location: string): void {
  const scheme = /^([a-z][a-z0-9+.-]+:\/\/)/i.exec(location)?.[1]
  if (scheme === undefined || isServerAddress(location)) return
  throw new PipelineError(
    'usage',
    `${option('store')}: a store is a folder, or a database at an address that begins with postgres://. This one begins with ${scheme}`,
  )
}

/**
 * Returns the work folder of a store (see `Store.workFolder`), whether or not the store exists. It is the folder of an SQLite store. A store on a
 * server uses the default store's folder.
 */
export const findWorkFolder = (location: string): string =>
  isServerAddress(location) ? resolve('.pipeline') : resolve(location)

/** Returns the folder of users' compiled code within a work folder. */
export const codeFolder = (workFolder: string): string => join(workFolder, 'code')

/** Tells whether sealed tables are outside the store, so that each machine that worked on a run has its own. */
export const areSealsApart = ({ location, workFolder }: Pick<Store, 'location' | 'workFolder'>): boolean =>
  location !== workFolder

/** Returns the folder of a run's sealed tables. */
export const sealFolder = ({ workFolder }: Pick<Store, 'workFolder'>, run: Pick<Run, 'name'>): string =>
  join(workFolder, 'runs', run.name)
