import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { geminiAnswer, googleError } from './fake-gemini.js'

/** A received call. An upload has bytes instead of a body. */
export interface FilesCall {
  readonly name: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: unknown
}

export interface FakeGeminiFiles {
  /** Scheme, host and port. */
  readonly url: string
  readonly calls: readonly FilesCall[]
  /** Files by name, as the API describes them. */
  readonly files: Map<string, StoredFile>
  /** Returns the maximum number of simultaneous uploads. */
  mostUploads(): number
  close(): Promise<void>
}

export interface StoredFile {
  readonly name: string
  readonly mimeType: string
  readonly bytes: Buffer
  /** Number of further polls that report the file as being processed. */
  working: number
  state: 'ACTIVE' | 'FAILED'
}

export interface FilesOptions {
  /** How many polls report a new file as being processed. */
  readonly working?: number
  readonly state?: StoredFile['state']
  /** The number of bytes of the first upload that arrive before its connection breaks. */
  readonly breaksAt?: number
  /** Whether the names belong to another key. */
  readonly takenBy?: 'others'
  readonly hasNoFiles?: boolean
}

interface Session {
  readonly name: string
  readonly size: number
  readonly mimeType: string
  readonly received: Buffer[]
}

/** A fake of the Gemini API with its files, on a real socket. It validates the headers of uploads as strictly. */
export async function startFakeGeminiFiles(options: FilesOptions = {}): Promise<FakeGeminiFiles> {
  const calls: FilesCall[] = []
  const files = new Map<string, StoredFile>()
  const sessions = new Map<string, Session>()
  let uploads = 0
  let mostUploads = 0
  let mayBreak = options.breaksAt !== undefined
  const told = (file: StoredFile) => ({
    name: file.name,
    mimeType: file.mimeType,
    sizeBytes: String(file.bytes.length),
    uri: `${url}/v1beta/${file.name}`,
    state: file.working-- > 0 ? 'PROCESSING' : file.state,
    ...(file.state === 'FAILED' ? { error: { message: 'no such codec' } } : {}),
  })
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', url)
    const { headers, method } = request
    const session = sessions.get(searchParams.get('upload_id') ?? '')
    const isUpload = String(headers['x-goog-upload-command']).startsWith('upload')
    if (isUpload) mostUploads = Math.max(mostUploads, ++uploads)
    const bytes = await bodyOf(request, session).finally(() => (isUpload ? uploads-- : 0))
    const isJson = headers['content-type'] === 'application/json'
    const body: unknown = isJson ? JSON.parse(bytes.toString()) : bytes
    calls.push({ name: `${method} ${pathname}`, headers, body })
    const send = (status: number, value: unknown, more: Record<string, string> = {}): void =>
      void response.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(value))
    const refuse = (status: number, word: string) => send(status, googleError(status, word))
    if (options.hasNoFiles === true && pathname.includes('/files')) return refuse(404, 'NOT_FOUND')
    if (session !== undefined) return uploaded(session, { headers, bytes, send, refuse })
    if (headers['x-goog-api-key'] === undefined) return refuse(403, 'PERMISSION_DENIED')
    if (method === 'GET' && pathname.startsWith('/v1beta/files/')) {
      const file = files.get(pathname.slice('/v1beta/'.length))
      return file === undefined ? refuse(403, 'PERMISSION_DENIED') : send(200, told(file))
    }
    if (method === 'POST' && pathname === '/upload/v1beta/files') return begun(headers, body, { send, refuse })
    if (method === 'POST' && /^\/v1beta\/models\/[^/]+:generateContent$/.test(pathname)) {
      const gone = JSON.stringify(body)
        .match(/files\/[a-z0-9-]+/g)
        ?.some(name => !files.has(name))
      return gone === true ? refuse(403, 'PERMISSION_DENIED') : send(200, geminiAnswer('yes'))
    }
    refuse(404, 'NOT_FOUND')
  }

  /** Reads the body of a request. If the first upload is to break, only its beginning is read. */
  async function bodyOf(request: IncomingMessage, session: Session | undefined): Promise<Buffer> {
    const chunks: Buffer[] = []
    let length = 0
    for await (const chunk of request as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      length += chunk.length
      if (session === undefined || !mayBreak || length < (options.breaksAt ?? 0)) continue
      mayBreak = false
      session.received.push(Buffer.concat(chunks).subarray(0, options.breaksAt))
      request.socket.destroy()
      throw new Error('broken off')
    }
    return Buffer.concat(chunks)
  }

  type Reply = Readonly<{
    send: (status: number, value: unknown, more?: Record<string, string>) => void
    refuse: (status: number, word: string) => void
  }>

  function begun(headers: IncomingMessage['headers'], body: unknown, { send, refuse }: Reply): void {
    const isWhole = headers['x-goog-upload-protocol'] === 'resumable' && headers['x-goog-upload-command'] === 'start'
    const size = Number(headers['x-goog-upload-header-content-length'])
    const mimeType = headers['x-goog-upload-header-content-type']
    const given = (body as { file: { name?: string } }).file.name
    const isNamed = given === undefined || /^files\/[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(given)
    if (!isWhole || !(size > 0) || typeof mimeType !== 'string' || !isNamed) return refuse(400, 'INVALID_ARGUMENT')
    if (given !== undefined && (files.has(given) || options.takenBy === 'others')) return refuse(409, 'ALREADY_EXISTS')
    const id = `u${sessions.size}`
    sessions.set(id, { name: given ?? `files/auto-${id}`, size, mimeType, received: [] })
    const place = `${url}/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`
    send(200, {}, { 'x-goog-upload-status': 'active', 'x-goog-upload-url': place })
  }

  function uploaded(
    session: Session,
    { headers, bytes, send, refuse }: Reply & { headers: IncomingMessage['headers']; bytes: Buffer },
  ): void {
    const before = session.received.reduce((sum, part) => sum + part.length, 0)
    const command = headers['x-goog-upload-command']
    if (command === 'query')
      return send(200, {}, { 'x-goog-upload-status': 'active', 'x-goog-upload-size-received': String(before) })
    if (command !== 'upload, finalize' || Number(headers['x-goog-upload-offset']) !== before)
      return refuse(400, 'INVALID_ARGUMENT')
    session.received.push(bytes)
    const whole = Buffer.concat(session.received)
    if (whole.length !== session.size) return refuse(400, 'INVALID_ARGUMENT')
    const { name, mimeType } = session
    const file = { name, mimeType, bytes: whole, working: options.working ?? 0, state: options.state ?? 'ACTIVE' }
    files.set(name, file)
    send(200, { file: told(file) }, { 'x-goog-upload-status': 'final' })
  }

  return {
    url,
    calls,
    files,
    mostUploads: () => mostUploads,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
