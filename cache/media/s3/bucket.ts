import type { Readable } from 'node:stream'
import type { PresignOptions } from '../../store.js'
import type { LockListener } from '../../store/opening.js'
import { showS3Address, type S3Address } from './s3-address.js'
import { openClient, readAddress, type OpenedClient, type S3Module } from './s3-client.js'
import { presignAddress } from './presign.js'
import { isMissingObject, silenceError } from './s3-error.js'
import { Patience } from './patience.js'

/** An object that a bucket lists. */
export interface ListedObject {
  /** The key behind the prefix. */
  readonly name: string
  readonly bytes: number
}

/** A part of a file that is uploaded in several parts. */
export interface UploadedPart {
  readonly PartNumber: number
  readonly ETag: string | undefined
}

/** An object's bytes from an offset. */
export interface ObjectStream {
  readonly body: Readable
  /** The offset of the first byte. It is 0 if the server ignores offsets. */
  readonly from: number
  /** The size of the whole object, if the server reports it. */
  readonly size: number | undefined
}

export interface BucketOptions {
  /** Told while the server cannot be reached. */
  readonly waiting: LockListener
  /** @default 60 s */
  readonly silenceMs?: number
}

const defaultSilenceMs = 60_000
/** The slowest upload that is not taken for silence, in bytes a millisecond. */
const slowestUpload = 50

/**
 * Objects of a bucket below a prefix. Names of objects are without the prefix. A call is repeated while it fails for a reason that passes, except
 * `openStream`.
 */
export class Bucket {
  readonly address: S3Address
  readonly shown: string
  readonly patience: Patience
  /** The silence of the server after which a call failed, in milliseconds. */
  readonly silenceMs: number
  readonly #sdk: S3Module
  readonly #client: OpenedClient['client']

  /** Call `openBucket` instead. */
  constructor(
    address: S3Address,
    { sdk, client }: OpenedClient,
    { waiting, silenceMs = defaultSilenceMs }: BucketOptions,
  ) {
    this.address = address
    this.shown = showS3Address(address)
    this.patience = new Patience(this.shown, waiting)
    this.silenceMs = silenceMs
    this.#sdk = sdk
    this.#client = client
  }

  /** Tells people where an object is. */
  locate(name: string): string {
    return `s3://${this.address.bucket}/${this.address.prefix}${name}`
  }

  /** Signs an address from which an object can be read without keys. Nothing is sent. */
  async presign(name: string, { seconds, type }: PresignOptions): Promise<string> {
    const { credentials, region, systemClockOffset } = this.#client.config
    const [address, key] = await Promise.all([readAddress(this.#client, this.#getCommand(name)), credentials()])
    return presignAddress(
      { address, seconds, ...(type !== undefined && { type }) },
      { key, region: await region(), now: Date.now() + systemClockOffset },
    )
  }

  /** Returns the size of an object, or undefined if it is missing. */
  readSize(name: string): Promise<number | undefined> {
    const command = new this.#sdk.HeadObjectCommand(this.#object(name))
    return this.patience.persist(async () => {
      const head = await withoutMissing(
        within(this.silenceMs, abortSignal => this.#client.send(command, { abortSignal })),
      )
      return head && (head.ContentLength ?? 0)
    })
  }

  /** Reads a short text. Undefined if the object is missing. */
  readText(name: string): Promise<string | undefined> {
    const command = this.#getCommand(name)
    return this.patience.persist(() =>
      withoutMissing(
        within(this.silenceMs, async abortSignal =>
          (await this.#client.send(command, { abortSignal })).Body?.transformToString(),
        ),
      ),
    )
  }

  /** Opens an object once. @returns undefined if it is missing */
  async openStream(name: string, from: number): Promise<ObjectStream | undefined> {
    const range = from === 0 ? {} : { Range: `bytes=${from}-` }
    const command = new this.#sdk.GetObjectCommand({ ...this.#object(name), ...range })
    const reply = await withoutMissing(
      within(this.silenceMs, abortSignal => this.#client.send(command, { abortSignal })),
    )
    if (reply?.Body === undefined) return undefined
    const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(reply.ContentRange ?? '') ?? []
    const size = total === undefined ? reply.ContentLength : Number(total)
    // In Node, the SDK's bodies are streams of node:http.
    return { body: reply.Body as Readable, from: first === undefined ? 0 : Number(first), size }
  }

  /** Writes an object. @param checksum its SHA-256 in base64, with which some servers check what arrives */
  async write(name: string, bytes: Uint8Array, checksum?: string): Promise<void> {
    const command = new this.#sdk.PutObjectCommand({
      ...this.#object(name),
      Body: bytes,
      ContentLength: bytes.length,
      ...(checksum !== undefined && { ChecksumSHA256: checksum }),
    })
    await this.patience.persist(() =>
      within(this.silenceMs + bytes.length / slowestUpload, abortSignal => this.#client.send(command, { abortSignal })),
    )
  }

  /** Begins an upload in several parts. @returns its id */
  async beginUpload(name: string): Promise<string> {
    const command = new this.#sdk.CreateMultipartUploadCommand(this.#object(name))
    const { UploadId = '' } = await this.patience.persist(() =>
      within(this.silenceMs, abortSignal => this.#client.send(command, { abortSignal })),
    )
    return UploadId
  }

  /** Uploads one part, which are numbered from 1. */
  async uploadPart(name: string, UploadId: string, PartNumber: number, bytes: Uint8Array): Promise<UploadedPart> {
    const part = { UploadId, PartNumber, Body: bytes, ContentLength: bytes.length }
    const command = new this.#sdk.UploadPartCommand({ ...this.#object(name), ...part })
    const { ETag } = await this.patience.persist(() =>
      within(this.silenceMs + bytes.length / slowestUpload, abortSignal => this.#client.send(command, { abortSignal })),
    )
    return { PartNumber, ETag }
  }

  /** Ends an upload. If a reply is lost, the next attempt finds no upload, but the object. */
  async endUpload(name: string, UploadId: string, parts: readonly UploadedPart[], bytes: number): Promise<void> {
    const upload = { UploadId, MultipartUpload: { Parts: [...parts] } }
    const command = new this.#sdk.CompleteMultipartUploadCommand({ ...this.#object(name), ...upload })
    try {
      await this.patience.persist(() =>
        // The server puts the parts together before it replies.
        within(this.silenceMs + bytes / slowestUpload, abortSignal => this.#client.send(command, { abortSignal })),
      )
    } catch (error) {
      if ((await this.readSize(name)) !== bytes) throw error
    }
  }

  /** Gives an upload up, so that the server keeps no parts. A failure does no harm but leaves them. */
  async abortUpload(name: string, UploadId: string): Promise<void> {
    const command = new this.#sdk.AbortMultipartUploadCommand({ ...this.#object(name), UploadId })
    await within(this.silenceMs, abortSignal => this.#client.send(command, { abortSignal })).catch(() => undefined)
  }

  /** Lists objects in the order of their keys. */
  async *list(): AsyncGenerator<ListedObject> {
    const { bucket: Bucket, prefix: Prefix } = this.address
    let ContinuationToken: string | undefined
    do {
      const next = ContinuationToken === undefined ? {} : { ContinuationToken }
      const command = new this.#sdk.ListObjectsV2Command({ Bucket, Prefix, ...next })
      const page = await this.patience.persist(() =>
        within(this.silenceMs, abortSignal => this.#client.send(command, { abortSignal })),
      )
      for (const { Key = '', Size = 0 } of page.Contents ?? []) yield { name: Key.slice(Prefix.length), bytes: Size }
      ContinuationToken = page.IsTruncated === true ? page.NextContinuationToken : undefined
    } while (ContinuationToken !== undefined)
  }

  async remove(name: string): Promise<void> {
    const command = new this.#sdk.DeleteObjectCommand(this.#object(name))
    await this.patience.persist(() =>
      within(this.silenceMs, abortSignal => this.#client.send(command, { abortSignal })),
    )
  }

  close(): void {
    this.#client.destroy()
  }

  #getCommand(name: string) {
    return new this.#sdk.GetObjectCommand(this.#object(name))
  }

  #object(name: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.address.bucket, Key: this.address.prefix + name }
  }
}

/** Opens a bucket. Nothing is sent. */
export const openBucket = async (address: S3Address, options: BucketOptions): Promise<Bucket> =>
  new Bucket(address, await openClient(address), options)

/** Runs a call that fails after a time without a reply. */
async function within<T>(ms: number, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  const timer = setTimeout(() => stop.abort(), ms)
  try {
    return await call(stop.signal)
  } catch (error) {
    throw stop.signal.aborted ? silenceError() : error
  } finally {
    clearTimeout(timer)
  }
}

async function withoutMissing<T>(reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply
  } catch (error) {
    if (isMissingObject(error)) return undefined
    throw error
  }
}
