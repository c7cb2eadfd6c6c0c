import type { MediaDigest } from '../digest.js'

export interface MediumInfo {
  readonly digest: MediaDigest
  readonly bytes: number
  /** Whether it was not in the store before. */
  readonly isNew: boolean
}

/** The whole of a file, as it was read. */
export interface FileContent {
  readonly bytes: Uint8Array
  /** When the file had last been changed before it was read; nanoseconds since 1970. */
  readonly modified: bigint
}

/** Content-addressed files. A medium is durable when `add…` resolves. */
export interface MediaStore {
  addBytes(bytes: Uint8Array): Promise<MediumInfo>
  /**
   * Reads and hashes the file once, as long as its path, size and modification time stay the same.
   *
   * @param content where it was just read, so that it need not be read again
   */
  addFile(path: string, content?: FileContent): Promise<MediumInfo>
  /** The bytes, checked against the digest. @throws Error where the medium is missing or damaged. */
  read(digest: MediaDigest): Promise<Uint8Array>
  /**
   * Writes the medium of so many bytes in base64 into a buffer.
   *
   * @returns how many bytes were written; nothing where it is missing, damaged or of another size.
   */
  encode(digest: MediaDigest, bytes: number, into: Buffer): Promise<number | undefined>
  has(digest: MediaDigest): Promise<boolean>
  /** Where the file is, for people and other programs. */
  path(digest: MediaDigest): string
}
