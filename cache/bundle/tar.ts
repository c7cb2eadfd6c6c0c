/**
 * Implements the subset of the tar format (POSIX ustar) that a bundle needs: plain files with a name and a size. These
 * two determine every byte of a header, so a reader compares headers and need not interpret them.
 */

export const blockSize = 512

/** Two blocks of zeros end an archive. */
export const trailer = Buffer.alloc(2 * blockSize)

/** The number of zero bytes after a file of this size, up to the next block. */
export const paddingAfter = (bytes: number): number => (blockSize - (bytes % blockSize)) % blockSize

/** @throws RangeError if the name is longer than 100 bytes or not ASCII */
export function tarHeader(name: string, bytes: number): Buffer {
  if (!/^[\x21-\x7e]{1,100}$/.test(name)) throw new RangeError(`not a name in a bundle: ${JSON.stringify(name)}`)
  const header = Buffer.alloc(blockSize)
  header.write(name, 0, 'ascii')
  header.write('0000644\0', 100, 'ascii')
  header.write('0000000\0', 108, 'ascii')
  header.write('0000000\0', 116, 'ascii')
  writeSize(header, bytes)
  header.write('00000000000\0', 136, 'ascii')
  header.write('0', 156, 'ascii')
  header.write('ustar\x0000', 257, 'latin1')
  // The checksum counts its own field as blanks.
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'ascii')
  return header
}

const octalLimit = 8 ** 11

/** Writes octal digits. From 8 GiB on, it writes a big-endian number with the highest bit set, as GNU, BSD and POSIX 2001 do. */
function writeSize(header: Buffer, bytes: number): void {
  if (bytes < octalLimit) {
    header.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124, 'ascii')
    return
  }
  header[124] = 0x80
  header.writeBigUInt64BE(BigInt(bytes), 128)
}

/** Reads name and size from a header. @returns undefined if {@link tarHeader} would make another header of them */
export function readTarHeader(header: Buffer): { readonly name: string; readonly bytes: number } | undefined {
  const name = header.toString('latin1', 0, 100).replace(/\0+$/, '')
  const bytes =
    header[124] === 0x80 ? Number(header.readBigUInt64BE(128)) : parseInt(header.toString('latin1', 124, 135), 8)
  if (!/^[\x21-\x7e]+$/.test(name) || !Number.isSafeInteger(bytes) || bytes < 0) return undefined
  return tarHeader(name, bytes).equals(header) ? { name, bytes } : undefined
}
