import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { openMediaIntake } from '../../../../stages/input/media/media-intake.js'
import { MediumError } from '../../../../stages/input/media/read-medium.js'
import { memoryStore } from '../memory-store.js'

async function openIntake() {
  const folder = await mkdtemp(join(tmpdir(), 'media-intake-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const locate = (name: string): Promise<string> => Promise.resolve(join(folder, name))
  const intake = openMediaIntake(memoryStore().store.media, { locate })
  return { intake, file: (name: string, bytes: Uint8Array) => writeFile(join(folder, name), bytes) }
}

test('a picture is taken whole whatever its size', async () => {
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

test('a picture is made of several, in their order, and fails where one of them is missing', async () => {
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

test('a file that was made for one doc is removed when it is stored, and shown again by its path', async () => {
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
