import type { Compressors } from 'hyparquet'
import { compressors as known } from 'hyparquet-compressors'

/**
 * The decompressors for Parquet files. LZ4 writes one byte for empty data, for example in the dictionary of an empty
 * column. Since hyparquet-compressors reads past that byte, empty data is not passed to it.
 */
export const compressors: Compressors = Object.fromEntries(
  Object.entries(known).map(([codec, decompress]) => [
    codec,
    (input: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decompress(input, length)),
  ]),
)
