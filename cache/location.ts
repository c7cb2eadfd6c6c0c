import { join, resolve } from 'node:path'
import { PipelineError } from '../base/errors/errors.js'
import { option } from '../base/errors/option-words.js'
import { isServerAddress } from '../base/text/server-address.js'
import type { Run } from './records.js'
import type { Store } from './store.js'

/** Makes a location independent of the working directory, which code of a task may change. */
export const resolveLocation = (location: string): string => (isServerAddress(location) ? location : resolve(location))

/**
 * Refuses the address of anything else than PostgreSQL, which would be taken for the path of a folder. The address is not repeated, since it may hold a password.
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
 * Returns the work folder of a store that need not be open, or exist (see `Store.workFolder`). The store in a folder works in this folder. A store on a
 * server works in the default store's folder.
 */
export const findWorkFolder = (location: string): string =>
  isServerAddress(location) ? resolve('.pipeline') : resolve(location)

/** Returns the folder in a work folder that holds compiled code of users' own. */
export const codeFolder = (workFolder: string): string => join(workFolder, 'code')

/** Returns the folder of a run's sealed tables. */
export const sealFolder = ({ workFolder }: Pick<Store, 'workFolder'>, run: Pick<Run, 'name'>): string =>
  join(workFolder, 'runs', run.name)
