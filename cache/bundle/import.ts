import { rm } from 'node:fs/promises'
import { PipelineError } from '../../base/errors.js'
import { readMedium, unpackBundle } from './bundle-file.js'
import { makeImportFolder } from './import-folder.js'
import type { ImportOutcome, OnConflict, PortableStore } from './portable.js'
import { sealedTables } from './sealed-tables.js'
import { verifyRows } from './verify-rows.js'

/**
 * Merges a bundle into a store. Everything in it is verified before anything is changed; a user's own scoring code comes
 * with the run's provenance and is not run. Importing twice, or two bundles in either order, ends in the same store.
 *
 * @throws PipelineError (bundle) where the file is damaged or not a bundle, or a key has another content in this store
 */
export async function importBundle(
  store: PortableStore,
  file: string,
  options: { readonly onConflict: OnConflict },
): Promise<ImportOutcome> {
  const folder = await makeImportFolder(store.dir)
  try {
    const { manifest, media } = await unpackBundle(file, folder)
    const run = sealedTables(file, folder, manifest)
    await verifyRows(file, run)
    const outcome = await store.importRun(run, options.onConflict)
    for (const medium of media) {
      if (await store.media.has(medium.digest)) continue
      const { digest } = await store.media.addBytes(await readMedium(file, medium))
      if (digest !== medium.digest) throw new PipelineError('bundle', `${file} changed while it was imported`)
    }
    return outcome
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
