import type { MediaDigest } from '../digest.js'

/** The digest and the size of a medium that was added. */
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

/** A file of this machine with a medium's bytes. It stays until it is disposed of, and must not be changed. */
export interface MediumFile extends AsyncDisposable {
  readonly path: string
}

/** Says for how long an address is valid, and how the server answers. */
export interface PresignOptions {
  readonly seconds: number
  readonly type?: string
}

/** A medium that is in the store. */
export interface ListedMedium {
  readonly digest: MediaDigest
  readonly bytes: number
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
  /**
   * Opens a file of this machine with the medium's bytes, to be streamed or given to other programs. The bytes of the store's own file are not checked,
   * and those from object storage are.
   *
   * @throws an error with the code `ENOENT` if the medium is missing. Where the file is the store's own, opening the path throws it instead. DamagedMediumError if object storage has other
   *   bytes.
   */
  openFile(digest: MediaDigest): Promise<MediumFile>
  /**
   * Returns an address from which anybody can download a medium for some time, without keys. It must not be stored or shown. Absent if no address leads to the media.
   *
   * @param options.type the media type with which the server is to answer
   */
  presign?(digest: MediaDigest, options: PresignOptions): Promise<string>
  /** Tells people where the medium is: a path, or an address in object storage. */
  locate(digest: MediaDigest): string
  /** Lists all media, in no particular order. */
  list(): AsyncIterable<ListedMedium>
  /** Removes media, which must not be referred to any more. Those that are missing are no mistake. */
  remove(digests: readonly MediaDigest[]): Promise<void>
}
