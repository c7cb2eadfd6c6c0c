import { createHash } from 'node:crypto'

/** The most chunks of a file of at most 64 GiB. The certificate has the hash of each. */
const mostChunks = 1 << 12

/**
 * Chooses the bytes of a chunk, and so how exactly a changed byte is found: the least power of two, from 4 KiB to 16 MiB, that gives at most
 * 4,096 chunks.
 */
export function chooseChunkBytes(fileBytes: number): number {
  let bytes = 1 << 12
  while (bytes * mostChunks < fileBytes && bytes < 1 << 24) bytes *= 2
  return bytes
}

/**
 * Hashes a chunk of a file. Leaves and inner nodes have different prefixes, so that no chunk can imitate a node.
 *
 * Source: RFC 6962, section 2.1.
 */
export const hashLeaf = (chunk: Uint8Array): string => createHash('sha256').update('\u0000').update(chunk).digest('hex')

const hashNode = (left: string, right: string): string =>
  createHash('sha256').update('\u0001').update(Buffer.from(left, 'hex')).update(Buffer.from(right, 'hex')).digest('hex')

/**
 * Computes the root of the Merkle tree over leaves (RFC 6962) in hexadecimal digits. Each left subtree is the largest complete one. An empty tree has
 * the hash of the empty text.
 */
export function computeRoot(leaves: readonly string[]): string {
  const [first] = leaves
  if (first === undefined) return createHash('sha256').digest('hex')
  let level = leaves
  // Pairing neighbours level by level, with the odd one moved up, gives the same tree as splitting at powers of two.
  while (level.length > 1) {
    const next: string[] = []
    for (let at = 0; at < level.length; at += 2) {
      const [left = '', right] = [level[at], level[at + 1]]
      next.push(right === undefined ? left : hashNode(left, right))
    }
    level = next
  }
  return level[0] ?? first
}
