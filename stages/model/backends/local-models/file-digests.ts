import { join } from 'node:path'
import type { FileDigest } from '../../../../cache/digest.js'

/** Computes the digest of each file. The digests identify the model, wherever its folder is. */
export async function digestFiles(
  dir: string,
  files: readonly string[],
  fileDigest: (path: string) => Promise<FileDigest>,
): Promise<Record<string, FileDigest>> {
  const digests = await Promise.all(files.map(async file => [file, await fileDigest(join(dir, file))] as const))
  return Object.fromEntries(digests)
}
