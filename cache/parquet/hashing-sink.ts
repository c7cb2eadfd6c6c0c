import { ByteWriter } from 'hyparquet-writer'
import { streamingSha256, type FileDigest } from '../digest.js'

/** Where the Parquet writer puts its bytes: handed on by row group, with a digest of them as they pass. `offset` counts them. */
export class HashingSink extends ByteWriter {
  readonly #write: (bytes: Uint8Array) => Promise<void>
  readonly #hash = streamingSha256<'file'>()

  constructor(write: (bytes: Uint8Array) => Promise<void>) {
    super(1 << 16)
    this.#write = write
  }

  /** The Parquet writer calls it after each row group, and waits; not after the footer. */
  async flush(): Promise<void> {
    const bytes = this.getBytes()
    this.#hash.update(bytes)
    await this.#write(bytes)
    this.index = 0
  }

  digest(): FileDigest {
    return this.#hash.digest()
  }
}
