import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sha256 } from '../../../../../cache/digest.js'
import type { MediumFile } from '../../../../../cache/store.js'
import { decodeSound } from '../../../../../stages/model/backends/transformers-js/decode-sound.js'
import { hasFfmpeg } from '../../../../support/framed-videos.js'
import { temporaryFolder } from '../../../../support/store.js'
import { silentWav } from '../../../../support/wav.js'

const digest = sha256<'media'>('the sound')

/** Decodes a file, and counts how often it was released. */
async function decode(bytes: Uint8Array, seconds?: number) {
  const path = join(await temporaryFolder(), 'sound')
  await writeFile(path, bytes)
  let closed = 0
  const file: MediumFile = { path, [Symbol.asyncDispose]: () => Promise.resolve(void (closed += 1)) }
  const signal = new AbortController().signal
  const options = { rate: 16_000, signal, openMediaFile: () => Promise.resolve(file) }
  const decoded = decodeSound(digest, { ...options, ...(seconds !== undefined && { seconds }) })
  return { outcome: await Promise.allSettled([decoded]), closed }
}

describe.skipIf(!hasFfmpeg)('a sound', () => {
  test('becomes one value per sample at the rate of the model, and its file is released', async () => {
    const { outcome, closed } = await decode(silentWav(8_000 * 12))
    expect(outcome).toMatchObject([{ status: 'fulfilled', value: { length: 12 * 16_000 } }])
    expect(closed).toBe(1)
  })

  test('above the limit is rejected with the limit, and reading stops', async () => {
    const { outcome, closed } = await decode(silentWav(8_000 * 200), 60)
    const message = `audio ${digest} cannot be read as sound: it is longer than 1 min. Cut it into shorter recordings`
    expect(outcome).toMatchObject([{ status: 'rejected', reason: { class: 'media', message } }])
    expect(closed).toBe(1)
  })

  test('that cannot be decoded is named', async () => {
    const { outcome } = await decode(Buffer.from('no sound'))
    expect(outcome).toMatchObject([
      { status: 'rejected', reason: { class: 'media', message: expect.stringContaining(digest) as string } },
    ])
  })
})
