/** The checksum of TensorFlow's record files: CRC-32C (Castagnoli), masked. */

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
  return value >>> 0
})

/** Computes the CRC-32C of bytes. */
export function computeCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return (crc ^ 0xffffffff) >>> 0
}

/** Computes the masked checksum, which is safe to store within the data that it is of. */
export function computeMaskedCrc(bytes: Uint8Array): number {
  const crc = computeCrc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
