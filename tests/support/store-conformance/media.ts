import { readFile, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../cache/digest.js'
import type { MediaStore } from '../../../cache/store.js'
import { temporaryFolder } from '../store.js'

/** Creates a file with an old modification time. A new file may change again within the same tick of the clock. */
export async function oldFile(text: string): Promise<string> {
  const path = join(await temporaryFolder(), 'file.txt')
  await writeFile(path, text)
  await utimes(path, 1_000, 1_000)
  return path
}

/** The contract of every store of media. @param openMedia opens a store without media */
export function describeMedia(openMedia: () => Promise<MediaStore>): void {
  describe('media', () => {
    test('a medium is stored once, under the digest of its bytes', async () => {
      const media = await openMedia()
      const bytes = Buffer.from('a picture')
      const digest = sha256<'media'>(bytes)
      expect(await media.has(digest)).toBe(false)
      expect(await media.addBytes(bytes)).toEqual({ digest, bytes: bytes.length, isNew: true })
      expect(await media.addBytes(bytes)).toEqual({ digest, bytes: bytes.length, isNew: false })
      expect(await media.addFile(await oldFile('a picture'))).toEqual({
        digest,
        bytes: bytes.length,
        isNew: false,
      })
      expect(Buffer.from(await media.read(digest))).toEqual(bytes)
      expect(await media.has(digest)).toBe(true)
      const into = Buffer.alloc(100)
      const length = await media.encode(digest, bytes.length, into)
      expect(into.toString('latin1', 0, length)).toBe(bytes.toString('base64'))
      expect(await media.encode(digest, bytes.length + 1, into)).toBeUndefined()
      expect(media.locate(digest)).toContain(digest.slice(9))
      await using file = await media.openFile(digest)
      expect(await readFile(file.path)).toEqual(bytes)
    })

    test('a missing medium can be neither read nor encoded', async () => {
      const media = await openMedia()
      const digest = sha256<'media'>('nothing')
      await expect(media.read(digest)).rejects.toThrow(`medium ${digest} is not in the store`)
      const readFileOf = async (): Promise<Buffer> => {
        await using file = await media.openFile(digest)
        return await readFile(file.path)
      }
      await expect(readFileOf()).rejects.toMatchObject({ code: 'ENOENT' })
      expect(await media.encode(digest, 7, Buffer.alloc(100))).toBeUndefined()
    })
  })
}
