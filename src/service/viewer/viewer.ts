/** The parts of the viewer that a server holds. */
import type { Sessions } from './session/sessions.js'
import type { ViewerFile } from './viewer-files.js'
import type { Pages } from './pages.js'
import type { Media } from './media/media.js'

/** The data, the files and the sessions behind the viewer's routes. */
export interface Viewer {
  readonly sessions: Sessions
  /** The files of the pages, by their addresses below `/ui/`. */
  readonly files: ReadonlyMap<string, ViewerFile>
  readonly pages: Pages
  readonly media: Media
}
