import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { UnpackedSum, unpackInto } from '../../../../../stages/input/datasets/archives/unpacked-folder.js'
import { temporaryFolder } from '../../../../support/store.js'

const limit = 2 ** 30
const mb = 2 ** 20

/** Unpacks an archive of one file, which is made of zeros. */
const unpackZeros = async (
  folder: string,
  name: string,
  sizes: { readonly from: number; readonly to: number; readonly sum: UnpackedSum },
) =>
  unpackInto(join(folder, name), { name: `${name}.zip`, bytes: sizes.from, sum: sizes.sum }, unpacking =>
    unpacking.file('a.bin', Readable.from(Array.from({ length: sizes.to / mb }, () => Buffer.alloc(mb)))),
  )

test('archives of one evaluation share one limit, and folders of earlier evaluations count', async () => {
  const folder = await temporaryFolder()
  // Others have taken all but 10 MB of the limit.
  const first = new UnpackedSum()
  first.bytes = limit - 10 * mb
  for (const name of ['a', 'b', 'c']) await unpackZeros(folder, name, { from: 1_000, to: 3 * mb, sum: first })
  const refusal =
    /d\.zip unpacks, with the other archives of this evaluation, to more than 1 GB, which is over 200 times their size/
  await expect(unpackZeros(folder, 'd', { from: 1_000, to: 3 * mb, sum: first })).rejects.toThrow(refusal)
  expect((await readdir(folder)).sort()).toEqual(['a', 'a.bytes', 'b', 'b.bytes', 'c', 'c.bytes'])

  const second = new UnpackedSum()
  second.bytes = limit - 10 * mb
  for (const name of ['a', 'b', 'c']) await unpackZeros(folder, name, { from: 1_000, to: 0, sum: second })
  expect(second).toMatchObject({ archiveBytes: 3_000, bytes: limit - mb })
  await expect(unpackZeros(folder, 'd', { from: 1_000, to: 3 * mb, sum: second })).rejects.toThrow(refusal)
})

test('large archives may become 200 times what all of them are', async () => {
  const folder = await temporaryFolder()
  const sum = new UnpackedSum()
  sum.archiveBytes = 10 * mb
  sum.bytes = 2_000 * mb
  await unpackZeros(folder, 'a', { from: 1 * mb, to: 8 * mb, sum })
  expect(sum).toMatchObject({ archiveBytes: 11 * mb, bytes: 2_008 * mb })
  sum.bytes = 2_200 * mb
  await expect(unpackZeros(folder, 'b', { from: 1_000, to: 8 * mb, sum })).rejects.toThrow(/to more than 2 GB/)
})
