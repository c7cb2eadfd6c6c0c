/** Media in object storage on two servers that others made, through a proxy that spoils replies. moto honours conditions of writes, and rclone ignores them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { sha256 } from '../../cache/digest.js'
import { nameObject } from '../../cache/media/s3/object-names.js'
import { fakeBucket, fakeKeys, type S3Fault } from '../support/fake-s3.js'
import { startFaultyProxy, type FaultyProxy } from '../support/faulty-proxy.js'
import { openS3Media, s3Variables } from '../support/s3-media.js'
import { temporaryFolder } from '../support/store.js'
import { describeMedia } from '../support/store-conformance/media.js'

const real = inject('s3Servers')
const missing = 'missing' in real ? ` (skipped: there is no ${real.missing})` : ''
const programs = 'missing' in real ? { moto: '', rclone: '' } : real

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** The line that starts a server on a folder. Both of them need an empty bucket, which is a folder for rclone. */
const lines = {
  moto: (port: number) => [programs.moto, '-H', '127.0.0.1', '-p', `${port}`],
  rclone: (port: number, folder: string) => [
    ...[programs.rclone, 'serve', 's3', folder, '--addr', `127.0.0.1:${port}`, '--config', '/dev/null'],
    ...['--auth-key', `${fakeKeys.id},${fakeKeys.secret}`, '--vfs-cache-mode', 'off'],
  ],
}

async function startServer(name: keyof typeof lines, folder: string) {
  const port = await findFreePort()
  const [program = '', ...args] = lines[name](port, folder)
  const child = spawn(program, args, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  for (let attempt = 0; attempt < 600; attempt++) {
    if (
      await fetch(url).then(
        () => true,
        () => false,
      )
    )
      break
    await sleep(100)
  }
  if (name === 'moto') expect((await fetch(`${url}/${fakeBucket}`, { method: 'PUT' })).status).toBe(200)
  return {
    url,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Spoils the first two attempts of every third call of a medium, each in another way. */
function spoilSome(): FaultyProxy['fault'] {
  const seen = new Map<string, number>()
  const faults: readonly S3Fault[] = [
    { type: 'status', status: 503 },
    { type: 'flip', at: 21 },
    { type: 'status', status: 500 },
    { type: 'cut', after: 40 },
    { type: 'lost-reply' },
  ]
  let spoilt = 0
  return ({ method, target, range }) => {
    const call = `${method} ${target} ${range ?? ''}`
    const attempt = (seen.get(call) ?? 0) + 1
    seen.set(call, attempt)
    if (attempt > 2 || seen.size % 3 !== 0 || !target.includes('media/')) return undefined
    spoilt += 1
    const fault = faults[spoilt % faults.length]
    // Nobody can detect a flipped byte of a reply without a digest, such as the number of an upload.
    return fault?.type === 'flip' && method !== 'GET' ? { type: 'status', status: 503 } : fault
  }
}

/** Bytes that differ at each position. */
const makeNoise = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 7 + (at >> 8)) % 251))

describe.skipIf(missing !== '').each(['moto', 'rclone'] as const)(`media on %s${missing}`, name => {
  let server: Awaited<ReturnType<typeof startServer>>
  let proxy: FaultyProxy
  let folder: string
  beforeAll(async () => {
    for (const [variable, value] of Object.entries(s3Variables)) vi.stubEnv(variable, value)
    folder = await mkdtemp(join(tmpdir(), `pipeline-${name}-`))
    await mkdir(join(folder, fakeBucket))
    server = await startServer(name, folder)
    proxy = await startFaultyProxy(server.url)
  })
  beforeEach(() => {
    proxy.fault = () => undefined
    proxy.calls.length = 0
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await proxy.close()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  })

  describeMedia(async () => (await openS3Media(proxy, { media: `s3://${fakeBucket}/plain` })).media)

  test('media arrive unchanged through a proxy that cuts, flips and fails, also in several parts', async () => {
    proxy.fault = spoilSome()
    const open = () => openS3Media(proxy, { media: `s3://${fakeBucket}/media` })
    const writer = await open()
    const small = Array.from({ length: 12 }, (_, index) => Buffer.alloc(5_000, makeNoise(101 + index)))
    const digests = await Promise.all(small.map(async bytes => (await writer.media.addBytes(bytes)).digest))
    const path = join(await temporaryFolder(), 'video')
    const large = Buffer.alloc(20_000_001, makeNoise(1_009))
    await writeFile(path, large)
    const { digest } = await writer.media.addFile(path)
    // Another machine has no copies.
    const reader = await open()
    for (const [index, bytes] of small.entries())
      expect(Buffer.from(await reader.media.read(digests[index]!)).equals(bytes)).toBe(true)
    await using file = await reader.media.openFile(digest)
    expect((await readFile(file.path)).equals(large)).toBe(true)
    const repeated = proxy.calls.length - new Set(proxy.calls.map(call => JSON.stringify(call))).size
    expect(repeated).toBeGreaterThan(5)
  })

  test('a presigned address can be read without keys, with the media type', async () => {
    const { media } = await openS3Media(server, { media: `s3://${fakeBucket}/signed` })
    const bytes = makeNoise(999)
    const { digest } = await media.addBytes(bytes)
    const address = (await media.presign?.(digest, { seconds: 60, type: 'image/png' })) ?? expect.unreachable()
    const reply = await fetch(address)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
    // moto checks no signatures.
    if (name !== 'rclone') return
    const wrong = address.replace(/X-Amz-Signature=(.)/, (_, first) => `X-Amz-Signature=${first === '0' ? '1' : '0'}`)
    expect((await fetch(wrong)).status).toBe(403)
  })

  test('eight writers of one medium leave it complete, and a reader detects other bytes under its key', async () => {
    const open = () => openS3Media(proxy, { media: `s3://${fakeBucket}/race` })
    const bytes = Buffer.alloc(50_000, makeNoise(211))
    const writers = await Promise.all(Array.from({ length: 8 }, open))
    const added = await Promise.all(writers.map(({ media }) => media.addBytes(bytes)))
    const digest = sha256<'media'>(bytes)
    expect(new Set(added.map(one => one.digest))).toEqual(new Set([digest]))
    expect(Buffer.from(await (await open()).media.read(digest)).equals(bytes)).toBe(true)
    const key = `${fakeBucket}/race/${nameObject(digest)}`
    // moto asks for a signature, and does not check it.
    const authorization = `AWS4-HMAC-SHA256 Credential=${fakeKeys.id}/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0`
    const overwrite = { method: 'PUT', body: 'other bytes', headers: { authorization } }
    if (name === 'moto') expect((await fetch(`${server.url}/${key}`, overwrite)).status).toBe(200)
    else await writeFile(join(folder, key), 'other bytes')
    await expect((await open()).media.read(digest)).rejects.toThrow('has other bytes')
  })
})
