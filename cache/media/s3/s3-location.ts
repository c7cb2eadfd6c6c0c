import { join } from 'node:path'
import type { MediaDigest } from '../../digest.js'
import { LocalMediaCache } from '../local-cache.js'
import { DamagedMediumError } from '../medium-errors.js'
import { markName, type MediaLocation } from '../media-location.js'
import { openBucket, type Bucket, type BucketOptions } from './bucket.js'
import { downloadMedium } from './download.js'
import { nameObject, readObjectName } from './object-names.js'
import type { S3Address } from './s3-address.js'
import { S3MediaStore } from './s3-media-store.js'

/** Media that are read at the same time to be checked. */
const readsAtOnce = 8

/** Opens the location in a bucket of object storage. @param workFolder holds the local cache */
export async function openS3Location(
  address: S3Address,
  { workFolder, ...options }: BucketOptions & { readonly workFolder: string },
): Promise<MediaLocation> {
  const bucket = await openBucket(address, options)
  const cache = new LocalMediaCache(join(workFolder, 'media-cache'), address.cacheBytes)
  return {
    kind: 'bucket',
    shown: bucket.shown,
    unmarked: 'Check the bucket and the prefix.',
    async readMark() {
      return (await bucket.readText(markName))?.trim()
    },
    writeMark: store => bucket.write(markName, Buffer.from(`${store}\n`)),
    async isUsed() {
      for await (const { name } of bucket.list()) if (readObjectName(name) !== undefined) return true
      return false
    },
    open: digestOfFile => new S3MediaStore(bucket, cache, digestOfFile),
    async countMedia() {
      const counted = { files: 0, bytes: 0 }
      for await (const { name, bytes } of bucket.list()) {
        if (readObjectName(name) === undefined) continue
        counted.files += 1
        counted.bytes += bytes
      }
      return counted
    },
    verify: repair => verifyObjects(bucket, repair),
    listen: listener => bucket.patience.listen(listener),
    async close() {
      bucket.close()
      await cache.close()
    },
  }
}

async function verifyObjects(bucket: Bucket, repair: boolean): ReturnType<MediaLocation['verify']> {
  let checked = 0
  const damaged: MediaDigest[] = []
  const names = bucket.list()
  const checkNext = async (): Promise<void> => {
    for (;;) {
      const next = await names.next()
      if (next.done === true) return
      const digest = readObjectName(next.value.name)
      if (digest === undefined) continue
      checked += 1
      if (await isSound(bucket, digest)) continue
      damaged.push(digest)
      if (repair) await bucket.remove(next.value.name)
    }
  }
  await Promise.all(Array.from({ length: readsAtOnce }, checkNext))
  return { checked, damaged: damaged.sort() }
}

const nowhere = { restart: () => Promise.resolve(), write: () => Promise.resolve() }

async function isSound(bucket: Bucket, digest: MediaDigest): Promise<boolean> {
  try {
    await downloadMedium(bucket, { digest, name: nameObject(digest) }, nowhere)
    return true
  } catch (error) {
    if (error instanceof DamagedMediumError) return false
    throw error
  }
}
