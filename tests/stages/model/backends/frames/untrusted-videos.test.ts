import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { defaultLimits } from '../../../../../base/processes/ffmpeg/decoder-input.js'
import { sniffMediaType } from '../../../../../base/media/media-type.js'
import { AttemptError } from '../../../../../stages/model/model.js'
import { framed, frameFormat, greyVideo, hasFfmpeg } from '../../../../support/framed-videos.js'
import { temporaryFolder } from '../../../../support/store.js'

/** A server on this machine that counts its connections. */
async function countingServer(): Promise<{ readonly url: string; readonly connections: () => number }> {
  let connections = 0
  const server = createServer((_, response) => response.end())
  server.on('connection', () => (connections += 1))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, connections: () => connections }
}

/** A format of ffmpeg that names other files: its lines, and a comment of a length that its readers skip. */
interface NamingOthers {
  readonly lines: (address: string) => readonly string[]
  readonly comment: (length: number) => string
}

const xmlComment = (length: number): string => `<!--${'G'.repeat(length - 7)}-->`
const lineComment = (length: number): string => `#${'G'.repeat(length - 2)}\n`

/**
 * Writes lines so that they also look like an MPEG transport stream: every 192 bytes there is a G at the fifth, in a comment.
 * A format whose first bytes are fixed has its first G in its first line, so ffmpeg knows only its rest.
 */
function asTransportStream({ lines, comment }: NamingOthers, address: string): Buffer {
  let text = comment(12)
  const waiting = [...lines(address)]
  while (text.length < 4096 || waiting.length > 0) {
    const next = 192 * Math.ceil((text.length - 4) / 192) + 4
    const [line = ''] = waiting
    if (waiting.length > 0 && text.length + line.length + 20 < next) text += waiting.shift() ?? ''
    else text += comment(next - text.length + 12)
  }
  return Buffer.from(text)
}

const namingOthers: Readonly<Record<string, NamingOthers>> = {
  DASH: {
    comment: xmlComment,
    lines: address => [
      '<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" ',
      'profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" mediaPresentationDuration="PT2S">',
      '<Period><AdaptationSet mimeType="video/mp4">',
      '<Representation id="0" bandwidth="9">',
      `<BaseURL>${address}</BaseURL></Representation>`,
      '</AdaptationSet></Period></MPD>',
    ],
  },
  HLS: {
    comment: lineComment,
    lines: address => ['#EXTM3U\n#EXT-X-TARGETDURATION:2\n', `#EXTINF:2,\n${address}\n`, '#EXT-X-ENDLIST\n'],
  },
  concat: { comment: lineComment, lines: address => ['ffconcat version 1.0\n', `file ${address}\n`] },
  SDP: {
    comment: length => `v=0\n${'G'.repeat(length - 5)}\n`,
    lines: address => [
      ...['c=IN IP4 127.0.0.1\n', `a=control:${address}\n`, 'm=video 5004 RTP/AVP 96\n', 'a=rtpmap:96 H264/90000\n'],
    ],
  },
  'numbered images': { comment: lineComment, lines: address => [`${address}/%03d.png\n`] },
  SVG: {
    comment: xmlComment,
    lines: address => [
      '<svg xmlns="http://www.w3.org/2000/svg" width="64" height="64">',
      ...[`<image href="${address}"/>`, '</svg>'],
    ],
  },
}

async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    shown => ({ shown }),
    (error: unknown) => error,
  )
}

describe.skipIf(!hasFfmpeg)('a file that refers to other files (needs the system package ffmpeg)', () => {
  for (const [name, form] of Object.entries(namingOthers))
    test(`${name} that looks like a transport stream causes no read and no connection`, async () => {
      const { url, connections } = await countingServer()
      const secret = join(await temporaryFolder(), 'private.mp4')
      await writeFile(secret, await greyVideo(undefined, ['-c:v', 'mpeg4', '-f', 'mp4']))
      const { ask, add } = await framed(frameFormat)
      for (const address of [`file://${secret}`, secret, `${url}/v.mp4`]) {
        const bytes = asTransportStream(form, address)
        expect(sniffMediaType(bytes)).toMatchObject({ kind: 'video', format: 'ts' })
        const failure = await failureOf(ask([{ type: 'video', media: await add(bytes) }]))
        expect(failure).toBeInstanceOf(AttemptError)
        expect(failure).toMatchObject({ class: 'media', isRetryable: false })
      }
      expect(connections()).toBe(0)
    })

  test('an MP4 whose samples are in another file causes no read of that file', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'private.mp4'), await greyVideo(undefined, ['-c:v', 'mpeg4', '-f', 'mp4']))
    const whole = await readFile(join(folder, 'private.mp4'))
    const { ask, add } = await framed(frameFormat)
    const failure = await failureOf(ask([{ type: 'video', media: await add(elsewhere(whole, folder)) }]))
    expect(failure).toMatchObject({ class: 'media', isRetryable: false })
  })
})

/** Replaces the reference "in this file" of an MP4 by an absolute path, and removes the samples. */
function elsewhere(mp4: Buffer, folder: string): Buffer {
  const path = Buffer.from(`file://${folder}/private.mp4\0`)
  const at = mp4.indexOf('url \0\0\0\x01', 0, 'latin1')
  const entry = Buffer.concat([Buffer.alloc(4), Buffer.from('url \0\0\0\0'), path])
  entry.writeUInt32BE(entry.length, 0)
  const extra = entry.length - 12
  const changed = Buffer.concat([mp4.subarray(0, at - 4), entry, mp4.subarray(at + 8)])
  for (const box of ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref']) {
    const size = changed.indexOf(box, 0, 'latin1') - 4
    changed.writeUInt32BE(changed.readUInt32BE(size) + extra, size)
  }
  const samples = changed.indexOf('mdat', 0, 'latin1')
  changed.fill(0, samples + 4, samples - 4 + changed.readUInt32BE(samples - 4))
  return changed
}

describe.skipIf(!hasFfmpeg)('limits (need the system package ffmpeg)', () => {
  /** Few frames without content, which a small file holds. */
  function largeVideo(side: number, frames: number, folder: string): Promise<Buffer> {
    const path = join(folder, 'large.mkv')
    const source = `color=black:size=${side}x${side}:rate=1:duration=${frames},format=gray`
    const encoder = ['-c:v', 'ffv1', '-g', '1', '-f', 'matroska']
    const made = spawnSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', source, ...encoder, path])
    expect(made.stderr.toString()).toBe('')
    return readFile(path)
  }

  test('reject pictures that are too large by the size in the header', async () => {
    const { ask, add } = await framed(frameFormat)
    const media = await add(await largeVideo(7000, 1, await temporaryFolder()))
    const failure = await failureOf(ask([{ type: 'video', media }]))
    expect(failure).toMatchObject({ class: 'media', isRetryable: false })
    expect(String(failure)).toContain('7000 × 7000 pixels, and at most 36000000 are decoded (decode_max_pixels=…)')
  })

  test.skipIf(process.platform !== 'linux')('reject the use of more memory', async () => {
    const { ask, add } = await framed(frameFormat, { limits: { ...defaultLimits, memoryMb: 120 } })
    const media = await add(await largeVideo(4000, 2, await temporaryFolder()))
    expect(await failureOf(ask([{ type: 'video', media }]))).toMatchObject({ class: 'media', isRetryable: false })
  })

  test.each([
    ['decode_timeout', 'media'],
    ['timeout', 'timeout'],
  ] as const)('a video that takes longer than %s fails with the class %s', async (timeArgument, failureClass) => {
    const { ask, add } = await framed(frameFormat, { limits: { ...defaultLimits, seconds: 0.001, timeArgument } })
    const failure = await failureOf(ask([{ type: 'video', media: await add(await greyVideo()) }]))
    expect(failure).toMatchObject({ class: failureClass, isRetryable: false })
    expect(String(failure)).toContain(`not ready after 0.001 s (${timeArgument}=…)`)
  })
})
