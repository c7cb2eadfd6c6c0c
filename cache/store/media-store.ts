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

/** A local file with a medium's bytes. It exists until it is disposed of, and must not be changed. */
export interface MediumFile extends AsyncDisposable {
  readonly path: string
}

/** The validity of an address, and the headers of the server's answer. */
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
   * Opens a local file with the medium's bytes, for streaming or for other programs. Bytes from object storage are checked, bytes of the store's own
   * file are not.
   *
   * @throws an error with the code `ENOENT` if the medium is missing. For the store's own file, opening the path throws it instead.
   * DamagedMediumError if object storage has wrong bytes
   */
  openFile(digest: MediaDigest): Promise<MediumFile>
  /**
   * Returns an address from which anybody can download a medium for some time, without keys. The address must not be stored or shown. Absent if the
   * media have no addresses.
   *
   * @param options.type the media type of the server's answer
   */
  presign?(digest: MediaDigest, options: PresignOptions): Promise<string>
  /** Returns the medium's location for people: a path, or an address in object storage. */
  locate(digest: MediaDigest): string
  /** Lists all media, in no particular order. */
  list(): AsyncIterable<ListedMedium>
  /** Removes media that nothing refers to. Missing media are ignored. */
  remove(digests: readonly MediaDigest[]): Promise<void>
}
