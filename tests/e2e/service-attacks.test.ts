/** Attacks on a running service over sockets. They are rejected before they cost anything, and others are served meanwhile. */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, yesTask, type RunningService } from '../support/service.js'

let folder: string
let service: RunningService

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipeline-attacks-'))
  const tasks = await yesTask(folder, 4)
  service = await startService(['--store', join(folder, 'store'), '--include-path', tasks, '--max-jobs', '0'])
})

afterAll(async () => {
  await service.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Sends raw bytes, and collects the response until the server closes or has answered `answers` times. */
function raw(text: string, { answers = Infinity }: { readonly answers?: number } = {}): Promise<string> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    let said = ''
    const socket = connect(Number(port), hostname, () => socket.write(text.replaceAll('\n', '\r\n')))
    socket.setEncoding('latin1').on('data', (part: string) => {
      said += part
      if (statuses(said).length >= answers) socket.destroy()
    })
    socket.on('close', () => {
      resolve(said)
    })
    socket.on('error', error => {
      if ('code' in error && error.code === 'ECONNRESET') resolve(said)
      else reject(error)
    })
  })
}

const statuses = (said: string): readonly number[] =>
  [...said.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))

const isAlive = async (): Promise<number> => (await service.request('/health')).status
const host = 'Host: 127.0.0.1'
const json = 'Content-Type: application/json'
const job = '{"model":"dummy","tasks":"yes_task"}'

test('no malformed request can smuggle a second one', async () => {
  const smuggled = `GET /jobs HTTP/1.1\n${host}\n\n`
  const shapes: readonly (readonly [string, string])[] = [
    [
      'both lengths',
      `POST /evaluate HTTP/1.1\n${host}\n${json}\nContent-Length: 4\nTransfer-Encoding: chunked\n\n0\n\n${smuggled}`,
    ],
    ['two lengths', `POST /evaluate HTTP/1.1\n${host}\n${json}\nContent-Length: 4\nContent-Length: 40\n\n${smuggled}`],
    ['a length with a sign', `POST /evaluate HTTP/1.1\n${host}\n${json}\nContent-Length: +4\n\n${smuggled}`],
    ['an unknown coding', `POST /evaluate HTTP/1.1\n${host}\n${json}\nTransfer-Encoding: xchunked\n\n${smuggled}`],
    [
      'chunked, but not last',
      `POST /evaluate HTTP/1.1\n${host}\n${json}\nTransfer-Encoding: chunked, identity\n\n0\n\n${smuggled}`,
    ],
    [
      'a folded header',
      `POST /evaluate HTTP/1.1\n${host}\n${json}\nTransfer-Encoding:\n chunked\nContent-Length: 4\n\n0\n\n${smuggled}`,
    ],
    ['a blank before the colon', `POST /evaluate HTTP/1.1\n${host}\n${json}\nContent-Length : 4\n\n${smuggled}`],
    ['a bad chunk', `POST /evaluate HTTP/1.1\n${host}\n${json}\nTransfer-Encoding: chunked\n\nzz\n${smuggled}`],
    ['no host', `GET /jobs HTTP/1.1\nConnection: close\n\n`],
    ['NUL in a header', `GET /jobs HTTP/1.1\n${host}\nX: a\0b\n\n`],
    ['a long header', `GET /jobs HTTP/1.1\n${host}\nX: ${'a'.repeat(40_000)}\n\n`],
    ['a long address', `GET /${'a'.repeat(40_000)} HTTP/1.1\n${host}\n\n`],
    ['not HTTP', '\u0016\u0003\u0001\u0002\n\n'],
    ['another protocol', `PRI * HTTP/2.0\n\nSM\n\n`],
    ['a proxy', `CONNECT 169.254.169.254:80 HTTP/1.1\n${host}\n\n`],
  ]
  for (const [name, text] of shapes) {
    const said = await raw(text)
    expect({ name, answers: statuses(said).filter(status => status < 400) }).toEqual({ name, answers: [] })
    expect({ name, isOne: statuses(said).length <= 1 }).toEqual({ name, isOne: true })
    expect(said).not.toMatch(/node:|\.js|jobs"/)
  }
  expect(await service.json('/queue')).toMatchObject({ queue_size: 0 })
})

test('rejects other host names, also in the request line, and asterisks over a socket', async () => {
  const close = 'Connection: close'
  expect(statuses(await raw(`GET /jobs HTTP/1.1\nHost: evil.example\n${close}\n\n`))).toEqual([421])
  // The header decides, and is not that of the attacked page; the answer does not contain the other name.
  const absolute = await raw(`GET http://evil.example/jobs HTTP/1.1\n${host}\n${close}\n\n`)
  expect(absolute).not.toContain('evil')
  expect(statuses(await raw(`OPTIONS * HTTP/1.1\n${host}\n${close}\n\n`))[0]).toBeGreaterThanOrEqual(400)
  const form = 'model=dummy&tasks=yes_task'
  const type = 'Content-Type: application/x-www-form-urlencoded'
  expect(
    statuses(
      await raw(`POST /evaluate HTTP/1.1\n${host}\n${type}\n${close}\nContent-Length: ${form.length}\n\n${form}`),
    ),
  ).toEqual([415])
})

test('rejects an endless body, or one announced as huge, without buffering it', async () => {
  const announced = await raw(`POST /evaluate HTTP/1.1\n${host}\n${json}\nContent-Length: 99999999999\n\n{`, {
    answers: 1,
  })
  expect(statuses(announced)).toEqual([413])
  const chunk = `10000\n${' '.repeat(0x1_00_00)}\n`
  const endless = await raw(
    `POST /evaluate HTTP/1.1\n${host}\n${json}\nTransfer-Encoding: chunked\n\n${chunk.repeat(40)}`,
    { answers: 1 },
  )
  expect(statuses(endless)).toEqual([413])
  expect(await isAlive()).toBe(200)
})

test('cuts off clients that send slowly, and serves others meanwhile', async () => {
  const { hostname, port } = new URL(service.url)
  const ends: Promise<number>[] = []
  const began = performance.now()
  const sockets: Socket[] = []
  for (let index = 0; index < 300; index += 1) {
    const socket = connect(Number(port), hostname)
    sockets.push(socket)
    ends.push(new Promise(resolve => socket.on('close', () => resolve(performance.now() - began))))
    socket.on('error', () => undefined).resume()
    socket.write(`GET /jobs HTTP/1.1\r\n${host}\r\nX-1: a`)
  }
  // A byte now and then does not keep the connection open.
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('a')
  }, 500)
  const times: number[] = []
  for (let index = 0; index < 20; index += 1) {
    const asked = performance.now()
    expect(await isAlive()).toBe(200)
    times.push(performance.now() - asked)
  }
  const lasted = await Promise.all(ends)
  clearInterval(drip)
  expect(Math.max(...lasted)).toBeLessThan(40_000)
  expect(Math.max(...times)).toBeLessThan(5000)
  expect(await isAlive()).toBe(200)
})

test('closes event streams that nobody reads, and limits their number', async () => {
  const { job_id: id } = await service.json<{ job_id: string }>('/evaluate', { json: JSON.parse(job) as unknown })
  const stop = new AbortController()
  const { url } = service
  const open = Array.from({ length: 520 }, () => fetch(`${url}/jobs/${id}/events`, { signal: stop.signal }))
  const answers = await Promise.all(open)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(500)
  expect(answers.filter(({ status }) => status === 503)).toHaveLength(20)
  expect(await isAlive()).toBe(200)
  stop.abort()
  await Promise.allSettled(answers.map(answer => answer.text()))
  const streams = async (): Promise<number> => {
    const answer = await fetch(`${url}/jobs/${id}/events`, { signal: AbortSignal.timeout(30_000) })
    void answer.body?.cancel()
    return answer.status
  }
  await expect.poll(streams, { timeout: 30_000 }).toBe(200)
})

test("the server's log contains no control characters for a terminal", async () => {
  await raw(`GET /tasks/%1b%5b31mred%0d%0aforged HTTP/1.1\n${host}\nUser-Agent: \u001b[31m\nConnection: close\n\n`)
  await service.request(`/jobs/${encodeURIComponent('\u001b]0;title\u0007\u202e')}`)
  expect(service.told()).not.toMatch(/[\u001b\u0007\u202e]|forged/)
})
