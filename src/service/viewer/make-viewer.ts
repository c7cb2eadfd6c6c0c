import type { Store } from '../../../cache/store.js'
import { Media } from './media/media.js'
import { Sessions } from './session/sessions.js'
import { storePages } from './store-pages.js'
import { readViewerFiles } from './viewer-files.js'
import type { Viewer } from './viewer.js'

/** The viewer of a store. @throws PipelineError if its pages were not built */
export const makeViewer = (store: Store): Viewer => ({
  sessions: new Sessions(),
  files: readViewerFiles(),
  pages: storePages(store),
  media: new Media(store),
})
