import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import sharp from 'sharp'
import { describe, expect, onTestFinished, test } from 'vitest'
import { sniffMediaType } from '../../../../base/media/media-type.js'
import { openStore } from '../../../../cache/open.js'
import type { MediaPart } from '../../../../cache/records.js'
import { derivedMedia } from '../../../../src/model/derived-media.js'
import { convertingModel, type Conversion } from '../../../../stages/model/backends/conversion/converted-requests.js'
import { takenFormats } from '../../../../stages/model/backends/conversion/taken-formats.js'
import { ollama } from '../../../../stages/model/backends/ollama.js'
import { openaiResponses } from '../../../../stages/model/backends/openai-responses.js'
import type { AnyBackend } from '../../../../stages/model/define-backend.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import type { AttemptError, Model } from '../../../../stages/model/model.js'
import { contextOf } from '../../../support/backend-client.js'
import { startFakeProvider } from '../../../support/fake-provider.js'
import { hasFfmpeg } from '../../../support/framed-videos.js'
import { temporaryFolder } from '../../../support/store.js'

const anthropic: Conversion = { api: 'anthropic', media: 'converted' }
const gemini: Conversion = { api: 'gemini', media: 'converted' }
const openai: Conversion = { api: 'the chat server', media: 'converted' }

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
    noteOnce: text => {
      if (!notes.includes(text)) notes.push(text)
    },
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

/** A TIFF of one pixel. */
function makeTiff({ bits, form, photometric }: Readonly<Record<'bits' | 'form' | 'photometric', number>>): Buffer {
  const pixels = 140
  const fields = [
    ...[
      [256, 3, 1],
      [257, 3, 1],
      [258, 3, bits],
      [259, 3, 1],
      [262, 3, photometric],
      [273, 4, pixels],
    ],
    ...[
      [277, 3, 1],
      [278, 3, 1],
      [279, 4, 16],
      [339, 3, form],
    ],
  ]
  const tiff = Buffer.alloc(pixels + 16)
  tiff.write('II*\0', 'latin1')
  tiff.writeUInt32LE(8, 4)
  tiff.writeUInt16LE(fields.length, 8)
  for (const [at, [tag = 0, type = 0, value = 0]] of fields.entries()) {
    tiff.writeUInt16LE(tag, 10 + 12 * at)
    tiff.writeUInt16LE(type, 12 + 12 * at)
    tiff.writeUInt32LE(1, 14 + 12 * at)
    tiff.writeUInt32LE(value, 18 + 12 * at)
  }
  return tiff
}

describe('converts pictures that an API does not accept to PNG', () => {
  test('with their transparency, once, with one note', async () => {
    const tiff = await picture().tiff({ compression: 'deflate' }).toBuffer()
    const { sent, notes, made } = await sendMedia(anthropic, [image(tiff), image(tiff)])
    expect(sent.map(bytes => sniffMediaType(bytes)?.format)).toEqual(['png', 'png'])
    expect(await readPixels(sent[0]!)).toEqual(rgba)
    expect(made).toBe(1)
    expect(notes).toEqual(['anthropic does not take TIFF: it is sent as PNG   (docs/models/media.md)'])
  })

  test('with 8 bits per colour from 16', async () => {
    const deep = Uint16Array.from([0, 0x80_80, 0xff_ff, 0x40_40])
    const grey = sharp(deep, { raw: { width: 4, height: 1, channels: 1 } }).toColourspace('grey16')
    const { sent } = await sendMedia(gemini, [image(await grey.tiff({ compression: 'deflate' }).toBuffer())])
    const { depth } = await sharp(sent[0]).metadata()
    const pixels = await sharp(sent[0]).toColourspace('b-w').raw().toBuffer()
    expect({ depth, pixels: [...pixels.subarray(0, 4)] }).toEqual({ depth: 'uchar', pixels: [0, 128, 255, 64] })
  })

  test('in RGB from CMYK, and from the first frame of several', async () => {
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

  test.each([
    {
      name: 'of floating-point numbers',
      bits: 32,
      form: 3,
      photometric: 1,
      said: 'numbers for which no white is known',
    },
    { name: 'in LAB colours', bits: 8, form: 1, photometric: 8, said: 'such as LAB colours. Store it as PNG in RGB' },
  ])('but not TIFF $name, which says what to store', async ({ said, ...facts }) => {
    await expect(sendMedia(anthropic, [image(makeTiff(facts))])).rejects.toMatchObject({
      class: 'media',
      message: expect.stringContaining(said) as string,
    })
  })

  test('from AVIF', async () => {
    const { sent, notes } = await sendMedia(anthropic, [image(await picture().avif({ lossless: true }).toBuffer())])
    expect(await sharp(sent[0]).metadata()).toMatchObject({ format: 'png', width: 3, height: 2 })
    expect(notes[0]).toMatch(/^anthropic does not take AVIF/)
  })

  test.skipIf(!hasFfmpeg)('from BMP (needs the system package ffmpeg)', async () => {
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

test('sends accepted formats, and everything with media=original, unchanged', async () => {
  const png = await picture().png().toBuffer()
  const tiff = await picture().tiff({ compression: 'deflate' }).toBuffer()
  expect((await sendMedia(anthropic, [image(png)])).sent).toEqual([png])
  expect((await sendMedia({ ...gemini, media: 'original' }, [image(tiff)])).sent).toEqual([tiff])
})

test('a picture with too many pixels fails its docs with the number of pixels', async () => {
  const large = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  // Only the header states this size.
  large.writeUInt32BE(20_000, 16)
  large.writeUInt32BE(10_000, 20)
  large.writeUInt32BE(crc32(large.subarray(12, 29)), 29)
  await expect(sendMedia({ api: 'anthropic', media: 'lmms' }, [{ type: 'image', bytes: large }])).rejects.toThrow(
    "PNG can't be converted: it has 20000 × 10000 pixels, and at most 178956970 are decoded",
  )
})

test('a damaged picture fails its docs, with its name and the reason', async () => {
  const tiff = (await picture().tiff({ compression: 'none' }).toBuffer()).subarray(0, 20)
  const error = await sendMedia(anthropic, [image(tiff)]).catch((reason: unknown) => reason as AttemptError)
  const message = /medium sha256:[0-9a-f]{64}: TIFF can't be converted: it is damaged/
  expect(error).toMatchObject({ class: 'media', isRetryable: false, message: expect.stringMatching(message) as string })
})

interface PillowCase {
  readonly size: readonly [number, number]
  readonly rgb: string
}

// Golden: tests/golden/pillow-rgb/README.md
const pillow = new URL('../../../golden/pillow-rgb/', import.meta.url)
const golden = JSON.parse(readFileSync(new URL('cases.json', pillow), 'utf8')) as {
  readonly cases: Readonly<Record<string, PillowCase>>
}

/** The largest difference of a colour. AVIF decoders upsample colours differently; all others return equal pixels. */
const tolerances: Readonly<Record<string, number>> = { 'plain.avif': 12 }
const needsFfmpeg = (name: string): boolean => name.endsWith('.bmp')

describe('media=lmms sends the pixels that Pillow produces', () => {
  test.each(Object.entries(golden.cases).filter(([name]) => hasFfmpeg || !needsFfmpeg(name)))(
    'from %s',
    async (name, expected) => {
      const bytes = await readFile(new URL(name, pillow))
      const { sent, notes } = await sendMedia({ api: 'the chat server', media: 'lmms' }, [image(bytes), image(bytes)])
      const { data, info } = await sharp(sent[0]).raw().toBuffer({ resolveWithObject: true })
      expect(await sharp(sent[0]).metadata()).toMatchObject({ format: 'png', depth: 'uchar', channels: 3 })
      expect([info.width, info.height]).toEqual(expected.size)
      const pixels = Buffer.from(expected.rgb, 'base64')
      const differences = pixels.map((colour, index) => Math.abs(colour - (data[index] ?? 0)))
      expect(Math.max(...differences)).toBeLessThanOrEqual(tolerances[name] ?? 0)
      expect(notes).toHaveLength(1)
      expect(notes[0]).toContain('as lmms-eval sends them')
    },
  )
})

test('ollama and the Responses API get pictures in formats that they accept', async () => {
  const store = await openStore(await temporaryFolder())
  onTestFinished(() => store.close())
  const tiff = await picture().tiff({ compression: 'deflate' }).toBuffer()
  const content: MediaPart[] = [{ type: 'image', media: (await store.media.addBytes(tiff)).digest }]
  const input = { type: 'generate_until' as const, messages: [{ role: 'user' as const, content }] }
  const askWith = async (backend: AnyBackend, args: Readonly<Record<string, unknown>>): Promise<string> => {
    const server = await startFakeProvider(({ method }) => ({ body: method === 'GET' ? { version: '0.12.6' } : {} }))
    onTestFinished(() => server.close())
    const model = await backend.open(parseModelArgs(backend, { model: 'm', base_url: server.url, ...args }), {
      ...contextOf({}),
      openMediaFile: digest => store.media.openFile(digest),
      deriveMedia: derivedMedia(store),
    })
    onTestFinished(() => model.close?.())
    // The reply does not matter here.
    await model.answer({ input, generation: {}, sample: 0 }, new AbortController().signal).catch(() => undefined)
    return JSON.stringify(server.seen.at(-1)?.body)
  }
  const pngInBase64 = Buffer.from('\x89PNG\r\n', 'latin1').toString('base64')
  expect(await askWith(ollama, {})).toContain(`"${pngInBase64}`)
  const responses = { api_key: 'sk-1' }
  expect(await askWith(openaiResponses, responses)).toContain('data:image/tiff;base64,')
  expect(await askWith(openaiResponses, { ...responses, media: 'converted' })).toContain('data:image/png;base64,')
})

test('the documentation lists the formats that each API accepts', async () => {
  const page = await readFile(new URL('../../../../docs/models/media.md', import.meta.url), 'utf8')
  for (const [api, formats] of Object.entries(takenFormats))
    for (const format of formats) {
      const name = format.replace(/.*\//, '').replace('mpeg', 'mp3').replace('mp4', 'm4a')
      const row = page.split('\n').find(line => line.startsWith('|') && line.includes(api))
      expect(row?.toLowerCase(), api).toContain(name)
    }
})

describe.skipIf(!hasFfmpeg)(
  'converts sounds that an API does not accept to WAV (needs the system package ffmpeg)',
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
