import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { sha256, type MediaDigest } from '../../../../cache/digest.js'
import { nameObject } from '../../../../cache/media/s3/object-names.js'
import { fakeKeys } from '../../../support/fake-s3.js'
import { openS3Media, useFakeS3 } from '../../../support/s3-media.js'
import { temporaryFolder } from '../../../support/store.js'
import { describeMedia } from '../../../support/store-conformance/media.js'

const fake = useFakeS3()
const keyOf = (digest: MediaDigest): string => `media/${nameObject(digest)}`
const callsOf = (method: string): readonly string[] =>
  fake()
    .calls.filter(call => call.method === method)
    .map(({ target }) => target)

/** Bytes that differ at each position. */
const noise = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 7 + (at >> 8)) % 251))

/** Stores an object as another machine did. */
function putObject(bytes: Buffer): MediaDigest {
  const digest = sha256<'media'>(bytes)
  fake().objects.set(keyOf(digest), bytes)
  return digest
}

describeMedia(async () => (await openS3Media(fake())).media)

test('the key is the digest, and an existing medium is not uploaded again', async () => {
  const [first, second] = [await openS3Media(fake()), await openS3Media(fake())]
  const bytes = Buffer.from('a picture')
  const { digest } = await first.media.addBytes(bytes)
  expect([...fake().objects.keys()]).toEqual([keyOf(digest)])
  expect(await second.media.addBytes(bytes)).toMatchObject({ digest, isNew: false })
  expect(callsOf('PUT')).toHaveLength(1)
  expect(Buffer.from(await second.media.read(digest))).toEqual(bytes)
  expect(first.media.locate(digest)).toBe(`s3://evals/${keyOf(digest)}`)
})

test.each([0, 1, 8 * 2 ** 20, 20_000_001])(
  'uploads a file of %i bytes unchanged, in parts if it is large',
  async size => {
    const { media } = await openS3Media(fake())
    const path = join(await temporaryFolder(), 'video')
    const bytes = Buffer.alloc(size, noise(1_009))
    await writeFile(path, bytes)
    const { digest } = await media.addFile(path)
    expect(fake().objects.get(keyOf(digest))?.equals(bytes)).toBe(true)
    expect(callsOf('PUT')).toHaveLength(size > 8 * 2 ** 20 ? 3 : 1)
    expect(fake().uploads.size).toBe(0)
    await using file = await (await openS3Media(fake())).media.openFile(digest)
    expect((await readFile(file.path)).equals(bytes)).toBe(true)
  },
)

test('does not store a file that changed since it was hashed, and a failed upload leaves no parts', async () => {
  const { location: s3 } = await openS3Media(fake())
  const path = join(await temporaryFolder(), 'video')
  await writeFile(path, Buffer.alloc(9 * 2 ** 20, 'after'))
  const stale = s3.open(() => Promise.resolve(sha256('before')))
  await expect(stale.addFile(path)).rejects.toThrow('changed while it was read')
  const { media } = await openS3Media(fake())
  fake().fault = ({ target }) =>
    target.includes('partNumber=2') ? { type: 'status', status: 400, code: 'EntityTooLarge' } : undefined
  await expect(media.addFile(path)).rejects.toThrow('EntityTooLarge')
  expect([...fake().objects.keys(), ...fake().uploads.keys()]).toEqual([])
})

describe('temporary faults', () => {
  const slow = { type: 'status', status: 503, code: 'SlowDown' } as const
  test.each([
    ['status 500', { type: 'status', status: 500 }],
    ['status 503 SlowDown', slow],
    ['status 429', { type: 'status', status: 429, code: 'TooManyRequests' }],
    ['a page of a proxy', { type: 'page', status: 502 }],
    ['a reply that is lost', { type: 'lost-reply' }],
    ['a late reply', { type: 'delay', ms: 50 }],
  ] as const)('%s, at the first attempt of each call', async (_, fault) => {
    const seen = new Set<string>()
    fake().fault = ({ method, target }) => {
      if (seen.has(method + target)) return undefined
      seen.add(method + target)
      return fault
    }
    const { media, told } = await openS3Media(fake())
    const path = join(await temporaryFolder(), 'video')
    await writeFile(path, Buffer.alloc(9 * 2 ** 20, 'video'))
    const [small, large] = [await media.addBytes(noise(5_000)), await media.addFile(path)]
    const other = await openS3Media(fake())
    expect(Buffer.from(await other.media.read(small.digest))).toEqual(noise(5_000))
    expect((await other.media.read(large.digest)).length).toBe(9 * 2 ** 20)
    expect(await other.location.countMedia()).toMatchObject({ files: 2 })
    expect(told).toEqual([])
  })

  test('reads the rest after a connection is cut, again and again', async () => {
    const bytes = noise(10_000)
    const digest = putObject(bytes)
    fake().fault = ({ method }) => (method === 'GET' ? { type: 'cut', after: 3_000 } : undefined)
    const { media } = await openS3Media(fake())
    expect(Buffer.from(await media.read(digest))).toEqual(bytes)
    expect(fake().calls.map(({ range }) => range)).toEqual([undefined, 'bytes=3000-', 'bytes=6000-', 'bytes=9000-'])
  })

  test('notices bytes that changed on the way and reads them again', async () => {
    const digest = putObject(noise(10_000))
    let at = 0
    fake().fault = () => ((at += 1) <= 2 ? { type: 'flip', at: at * 17 } : undefined)
    const { media } = await openS3Media(fake())
    expect(Buffer.from(await media.read(digest))).toEqual(noise(10_000))
    expect(callsOf('GET')).toHaveLength(3)
  })

  test('retries a server that sends nothing', async () => {
    const digest = putObject(noise(10))
    let calls = 0
    fake().fault = () => ((calls += 1) === 1 ? { type: 'delay', ms: 3_000 } : undefined)
    const { media } = await openS3Media(fake(), { silenceMs: 200 })
    expect(Buffer.from(await media.read(digest))).toEqual(noise(10))
    expect(calls).toBe(2)
  })
})

describe('permanent faults', () => {
  test('reports an object with other bytes as damaged, and keeps no copy', async () => {
    const digest = putObject(noise(1_000))
    fake().objects.set(keyOf(digest), noise(1_001))
    const { media, location: s3, cache } = await openS3Media(fake())
    const message = `medium ${digest} is damaged in object storage (s3://evals/${keyOf(digest)} has other bytes)`
    await expect(media.read(digest)).rejects.toThrow(message)
    await expect(media.openFile(digest)).rejects.toThrow(message)
    expect(await media.encode(digest, 1_000, Buffer.alloc(2_000))).toBeUndefined()
    expect((await readdir(cache)).filter(name => name !== 'held')).toEqual([])
    const sound = putObject(noise(5))
    expect(await s3.verify(false)).toEqual({ checked: 2, damaged: [digest] })
    expect(await s3.verify(true)).toEqual({ checked: 2, damaged: [digest] })
    expect([...fake().objects.keys()]).toEqual([keyOf(sound)])
    await expect(media.read(digest)).rejects.toThrow('is not in the store')
  })

  test('an unreachable server causes one message, then an error with its address', async () => {
    fake().fault = () => ({ type: 'status', status: 503, code: 'SlowDown' })
    const { media } = await openS3Media(fake(), { waiting: { limitMs: 300 } })
    await expect(media.read(sha256<'media'>('x'))).rejects.toThrow(
      "the media at s3://evals/media can't be reached: status 503, SlowDown: This is SlowDown.",
    )
  })

  test.each([
    ['s3://nowhere/media', fakeKeys.id, 'have no bucket there'],
    ['s3://evals/media', 'AKIANOBODY', 'InvalidAccessKeyId'],
  ])('rejects %s with the key %s and does not show the keys', async (address, key, message) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', key)
    try {
      const { location: s3 } = await openS3Media(fake(), { media: address })
      const error = await s3.isUsed().catch((caught: unknown) => caught)
      expect(error).toMatchObject({ code: 'store', message: expect.stringContaining(message) as string })
      const all = [String(error), JSON.stringify(error), String((error as Error).cause)].join()
      expect(all).not.toContain(fakeKeys.secret)
      expect(all).not.toContain(key)
    } finally {
      vi.stubEnv('AWS_ACCESS_KEY_ID', fakeKeys.id)
    }
  })
})

test('uses server and region of the environment, and requires a region for Amazon', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL', fake().url)
  try {
    const { location: s3 } = await openS3Media({ url: '' })
    await s3.writeMark('a')
    expect(fake().objects.get('media/store.txt')?.toString()).toBe('a\n')
    vi.stubEnv('AWS_ENDPOINT_URL', '')
    await expect(openS3Media({ url: '' })).rejects.toThrow('in an unknown region. Name it with region=')
  } finally {
    vi.stubEnv('AWS_ENDPOINT_URL', '')
  }
})

test('an error about missing credentials names the ways to give them', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', '')
  try {
    const { location: s3 } = await openS3Media(fake())
    await expect(s3.readMark()).rejects.toMatchObject({
      code: 'store',
      message: expect.stringContaining('no credentials are found. Give them as the tools of AWS have them') as string,
    })
  } finally {
    vi.stubEnv('AWS_ACCESS_KEY_ID', fakeKeys.id)
  }
})

describe('the local cache', () => {
  test('fetches a medium once, even if several readers ask at the same time', async () => {
    const digest = putObject(noise(10_000))
    const { media } = await openS3Media(fake())
    await Promise.all(Array.from({ length: 5 }, () => media.read(digest)))
    await media.encode(digest, 10_000, Buffer.alloc(20_000))
    expect(callsOf('GET')).toHaveLength(1)
  })

  test('fetches a copy again if it was damaged on this machine', async () => {
    const digest = putObject(noise(10_000))
    const { media, cache } = await openS3Media(fake())
    await media.read(digest)
    await truncate(join(cache, nameObject(digest)), 9_000)
    expect(Buffer.from(await media.read(digest))).toEqual(noise(10_000))
    await writeFile(join(cache, nameObject(digest)), noise(10_000).reverse())
    expect(await media.encode(digest, 10_000, Buffer.alloc(20_000))).toBe(13_336)
  })

  test('reads a medium larger than the cache without keeping it', async () => {
    const digest = putObject(noise(10_000))
    const { media, cache } = await openS3Media(fake(), { cacheGb: 0 })
    expect(await Promise.all([media.read(digest), media.read(digest)])).toHaveLength(2)
    expect(await readdir(join(cache, 'held'), { recursive: true })).toHaveLength(1)
  })

  test('recreates a cache that was removed while in use', async () => {
    const digest = putObject(noise(10))
    const { media, cache } = await openS3Media(fake())
    await media.read(digest)
    await rm(cache, { recursive: true })
    expect(Buffer.from(await media.read(digest))).toEqual(noise(10))
  })
})
