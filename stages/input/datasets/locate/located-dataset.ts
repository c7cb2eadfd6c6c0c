import type { Features } from '../columns/features.js'
import type { FileKind } from '../layout/file-kinds.js'
import type { MediaSources } from '../media/media-files.js'

/** One data file of a split. */
export interface DataPart {
  /** Relative to the dataset, with `/`. */
  readonly name: string
  /** Where it lies, downloaded if need be. */
  place(): Promise<string>
}

/** Where the rows of a task's split are, found but not read. */
export interface LocatedDataset {
  /** `undefined`: each file says by its name what it is. */
  readonly kind?: FileKind
  readonly parts: readonly DataPart[]
  /** Names of the files of all splits, of a folder of media. */
  readonly every: readonly string[]
  /** As the identity of a run names it. */
  readonly path: string
  readonly config?: string
  /** The commit of a Hub repository, which says what all its files are. */
  readonly revision?: string
  readonly features?: Features
  /** What a card says of how its files are read, in the words of `dataset_kwargs`. */
  readonly options?: Readonly<Record<string, unknown>>
  readonly media: MediaSources
}
