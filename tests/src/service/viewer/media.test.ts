import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { sha256 } from '../../../../cache/digest.js'
import { byteRange } from '../../../../src/service/viewer/media/byte-range.js'
import { ByteCache } from '../../../../src/service/viewer/media/byte-cache.js'
import { LimitedWork } from '../../../../src/service/viewer/media/limited-work.js'
import { root } from '../../../support/cli.js'
import { crc32 } from '../../../support/crc32.js'
import { appScene, type AppScene } from '../http/scene.js'

const hasFfmpeg = (() => {
  try {
    execFileSync('ffmpeg', ['-version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

async function mediaScene(content: Uint8Array): Promise<AppScene & { readonly path: string; readonly digest: string }> {
  const scene = await appScene({ viewer: true })
  const { digest } = await scene.service.store.media.addBytes(content)
  return { ...scene, path: `/view/media/${digest}`, digest }
}

const picture = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()

/** Changes the size that a PNG states in its header. */
function withSize(png: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(png)
  changed.writeUInt32BE(width, 16)
  changed.writeUInt32BE(height, 20)
  changed.writeUInt32BE(crc32(changed.subarray(12, 29)), 29)
  return changed
}

test('sends a picture with the type of its bytes, sandboxed and cacheable for ever', async () => {
  const bytes = await picture(30, 20)
  const { request, path, digest } = await mediaScene(bytes)
  const answer = await request(path)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, max-age=31536000, immutable',
    'accept-ranges': 'bytes',
  })
  expect(answer.headers.get('content-disposition')).toBeNull()
  expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true)
  expect((await request(path, { headers: { 'if-none-match': `"${digest}"` } })).status).toBe(304)
  const head = await request(path, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(bytes.length), ''])
})

test('offers media that could run code only as downloads', async () => {
  for (const text of [
    '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script></svg>',
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>',
    '<!doctype html><script>alert(1)</script>',
    '%PDF-1.7\n',
    'GIF8<script>alert(1)</script>',
    'plain',
    '',
  ]) {
    const { request, path } = await mediaScene(Buffer.from(text))
    const answer = await request(path)
    expect({ text, type: answer.headers.get('content-type') }).toEqual({ text, type: 'application/octet-stream' })
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[0-9a-f]{12}\.\w+"$/)
    expect(answer.headers.get('content-security-policy')).toContain('sandbox')
    expect((await request(`${path}/thumbnail`)).status).toBe(415)
    expect((await request(`${path}/peaks`)).status).toBe(415)
  }
})

test('serves only media of the store', async () => {
  const { request, log } = await appScene({ viewer: true })
  for (const name of [
    'x',
    '..%2f..%2f..%2fetc%2fpasswd',
    'sha256:..%2f..%2fstore.sqlite',
    `sha256:${'0'.repeat(64)}`,
    `sha256:${'0'.repeat(63)}`,
    `sha256:${'A'.repeat(64)}`,
    `sha256:${'0'.repeat(64)}%00`,
    'sha256%3a',
    '%ff',
  ])
    for (const rest of ['', '/thumbnail', '/peaks'])
      expect({ name, status: (await request(`/view/media/${name}${rest}`)).status }).toEqual({ name, status: 404 })
  expect(log).toEqual([])
})

test('serves ranges of a file as players request them', async () => {
  const bytes = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(600_000, 'abcdefg')])
  const { request, path, digest } = await mediaScene(bytes)
  const part = async (range: string, headers: Readonly<Record<string, string>> = {}) => {
    const answer = await request(path, { headers: { range, ...headers } })
    return {
      status: answer.status,
      range: answer.headers.get('content-range'),
      body: sha256(new Uint8Array(await answer.arrayBuffer())),
    }
  }
  const size = bytes.length
  expect(await part('bytes=0-7')).toEqual({
    status: 206,
    range: `bytes 0-7/${size}`,
    body: sha256(bytes.subarray(0, 8)),
  })
  expect(await part('bytes=300000-')).toMatchObject({ status: 206, body: sha256(bytes.subarray(300_000)) })
  expect(await part('bytes=-5')).toMatchObject({ status: 206, range: `bytes ${size - 5}-${size - 1}/${size}` })
  expect(await part(`bytes=${size - 1}-${size * 9}`)).toMatchObject({ status: 206, body: sha256(bytes.subarray(-1)) })
  expect(await part(`bytes=${size}-`)).toMatchObject({ status: 416, range: `bytes */${size}` })
  expect(await part('bytes=-0')).toMatchObject({ status: 416 })
  for (const odd of [
    'bytes=9-2',
    'bytes=a-b',
    'bytes=-',
    'items=0-1',
    'bytes=0-1,3-4',
    'bytes=0x1-2',
    `bytes=${'9'.repeat(40)}-`,
  ])
    expect(await part(odd)).toMatchObject({ status: 200, range: null, body: sha256(bytes) })
  expect(await part('bytes=0-7', { 'if-range': `"${digest}"` })).toMatchObject({ status: 206 })
  expect(await part('bytes=0-7', { 'if-range': '"another"' })).toMatchObject({ status: 200 })
})

test('an empty file has no range', () => {
  expect([byteRange('bytes=0-', 0), byteRange('bytes=-3', 0), byteRange(undefined, 0)]).toEqual([
    'unsatisfiable',
    'unsatisfiable',
    undefined,
  ])
})

test('small pictures keep their aspect ratio, and make 16-bit TIFF visible', async () => {
  const { request, path } = await mediaScene(await picture(1200, 600))
  const answer = await request(`${path}/thumbnail?width=300`)
  expect(answer.headers.get('content-type')).toBe('image/webp')
  const { width, height, format } = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
  expect([width, height, format]).toEqual([320, 160, 'webp'])
  for (const wrong of ['width=0', 'width=641', 'width=x', 'width=1e9'])
    expect((await request(`${path}/thumbnail?${wrong}`)).status).toBe(422)
  const tiff = await sharp(Buffer.alloc(40 * 30 * 2, 0x7f), { raw: { width: 40, height: 30, channels: 1 } })
    .toColourspace('grey16')
    .tiff()
    .toBuffer()
    .catch(() =>
      sharp({ create: { width: 40, height: 30, channels: 3, background: 'red' } })
        .tiff()
        .toBuffer(),
    )
  const scan = await mediaScene(tiff)
  expect((await scan.request(scan.path)).headers.get('content-type')).toBe('application/octet-stream')
  expect((await scan.request(`${scan.path}/thumbnail`)).headers.get('content-type')).toBe('image/webp')
})

test('rejects a picture that would expand to gigabytes, and a broken one', async () => {
  const bomb = withSize(await picture(4, 4), 60_000, 60_000)
  const bombed = await mediaScene(bomb)
  const refused = await bombed.request(`${bombed.path}/thumbnail`)
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('cannot be made small')])
  const whole = await picture(400, 400)
  const broken = await mediaScene(whole.subarray(0, whole.length - 100))
  expect((await broken.request(`${broken.path}/thumbnail`)).status).toBe(422)
})

test(`reads the loudness of a sound with ffmpeg${hasFfmpeg ? '' : ' (skipped: ffmpeg is not installed)'}`, async context => {
  if (!hasFfmpeg) return context.skip()
  const clip = await mediaScene(await readFile(join(root, 'tests/fixtures/clip.mp4')))
  expect(await (await clip.request(`${clip.path}/peaks?n=20`)).json()).toHaveLength(20)
  const silent = await mediaScene(Buffer.from('RIFF\x04\0\0\0WAVE', 'latin1'))
  expect((await silent.request(`${silent.path}/peaks`)).status).toBe(422)
  const rate = 8000
  const wav = Buffer.alloc(44 + rate * 2)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + rate * 2, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 2],
    [34, 16],
  ] as const)
    wav.writeUInt16LE(value, at)
  wav.writeUInt32LE(rate, 24)
  wav.writeUInt32LE(rate * 2, 28)
  wav.write('data', 36)
  wav.writeUInt32LE(rate * 2, 40)
  // Silence, then a tone.
  for (let at = rate / 2; at < rate; at += 1) wav.writeInt16LE(Math.round(16_000 * Math.sin(at / 3)), 44 + at * 2)
  const sound = await mediaScene(wav)
  const peaks = (await (await sound.request(`${sound.path}/peaks?n=4`)).json()) as readonly number[]
  expect(peaks).toHaveLength(4)
  expect(peaks[0]).toBeLessThan(0.05)
  expect(peaks[3]).toBeGreaterThan(0.4)
  expect(peaks[3]).toBeLessThanOrEqual(1)
})

test(`shows frames of a video with their times${hasFfmpeg ? '' : ' (skipped: ffmpeg is not installed)'}`, async context => {
  if (!hasFfmpeg) return context.skip()
  const { request, path } = await mediaScene(await readFile(join(root, 'tests/fixtures/clip.mp4')))
  const times = async (derive: unknown): Promise<unknown> =>
    (await request(`${path}/frames?derive=${encodeURIComponent(JSON.stringify(derive))}`)).json()
  // The video was sent as a whole file, without frames.
  expect(await times({})).toEqual({ seconds: [] })
  const frames = { nframes: 3, max_frames: 768, min_pixels: 784, max_pixels: 151_200, factor: 28 }
  const { seconds } = (await times({ frames })) as { readonly seconds: readonly number[] }
  expect(seconds).toHaveLength(3)
  expect(seconds[0]).toBe(0)
  expect([...seconds].sort((a, b) => a - b)).toEqual(seconds)
  const picture = await request(`${path}/frames?at=${seconds[1]}&width=100`)
  expect(picture.headers.get('content-type')).toBe('image/jpeg')
  expect((await sharp(Buffer.from(await picture.arrayBuffer())).metadata()).width).toBeLessThanOrEqual(160)
  for (const wrong of ['derive=x', 'derive={"frames":{"nframes":1e12}}', 'at=-1', 'at=x', 'at=0&width=9999'])
    expect({ wrong, status: (await request(`${path}/frames?${wrong}`)).status }).toEqual({ wrong, status: 422 })
  expect((await request(`${path}/frames?at=99999`)).status).toBe(422)
})

test('caches results up to a size, and computes each once for all waiting requests', async () => {
  const cache = new ByteCache(100)
  let made = 0
  const make = (): Promise<Uint8Array<ArrayBuffer>> => {
    made += 1
    return Promise.resolve(new Uint8Array(60))
  }
  await Promise.all([cache.get('a', make), cache.get('a', make)])
  await cache.get('a', make)
  expect(made).toBe(1)
  await cache.get('b', make)
  await cache.get('b', make)
  expect(made).toBe(2)
  await cache.get('a', make)
  expect(made).toBe(3)
  await expect(cache.get('c', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect((await cache.get('c', make)).length).toBe(60)
})

test('runs few tasks at the same time, and rejects requests when too many wait', async () => {
  const work = new LimitedWork(2, 1)
  let [running, most] = [0, 0]
  const open: (() => void)[] = []
  const piece = (): Promise<void> =>
    work.run(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>(resolve => open.push(resolve))
      running -= 1
    })
  const pieces = [piece(), piece(), piece()]
  await expect(piece()).rejects.toThrow('too many media')
  while (running > 0 || open.length > 0) {
    open.shift()?.()
    await new Promise(setImmediate)
  }
  await Promise.all(pieces)
  expect(most).toBe(2)
})
