import type { MediaDigest } from '../digest.js'

export interface MediumInfo {
  readonly digest: MediaDigest
  readonly bytes: number
  /** True if the medium was not in the store before. */
  readonly isNew: boolean
}

/** The content of a whole file. */
export interface FileContent {
  readonly bytes: Uint8Array
  /** The modification time before the file was read, in nanoseconds since 1970. */
  readonly modified: bigint
}

/** Stores media by their digests. A medium is durable when `add…` resolves. */
export interface MediaStore {
  addBytes(bytes: Uint8Array): Promise<MediumInfo>
  /**
   * Adds a file. It is read and hashed only once while its path, size and modification time stay the same.
   *
   * @param content the file's content, if it was just read
   */
  addFile(path: string, content?: FileContent): Promise<MediumInfo>
  /** Reads a medium and checks it against the digest. @throws Error if it is missing or damaged */
  read(digest: MediaDigest): Promise<Uint8Array>
  /**
   * Writes a medium of this size in base64 into a buffer.
   *
   * @returns the number of bytes written, or undefined if the medium is missing, damaged or of another size
   */
  encode(digest: MediaDigest, bytes: number, into: Buffer): Promise<number | undefined>
  has(digest: MediaDigest): Promise<boolean>
  /** The path of the medium's file, for people and other programs. */
  path(digest: MediaDigest): string
}
