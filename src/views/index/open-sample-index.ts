import type { Store } from '../../../cache/store.js'
import type { SampleIndex } from './sample-index.js'
import { StraightIndex } from './straight-index.js'

/** Opens the index of a store's samples. The caller closes it before the store. */
export const openSampleIndex = (store: Store): SampleIndex => new StraightIndex(store)
