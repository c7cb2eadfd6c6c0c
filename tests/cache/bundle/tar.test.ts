import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { paddingAfter, readTarHeader, tarHeader, trailer } from '../../../cache/bundle/tar.js'
import { temporaryFolder } from '../../support/store.js'

test.each([0, 1, 511, 512, 8 ** 11 - 1, 8 ** 11, 2 ** 50])('reads back the header of a file of %i bytes', bytes => {
  expect(readTarHeader(tarHeader('responses.parquet', bytes))).toEqual({ name: 'responses.parquet', bytes })
})

test('rejects a header in which one bit differs', () => {
  const header = tarHeader('media/ab/cdef', 1234)
  for (let bit = 0; bit < header.length * 8; bit += 1) {
    const flipped = Buffer.from(header)
    flipped[bit >> 3] = flipped[bit >> 3]! ^ (1 << (bit & 7))
    expect(readTarHeader(flipped)).toBeUndefined()
  }
})

const hasTar = (() => {
  try {
    return execFileSync('tar', ['--version']).length > 0
  } catch {
    return false
  }
})()

test.skipIf(!hasTar)('the tar command (package tar) can read the archive', async () => {
  const content = Buffer.from('a part')
  const file = join(await temporaryFolder(), 'x.tar')
  const padding = Buffer.alloc(paddingAfter(content.length))
  await writeFile(file, Buffer.concat([tarHeader('part.txt', content.length), content, padding, trailer]))
  expect(execFileSync('tar', ['-xOf', file, 'part.txt'])).toEqual(content)
})
