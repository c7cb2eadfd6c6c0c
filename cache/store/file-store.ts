import type { FileDigest, MediaDigest } from '../digest.js'
import type { Run } from '../records.js'

/** Remembers digests of files outside the store between runs. */
export interface FileStore {
  /** Returns the digest of a file. It is computed again only if path, size or modification time changed. */
  digest(path: string): Promise<FileDigest>
  /** Returns the remembered digest, or undefined if the file would have to be read. */
  knownDigest(path: string): Promise<FileDigest | undefined>
  /** Lists files that media of the run were read from and that changed since. @returns no digest for a file that is gone */
  changed(run: Run): Promise<readonly { readonly path: string; readonly digest: MediaDigest | undefined }[]>
}
