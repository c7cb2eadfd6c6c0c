import { createReadStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { PipelineError, systemCode } from '../../base/errors/errors.js'
import { command } from '../../base/errors/option-words.js'
import { expectFile, fileTrouble } from '../../base/files/files.js'
import { streamingSha256, type MediaDigest } from '../digest.js'
import { writeAtomically } from '../media/atomic-file.js'
import { makeFolder } from '../make-folder.js'
import { manifestName, parseManifest, type Manifest } from './manifest.js'
import { mediumDigest } from './media.js'
import { blockSize, paddingAfter, readTarHeader, tarHeader, trailer } from './tar.js'

/** The maximum size of a manifest, which may hold the aggregates of thousands of judgements. A larger manifest counts as damaged. */
const maxManifestBytes = 256 * 1024 * 1024
const chunkSize = 1 << 20

/** A medium of a bundle and its position in the file. */
export interface MediumInBundle {
  readonly digest: MediaDigest
  /** The offset of the medium's bytes in the bundle file. */
  readonly start: number
  readonly bytes: number
}

/** A bundle with verified parts. */
export interface VerifiedBundle {
  readonly manifest: Manifest
  readonly media: readonly MediumInBundle[]
  readonly judgeCalls: readonly UnpackedCalls[]
}

/** The requests to one judge model, unpacked from a bundle. */
export interface UnpackedCalls {
  readonly manifest: Manifest
  /** The folder that holds the Parquet parts. */
  readonly folder: string
  /** The file and the part in it, for messages. */
  readonly source: string
}

/**
 * Reads a bundle once, verifies every byte and unpacks its Parquet parts into `folder`. The manifest determines every
 * byte except those of media, which are verified by their names.
 *
 * @throws PipelineError (bundle) if the file is not a bundle, is cut off or damaged, or has a newer format
 */
export async function unpackBundle(file: string, folder: string): Promise<VerifiedBundle> {
  const reader = new BundleReader(file, await openBundle(file))
  try {
    const manifest = await reader.manifest()
    for (const part of manifest.parts) await reader.unpack(part, join(folder, part.name))
    const judgeCalls: UnpackedCalls[] = []
    for (const part of manifest.judgeCalls ?? []) {
      const nested = join(folder, part.name)
      await reader.unpack(part, nested)
      judgeCalls.push(await unpackCalls(nested, { of: manifest, source: `${file}: ${part.name}` }))
    }
    const media: MediumInBundle[] = []
    while (media.length < manifest.media) media.push(await reader.medium(media.length, manifest.media))
    await reader.end()
    return { manifest, media, judgeCalls }
  } finally {
    await reader.close()
  }
}

/** Unpacks the bundle of a judge's calls beside its file. It may hold nothing but requests on behalf of the judged run. */
async function unpackCalls(
  file: string,
  { of, source }: { readonly of: Manifest; readonly source: string },
): Promise<UnpackedCalls> {
  const folder = `${file}.parts`
  makeFolder(folder)
  const reader = new BundleReader(source, await openBundle(file))
  try {
    const manifest = await reader.manifest()
    const { run, judgeCalls = [], media } = manifest
    if (run.asked.judge?.of !== of.run.id || judgeCalls.length > 0 || media > 0)
      throw new PipelineError('bundle', `${source} does not hold the calls of a judge for ${of.run.name}`)
    for (const part of manifest.parts) await reader.unpack(part, join(folder, part.name))
    await reader.end()
    return { manifest, folder, source }
  } finally {
    await reader.close()
  }
}

/** Reads the manifest of a bundle, and nothing behind it. @throws PipelineError (bundle) if the file is not a bundle, or has a newer format */
export async function readManifest(file: string): Promise<Manifest> {
  const reader = new BundleReader(file, await openBundle(file))
  try {
    return await reader.manifest()
  } finally {
    await reader.close()
  }
}

/** Reads the bytes of a medium from a verified bundle. */
export async function readMedium(file: string, { start, bytes }: MediumInBundle): Promise<Uint8Array> {
  const content = Buffer.alloc(bytes)
  let filled = 0
  if (bytes > 0) {
    for await (const chunk of createReadStream(file, { start, end: start + bytes - 1 }) as AsyncIterable<Buffer>)
      filled += chunk.copy(content, filled)
  }
  return content
}

async function openBundle(file: string): Promise<FileHandle> {
  const refuse = (why: string, cause?: unknown): never => {
    throw new PipelineError('bundle', `${file} ${why}`, { cause, reason: 'bundle-unreadable', data: { file } })
  }
  try {
    // This check comes first because opening a named pipe blocks until a writer appears.
    await expectFile(file)
    return await open(file, 'r')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return refuse('is not there', error)
    const why = fileTrouble(error) ?? systemCode(error) ?? String(error)
    return refuse(`can't be read: ${why}. Give a bundle that ${command('export')} wrote`, error)
  }
}

/** Reads the file sequentially. `#at` is the current offset. */
class BundleReader {
  readonly #file: string
  readonly #handle: FileHandle
  #at = 0

  constructor(file: string, handle: FileHandle) {
    this.#file = file
    this.#handle = handle
  }

  close(): Promise<void> {
    return this.#handle.close()
  }

  async manifest(): Promise<Manifest> {
    const block = await this.#read(blockSize)
    const header = block.length === blockSize ? readTarHeader(block) : undefined
    if (header?.name !== manifestName || header.bytes > maxManifestBytes)
      throw new PipelineError(
        'bundle',
        `${this.#file} is not a bundle that ${command('export')} wrote, or its first bytes are damaged`,
        { reason: 'bundle-foreign', data: { file: this.#file } },
      )
    const text = await this.#exactly(header.bytes, manifestName)
    await this.#padding(header.bytes, manifestName)
    try {
      return parseManifest(new TextDecoder('utf-8', { fatal: true }).decode(text))
    } catch (error) {
      if (error instanceof RangeError || error instanceof TypeError) throw this.#damaged(manifestName, error.message)
      throw error
    }
  }

  async unpack(part: Manifest['parts'][number], target: string): Promise<void> {
    const header = await this.#exactly(blockSize, part.name)
    if (!header.equals(tarHeader(part.name, part.bytes)))
      throw this.#damaged(part.name, 'its header differs from the manifest')
    let digest = ''
    await writeAtomically(target, async write => {
      digest = await this.#stream(part.name, part.bytes, write)
      // The error is thrown inside the write, so that no damaged file stays under the final name.
      if (digest !== part.digest) throw this.#damaged(part.name, `its digest is ${digest}, not ${part.digest}`)
    })
    await this.#padding(part.bytes, part.name)
  }

  async medium(index: number, count: number): Promise<MediumInBundle> {
    const label = `medium ${index + 1} of ${count}`
    const header = readTarHeader(await this.#exactly(blockSize, label))
    const digest = header === undefined ? undefined : mediumDigest(header.name)
    if (header === undefined || digest === undefined) throw this.#damaged(label, 'its header does not name a medium')
    const start = this.#at
    const streamedDigest = await this.#stream(header.name, header.bytes)
    if (streamedDigest !== digest) throw this.#damaged(header.name, `its digest is ${streamedDigest}`)
    await this.#padding(header.bytes, header.name)
    return { digest, start, bytes: header.bytes }
  }

  async end(): Promise<void> {
    const rest = Buffer.concat([await this.#exactly(trailer.length, 'end'), await this.#read(1)])
    if (rest.equals(trailer)) return
    throw new PipelineError(
      'bundle',
      `${this.#file}: unexpected data after the last part. Copy or export the file again.`,
    )
  }

  async #stream(name: string, bytes: number, write?: (chunk: Uint8Array) => Promise<void>): Promise<string> {
    const hash = streamingSha256()
    for (let remainingBytes = bytes; remainingBytes > 0;) {
      const chunk = await this.#exactly(Math.min(remainingBytes, chunkSize), name)
      hash.update(chunk)
      await write?.(chunk)
      remainingBytes -= chunk.length
    }
    return hash.digest()
  }

  async #padding(bytes: number, name: string): Promise<void> {
    const padding = await this.#exactly(paddingAfter(bytes), name)
    if (padding.some(byte => byte !== 0)) throw this.#damaged(name, 'its padding is not all zeros')
  }

  async #exactly(bytes: number, name: string): Promise<Buffer> {
    const content = await this.#read(bytes)
    if (content.length === bytes) return content
    throw new PipelineError(
      'bundle',
      `${this.#file} is cut off in part ${name}, after ${this.#at} bytes. Copy or export it again.`,
    )
  }

  /** Reads the next bytes. It returns fewer only at the end of the file. */
  async #read(bytes: number): Promise<Buffer> {
    const content = Buffer.alloc(bytes)
    let filled = 0
    while (filled < bytes) {
      const { bytesRead } = await this.#handle.read(content, filled, bytes - filled, this.#at)
      if (bytesRead === 0) break
      filled += bytesRead
      this.#at += bytesRead
    }
    return content.subarray(0, filled)
  }

  #damaged(part: string, why: string): PipelineError {
    return new PipelineError('bundle', `${this.#file}: part ${part} is damaged: ${why}. Copy or export it again.`)
  }
}
