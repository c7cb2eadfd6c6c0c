import type { Compressors } from 'hyparquet'
import { compressors as known } from 'hyparquet-compressors'

/**
 * What Parquet files are compressed with. For nothing, as in the dictionary of a column without values, LZ4 writes one byte;
 * hyparquet-compressors reads on behind it, so it is not asked.
 */
export const compressors: Compressors = Object.fromEntries(
  Object.entries(known).map(([codec, decompress]) => [
    codec,
    (input: Uint8Array, length: number) => (length === 0 ? new Uint8Array() : decompress(input, length)),
  ]),
)
