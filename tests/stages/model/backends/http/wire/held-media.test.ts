import { makeLastingFile } from '../../../../../../cache/media/lasting-file.js'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { sha256, type MediaDigest } from '../../../../../../cache/digest.js'
import { MediaWork } from '../../../../../../cache/media/media-work.js'
import { heldBody, HeldMedia } from '../../../../../../stages/model/backends/http/wire/held-media.js'
import { makeBody, type BodyPiece } from '../../../../../../stages/model/backends/http/wire/media-body.js'
import { contextOf } from '../../../../../support/backend-client.js'

const gif = { kind: 'image', format: 'gif', mime: 'image/gif' } as const
const megabyte = 2 ** 20

async function mediaFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'held-media-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const pathOf = (digest: MediaDigest): string => join(folder, digest.slice(7))
  const reads: MediaDigest[] = []
  const media = new HeldMedia((digest, bytes, into) => {
    reads.push(digest)
    // A new instance each time, because one with much work would start a thread.
    return new MediaWork().encode({ path: pathOf(digest), digest, bytes }, into)
  })
  const add = async (bytes: Uint8Array, digest = sha256<'media'>(bytes)): Promise<MediaDigest> => {
    await writeFile(pathOf(digest), bytes)
    return digest
  }
  return {
    media,
    reads,
    add,
    context: {
      ...contextOf({}),
      openMediaFile: (digest: MediaDigest) => Promise.resolve(makeLastingFile(pathOf(digest))),
    },
  }
}

const mediumPiece = (media: MediaDigest): BodyPiece => ({ part: { type: 'image', media }, type: gif })

test('a body with held media has the same bytes as a streamed one', async () => {
  const { media, add, context } = await mediaFolder()
  const medium = fc.uint8Array({ minLength: 1, maxLength: 300_000, size: 'max' })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(fc.string({ unit: 'grapheme' }), medium), { maxLength: 6 }), async content => {
      const heads = new Map<MediaDigest, { readonly bytes: number; readonly type: typeof gif }>()
      const pieces: BodyPiece[] = []
      for (const piece of [...content, new Uint8Array([1])]) {
        if (typeof piece === 'string') pieces.push(piece)
        else {
          const digest = await add(piece)
          heads.set(digest, { bytes: piece.length, type: gif })
          pieces.push(mediumPiece(digest))
        }
      }
      const held = (await heldBody(pieces, heads, media))!
      const streamed = makeBody(pieces, heads, context)
      const sent: Uint8Array[] = []
      for await (const bytes of streamed.content as AsyncIterable<Uint8Array>) sent.push(bytes)
      expect(Buffer.concat(held.parts).equals(Buffer.concat(sent))).toBe(true)
      expect(held.length).toBe(streamed.length)
      held.letGo(true)
    }),
    { numRuns: 30 },
  )
})

test('reads a medium once for several requests in flight and soon after', async () => {
  const { media, reads, add } = await mediaFolder()
  const digest = await add(Buffer.alloc(megabyte, 'ab'))
  const [first, second] = await Promise.all([media.hold(digest, megabyte), media.hold(digest, megabyte)])
  expect(second?.base64).toBe(first?.base64)
  first?.letGo(true)
  second?.letGo(true)
  expect((await media.hold(digest, megabyte))?.base64).toBe(first?.base64)
  expect(reads).toEqual([digest])
})

test('limits the number of held media for any number of requests, and reuses their memory', async () => {
  const { media, add } = await mediaFolder()
  const held = []
  for (let index = 0; index < 60; index += 1) {
    const digest = await add(Buffer.alloc(megabyte, index))
    held.push(await media.hold(digest, megabyte))
  }
  const there = held.filter(medium => medium !== undefined)
  expect(there.length).toBe(48)
  const memory = new Set(there.map(({ base64 }) => base64.buffer))
  for (const medium of there) medium.letGo(true)
  const next = await media.hold(await add(Buffer.alloc(megabyte, 'next')), megabyte)
  expect(memory.has(next!.base64.buffer)).toBe(true)
})

test('never overwrites memory that may still be read', async () => {
  const { media, add } = await mediaFolder()
  const memory = new Set<ArrayBufferLike>()
  for (let index = 0; index < 60; index += 1) {
    const medium = await media.hold(await add(Buffer.alloc(megabyte, index)), megabyte)
    expect(memory.has(medium!.base64.buffer)).toBe(false)
    memory.add(medium!.base64.buffer)
    medium!.letGo(false)
  }
})

test('does not hold large media', async () => {
  const { media, reads, add } = await mediaFolder()
  const digest = await add(Buffer.alloc(5 * megabyte))
  expect(await media.hold(digest, 5 * megabyte)).toBeUndefined()
  expect(reads).toEqual([])
})

test.each([
  ['is damaged', Buffer.alloc(100, 'other')],
  ['is cut short', Buffer.alloc(50, 'medium')],
  ['is missing', undefined],
])('does not hold a medium that %s, and checks it again the next time', async (_, found) => {
  const { media, add } = await mediaFolder()
  const whole = Buffer.alloc(100, 'medium')
  const digest = sha256<'media'>(whole)
  if (found !== undefined) await add(found, digest)
  expect(await media.hold(digest, 100)).toBeUndefined()
  await add(whole)
  expect((await media.hold(digest, 100))?.base64.toString()).toBe(whole.toString('base64'))
})
