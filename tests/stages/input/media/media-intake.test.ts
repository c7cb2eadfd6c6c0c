import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { namingIntake, openMediaIntake } from '../../../../stages/input/media/media-intake.js'
import { MediumError } from '../../../../stages/input/media/medium-error.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import { sha256 } from '../../../../cache/digest.js'
import {
  differenceOf,
  lyingPicture,
  orientations,
  pixelsOf,
  quarteredPicture,
} from '../../../support/lying-pictures.js'
import { memoryStore } from '../memory-store.js'

async function openIntake(turned?: Parameters<typeof openMediaIntake>[2]) {
  const folder = await mkdtemp(join(tmpdir(), 'media-intake-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const locate = (name: string): Promise<string> => Promise.resolve(join(folder, name))
  const store = memoryStore().store.media
  const intake = openMediaIntake(store, { locate }, turned)
  return { intake, store, file: (name: string, bytes: Uint8Array) => writeFile(join(folder, name), bytes) }
}

test('stores a large picture whole', async () => {
  const { intake, file } = await openIntake()
  const { data } = await sharp(Buffer.alloc(2600 * 2600 * 3), { raw: { width: 2600, height: 2600, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer({ resolveWithObject: true })
  expect(data.length).toBeGreaterThan(16 * 2 ** 20)
  await file('large.png', data)
  expect((await intake.add('large.png')).part.type).toBe('image')
})

test.each([
  ['is missing', undefined, 'no file a.png'],
  ['is cut short', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'a.png: the PNG image is cut short'],
  ['is empty', Buffer.alloc(0), 'a.png: the medium is empty'],
])('a picture that %s fails its doc', async (_, bytes, message) => {
  const { intake, file } = await openIntake()
  if (bytes !== undefined) await file('a.png', bytes)
  await expect(intake.add('a.png')).rejects.toThrow(new MediumError(message))
})

test('combines several pictures in order, and fails if one is missing', async () => {
  const { intake, file } = await openIntake()
  const blank = (width: number) =>
    sharp({ create: { width, height: 1, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
  const pictures = [await blank(1), await blank(2), await blank(3)]
  for (const [at, bytes] of pictures.entries()) await file(`${at}.png`, bytes)
  const seen: (readonly Uint8Array[])[] = []
  const edit = (bytes: Uint8Array, others: readonly Uint8Array[]): Promise<Uint8Array> => {
    seen.push([bytes, ...others])
    return Promise.resolve(bytes)
  }
  expect((await intake.add({ medium: '0.png', others: ['1.png', '2.png'], edit })).part.type).toBe('image')
  expect(seen.map(files => files.map(bytes => Buffer.from(bytes)))).toEqual([pictures])
  await expect(intake.add({ medium: '0.png', others: [{ bytes: null, path: null }], edit })).rejects.toThrow(
    MediumError,
  )
})

test('a temporary file is removed once it is stored, and can be shown again by its path', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'media-intake-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'made.png')
  await writeFile(
    path,
    await sharp({ create: { width: 2, height: 2, channels: 3, background: '#123' } })
      .png()
      .toBuffer(),
  )
  const files = { locate: () => Promise.resolve(undefined), isTemporary: () => true }
  const intake = openMediaIntake(memoryStore().store.media, files)
  const first = await intake.add({ bytes: null, path })
  expect(await readdir(folder)).toEqual([])
  expect(await intake.add(path)).toEqual(first)
})

test('a temporary file is read once, even if a doc of another part shows it, too', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'media-intake-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const { store } = memoryStore()
  const files = {
    locate: (name: string) => Promise.resolve(name),
    isTemporary: (path: string) => !path.endsWith('kept.png'),
  }
  const media = openMediaIntake(store.media, files)
  const names = namingIntake(store, files, { media, turned: store.values })
  const made = async (name: string) => {
    const path = join(folder, name)
    const create = { width: 2 + name.length, height: 2, channels: 3, background: '#123' } as const
    await writeFile(path, await sharp({ create }).png().toBuffer())
    return path
  }
  for (const [name, order] of [
    ['a.png', [names, media]],
    ['bb.png', [media, names]],
  ] as const) {
    const path = await made(name)
    const [first, second] = [await order[0].add({ bytes: null, path }), await order[1].add({ bytes: null, path })]
    expect(second).toEqual(first)
    expect(await store.media.has(first.part.media)).toBe(true)
  }
  const kept = await names.add(await made('kept.png'))
  expect(await store.media.has(kept.part.media)).toBe(false)
})

test('stores a rotated picture upright, once, and knows its file by the original digest', async () => {
  const upright = quarteredPicture()
  for (const orientation of orientations.slice(1)) {
    const { intake, file, store } = await openIntake()
    const lying = await lyingPicture(upright, orientation, 'png')
    await file('a.png', lying)
    const { part, file: source } = await intake.add('a.png')
    expect(source?.digest).toBe(sha256(lying))
    expect(part.media).not.toBe(source?.digest)
    expect(differenceOf(await pixelsOf(await store.read(part.media)), upright)).toBe(0)
    for (const other of [lying, { bytes: lying, path: null }, { bytes: lying.toString('base64') }])
      expect((await intake.add(other)).part).toEqual(part)
    expect(intake.newMedia()).toBe(1)
  }
})

test('does not rotate a picture again in a later run, whatever the decoder returns', async () => {
  const values = new Map<string, Json>()
  const turned = {
    get: (name: string) => Promise.resolve(values.get(name)),
    set: (name: string, value: Json) => Promise.resolve(void values.set(name, value)),
  }
  const { intake, store } = await openIntake(turned)
  const lying = await lyingPicture(quarteredPicture(), 6, 'jpeg')
  const first = await intake.add(lying)
  expect(values.size).toBe(1)
  const [name = ''] = values.keys()
  const other = await store.addBytes(await lyingPicture(quarteredPicture(), 1, 'png'))
  values.set(name, { media: other.digest })
  expect((await intake.add(lying)).part.media).toBe(other.digest)
  expect(first.part.media).not.toBe(other.digest)
})

test('stores an upright picture unchanged', async () => {
  const { intake } = await openIntake()
  const bytes = await lyingPicture(quarteredPicture(), 1, 'jpeg')
  expect((await intake.add(bytes)).part.media).toBe(sha256(bytes))
})
