import { open } from 'node:fs/promises'
import { canonicalJson } from '../../../../base/canonical-json.js'
import { streamingSha256, type Fingerprint } from '../../../../cache/digest.js'

/** Bytes of one sample. */
export const sampleBytes = 16 * 2 ** 10

/**
 * What a large file is known by without reading it whole: SHA-256 over its size, its time of modification in nanoseconds,
 * and samples of its bytes, evenly spaced from its beginning to its end.
 *
 * @param samples how many, at least two: the first is its beginning, the last its end.
 */
export async function fileFingerprint(path: string, samples: number): Promise<Fingerprint> {
  const file = await open(path)
  try {
    const { size, mtimeNs } = await file.stat({ bigint: true })
    const hash = streamingSha256()
    hash.update(
      Buffer.from(canonicalJson({ v: 1, size: String(size), modified: String(mtimeNs), samples, sampleBytes })),
    )
    const last = Math.max(0, Number(size) - sampleBytes)
    const buffer = Buffer.alloc(sampleBytes)
    for (let index = 0; index < samples; index++) {
      const position = Math.round((last * index) / (samples - 1))
      const { bytesRead } = await file.read(buffer, { position })
      hash.update(buffer.subarray(0, bytesRead))
    }
    return hash.digest().replace('sha256:', 'fingerprint:') as Fingerprint
  } finally {
    await file.close()
  }
}
