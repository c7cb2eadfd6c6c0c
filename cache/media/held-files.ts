import type { MediaDigest } from '../digest.js'
import type { MediumFile } from '../store.js'

/** Holds files of media that one call of another program reads, and releases them together. */
export class HeldFiles implements AsyncDisposable {
  readonly #open: (digest: MediaDigest) => Promise<MediumFile>
  readonly #files: MediumFile[] = []

  constructor(open: (digest: MediaDigest) => Promise<MediumFile>) {
    this.#open = open
  }

  /** Opens the file of a medium. @returns its path, which is valid until the files are released */
  async find(digest: MediaDigest): Promise<string> {
    const file = await this.#open(digest)
    this.#files.push(file)
    return file.path
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#files.splice(0).map(file => file[Symbol.asyncDispose]()))
  }
}
