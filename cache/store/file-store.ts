import type { FileDigest, MediaDigest } from '../digest.js'
import type { Run } from '../records.js'

/** Digests of files outside the store, remembered between runs. */
export interface FileStore {
  /** The digest of a file, read again only when path, size or modification time changed. */
  digest(path: string): Promise<FileDigest>
  /** The same where it was read before, `undefined` where it would have to be read. */
  knownDigest(path: string): Promise<FileDigest | undefined>
  /** Files that media of the run were read from and whose content has changed since. @returns no digest where the file is gone */
  changed(run: Run): Promise<readonly { readonly path: string; readonly digest: MediaDigest | undefined }[]>
}
