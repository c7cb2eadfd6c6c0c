import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemCode } from '../../base/errors/errors.js'
import type { FileDigest, MediaDigest } from '../digest.js'
import type { MediaStore } from '../store.js'
import type { LockListener } from '../store/opening.js'
import { FileMediaStore } from './file-media-store.js'
import { folderSize } from './folder-size.js'
import type { HashedContent } from './media-work.js'
import { verifyMedia } from './verify-media.js'

/** The name of the file or object that holds the id of the location's store. */
export const markName = 'store.txt'

/** A location of media that several machines share: a folder, or a bucket in object storage. */
export interface MediaLocation {
  readonly kind: 'folder' | 'bucket'
  /** The location as people write it. */
  readonly shown: string
  /** The likely reason and the remedy if the mark is missing, as sentences. */
  readonly unmarked: string
  /** Reads the id of the location's store. Undefined for a new location. */
  readMark(): Promise<string | undefined>
  writeMark(store: string): Promise<void>
  /** Tells whether the location contains media. */
  isUsed(): Promise<boolean>
  /** Opens the media. @param digestOfFile computes the digest of a file, or remembers it */
  open(digestOfFile: (path: string, content?: HashedContent) => Promise<FileDigest>): MediaStore
  countMedia(): Promise<{ readonly files: number; readonly bytes: number }>
  /** Reads all media. `repair` removes the damaged ones. */
  verify(repair: boolean): Promise<{ readonly checked: number; readonly damaged: readonly MediaDigest[] }>
  /** Informs another listener while the location cannot be reached. */
  listen(listener: LockListener): void
  close(): Promise<void>
}

/** Makes a location in a folder that all machines mount. */
export const folderLocation = (folder: string): MediaLocation => ({
  kind: 'folder',
  shown: folder,
  unmarked: 'Mount the share on this machine.',
  async readMark() {
    try {
      return (await readFile(join(folder, markName), 'utf8')).trim()
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined
      throw error
    }
  },
  writeMark: store => writeFile(join(folder, markName), `${store}\n`),
  async isUsed() {
    await mkdir(folder, { recursive: true })
    return (await readdir(folder)).some(name => /^[0-9a-f]{2}$/.test(name))
  },
  open: digestOfFile => new FileMediaStore(folder, digestOfFile, error => error),
  countMedia: () => folderSize(folder),
  verify: repair => verifyMedia(folder, repair),
  listen: () => undefined,
  close: () => Promise.resolve(),
})
