/** Functions about the media of a run's requests. */
import { readMediaManifest } from '../../reading/media/read-manifest.js'
import type { MediaManifest } from '../../reading/media/manifest.js'
import { openRun } from '../../reading/runs/run-reference.js'
import { readRunName, type RunOrName } from '../options/run-or-name.js'
import { checkOptions, storeField } from '../options/check-options.js'
import { withReadStore, type StoreOption } from './runs.js'

/**
 * Reads which media each doc of a run showed a model: source digests, and of videos the indices, times, sizes and digests of the frames that
 * were sent. `compareManifests` compares two of them.
 */
export async function mediaManifest(run: RunOrName, options: StoreOption = {}): Promise<MediaManifest> {
  checkOptions(options, storeField)
  return withReadStore(run, options, async store => readMediaManifest(store, await openRun(store, readRunName(run))))
}
