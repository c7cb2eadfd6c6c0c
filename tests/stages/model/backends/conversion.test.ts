import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sniffMediaType } from '../../../../base/media/media-type.js'
import { openStore } from '../../../../cache/open.js'
import type { MediaPart } from '../../../../cache/records.js'
import { derivedMedia } from '../../../../src/model/derived-media.js'
import { openaiFormats } from '../../../../stages/model/backends/conversion/conversion-arguments.js'
import { convertingModel, type Conversion } from '../../../../stages/model/backends/conversion/converted-requests.js'
import { takesType as geminiTakes } from '../../../../stages/model/backends/gemini/content-request.js'
import { takesType as anthropicTakes } from '../../../../stages/model/backends/anthropic/message-request.js'
import type { AttemptError, Model } from '../../../../stages/model/model.js'
import { contextOf } from '../../../support/backend-client.js'
import { hasFfmpeg } from '../../../support/framed-videos.js'
import { temporaryFolder } from '../../../support/store.js'

const anthropic: Conversion = { backend: 'anthropic', media: 'converted', takes: anthropicTakes }
const gemini: Conversion = { backend: 'gemini', media: 'converted', takes: geminiTakes }
const openai: Conversion = { backend: 'openai', media: 'converted', takes: ({ mime }) => openaiFormats.has(mime) }

/** Sends media through the conversion of a backend. */
async function sendMedia(
  conversion: Conversion,
  media: readonly { readonly type: MediaPart['type']; readonly bytes: Uint8Array }[],
): Promise<{ readonly sent: readonly Buffer[]; readonly notes: readonly string[]; readonly made: number }> {
  const store = await openStore(await temporaryFolder())
  onTestFinished(() => store.close())
  const sent: Buffer[] = []
  const notes: string[] = []
  let made = 0
  const derive = derivedMedia(store)
  const inner: Model = {
    async answer({ input }) {
      for (const part of input.messages.flatMap(({ content }) => content))
        if (part.type !== 'text') sent.push(Buffer.from(await store.media.read(part.media)))
      return { body: { text: '', finishReason: 'stop' } }
    },
  }
  const model = convertingModel(inner, conversion, {
    ...contextOf({}),
    openMediaFile: digest => store.media.openFile(digest),
    note: text => notes.push(text),
    deriveMedia: (source, how, make, signal) =>
      derive(source, how, (...given) => ((made += 1), make(...given)), signal),
  })
  const content: MediaPart[] = []
  for (const { type, bytes } of media) content.push({ type, media: (await store.media.addBytes(bytes)).digest })
  const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
  await model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal)
  return { sent, notes, made }
}

const colours = { width: 3, height: 2, channels: 4 as const }
const rgba = Buffer.from(Array.from({ length: 24 }, (_, index) => (index % 4 === 3 ? 128 : index * 10)))
const picture = () => sharp(rgba, { raw: colours })
const image = (bytes: Uint8Array) => ({ type: 'image' as const, bytes })
const readPixels = (bytes: Uint8Array): Promise<Buffer> => sharp(bytes).raw().toBuffer()

describe('pictures that an API does not take are sent as PNG', () => {
  test('with their transparency, once, and the run says so once', async () => {
    const tiff = await picture().tiff({ compression: 'deflate' }).toBuffer()
    const { sent, notes, made } = await sendMedia(anthropic, [image(tiff), image(tiff)])
    expect(sent.map(bytes => sniffMediaType(bytes)?.format)).toEqual(['png', 'png'])
    expect(await readPixels(sent[0]!)).toEqual(rgba)
    expect(made).toBe(1)
    expect(notes).toEqual(['anthropic does not take TIFF: it is sent as PNG   (docs/models/media.md)'])
  })

  test('with 8 bits a colour of 16', async () => {
    const deep = Uint16Array.from([0, 0x80_80, 0xff_ff, 0x40_40])
    const grey = sharp(deep, { raw: { width: 4, height: 1, channels: 1 } }).toColourspace('grey16')
    const { sent } = await sendMedia(gemini, [image(await grey.tiff({ compression: 'deflate' }).toBuffer())])
    const { depth } = await sharp(sent[0]).metadata()
    const pixels = await sharp(sent[0]).toColourspace('b-w').raw().toBuffer()
    expect({ depth, pixels: [...pixels.subarray(0, 4)] }).toEqual({ depth: 'uchar', pixels: [0, 128, 255, 64] })
  })

  test('in RGB of the four colours of print, and of the first frame of several', async () => {
    const print = await picture().removeAlpha().toColourspace('cmyk').tiff({ compression: 'deflate' }).toBuffer()
    const frames = Buffer.concat([Buffer.alloc(12, 255), Buffer.alloc(12, 0)])
    const moving = await sharp(frames, { raw: { width: 2, height: 4, channels: 3, pageHeight: 2 } })
      .gif({ delay: [100, 100] })
      .toBuffer()
    expect((await sharp(moving).metadata()).pages).toBe(2)
    const { sent } = await sendMedia(gemini, [image(print), image(moving)])
    expect(await sharp(sent[0]).metadata()).toMatchObject({ format: 'png', space: 'srgb', width: 3, height: 2 })
    const { data, info } = await sharp(sent[1]).removeAlpha().raw().toBuffer({ resolveWithObject: true })
    expect([info.width, info.height, new Set(data)]).toEqual([2, 2, new Set([255])])
  })

  test('of AVIF', async () => {
    const { sent, notes } = await sendMedia(anthropic, [image(await picture().avif({ lossless: true }).toBuffer())])
    expect(await sharp(sent[0]).metadata()).toMatchObject({ format: 'png', width: 3, height: 2 })
    expect(notes[0]).toMatch(/^anthropic does not take AVIF/)
  })

  test.skipIf(!hasFfmpeg)('of BMP (needs the system package ffmpeg)', async () => {
    const bmp = Buffer.alloc(54 + 8)
    bmp.write('BM')
    for (const [at, value] of [
      [2, 62],
      [10, 54],
      [14, 40],
      [18, 2],
      [22, 1],
    ] as const)
      bmp.writeUInt32LE(value, at)
    for (const [at, value] of [
      [26, 1],
      [28, 24],
    ] as const)
      bmp.writeUInt16LE(value, at)
    bmp.set([30, 20, 10, 60, 50, 40], 54)
    const { sent } = await sendMedia(gemini, [image(bmp)])
    expect([...(await readPixels(sent[0]!))]).toEqual([10, 20, 30, 40, 50, 60])
  })
})

test('what an API takes, and everything with media=original, is sent as it is', async () => {
  const png = await picture().png().toBuffer()
  const tiff = await picture().tiff({ compression: 'deflate' }).toBuffer()
  expect((await sendMedia(anthropic, [image(png)])).sent).toEqual([png])
  expect((await sendMedia({ ...gemini, media: 'original' }, [image(tiff)])).sent).toEqual([tiff])
})

test('a damaged picture fails its docs, with its name and the reason', async () => {
  const tiff = (await picture().tiff({ compression: 'none' }).toBuffer()).subarray(0, 20)
  const error = await sendMedia(anthropic, [image(tiff)]).catch((reason: unknown) => reason as AttemptError)
  const message = /medium sha256:[0-9a-f]{64}: TIFF can't be converted: it is damaged/
  expect(error).toMatchObject({ class: 'media', isRetryable: false, message: expect.stringMatching(message) as string })
})

describe.skipIf(!hasFfmpeg)(
  'sounds that an API does not take are sent as WAV (needs the system package ffmpeg)',
  () => {
    test.each([
      ['m4a', ['-c:a', 'aac']],
      ['webm', ['-c:a', 'libvorbis']],
      ['flac', ['-c:a', 'flac']],
      ['ogg', ['-c:a', 'libvorbis']],
    ])('%s', async (format, encoder) => {
      const path = join(await temporaryFolder(), `sound.${format}`)
      const tone = ['-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=16000:duration=0.5']
      const run = spawnSync('ffmpeg', ['-nostdin', '-v', 'error', ...tone, ...encoder, path])
      expect(run.stderr.toString()).toBe('')
      const { sent } = await sendMedia(openai, [{ type: 'audio', bytes: await readFile(path) }])
      const [wav = Buffer.alloc(0)] = sent
      expect(sniffMediaType(wav)?.format).toBe('wav')
      expect([wav.readUInt16LE(22), wav.readUInt32LE(24), wav.readUInt16LE(34)]).toEqual([1, 16_000, 16])
      expect(Math.abs((wav.length - 44) / 32_000 - 0.5)).toBeLessThan(0.15)
    })

    test('a sound that cannot be decoded fails its docs', async () => {
      const error = await sendMedia(openai, [{ type: 'audio', bytes: Buffer.from('fLaC and nothing more') }]).catch(
        (reason: unknown) => reason as AttemptError,
      )
      expect(error).toMatchObject({ class: 'media', isRetryable: false })
    })
  },
)
