import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What goes wrong with a call. */
export type S3Fault =
  | { readonly type: 'status'; readonly status: number; readonly code?: string }
  /** A page of a proxy instead of the server's XML. */
  | { readonly type: 'page'; readonly status: number }
  /** The connection is cut before the reply, although the call was done. */
  | { readonly type: 'lost-reply' }
  /** The connection is cut within the body of the reply. */
  | { readonly type: 'cut'; readonly after: number }
  | { readonly type: 'delay'; readonly ms: number }
  /** One byte of the body of the reply is another one. */
  | { readonly type: 'flip'; readonly at: number }

export interface S3Call {
  readonly method: string
  /** The key with the parameters. */
  readonly target: string
  readonly range: string | undefined
}

/** An S3 server in memory, on a real socket. It checks neither signatures nor checksums. */
export interface FakeS3 {
  readonly url: string
  readonly objects: Map<string, Buffer>
  /** Uploads that were begun and neither ended nor aborted. */
  readonly uploads: Map<string, Map<number, Buffer>>
  readonly calls: S3Call[]
  /** Returns the fault of a call. Undefined: none. */
  fault: (call: S3Call) => S3Fault | undefined
  close(): Promise<void>
}

/** The only bucket. */
export const fakeBucket = 'evals'
export const fakeKeys = { id: 'AKIAFAKEFAKEFAKE', secret: 'wJalr/s3cret+EXAMPLEKEY' } as const

/** The number of objects on one page of a list. */
const pageLength = 3

export async function startFakeS3(): Promise<FakeS3> {
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const fake: FakeS3 = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects: new Map(),
    uploads: new Map(),
    calls: [],
    fault: () => undefined,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = []
    for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
    const url = new URL(request.url ?? '', fake.url)
    const [, bucket = '', key = ''] = /^\/([^/]*)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? []
    const { method = '', headers } = request
    const call: S3Call = { method, target: key + url.search, range: headers.range }
    fake.calls.push(call)
    const fault = fake.fault(call)
    if (fault?.type === 'delay') await new Promise(resolve => setTimeout(resolve, fault.ms))
    if (fault?.type === 'page')
      return void response.writeHead(fault.status, { 'content-type': 'text/html' }).end('<html><p>Sorry<p></html>')
    if (fault?.type === 'status') return sendError(response, fault.status, fault.code ?? 'InternalError')
    if (headers.authorization?.includes(`Credential=${fakeKeys.id}/`) !== true)
      return sendError(response, 403, 'InvalidAccessKeyId')
    if (bucket !== fakeBucket) return sendError(response, 404, 'NoSuchBucket')
    const reply = answer(call, { key, query: url.searchParams, body: Buffer.concat(pieces) })
    if (fault?.type === 'lost-reply') return void response.destroy()
    if (typeof reply === 'string') return sendError(response, 404, reply)
    const body = Buffer.from(reply.body ?? '')
    if (fault?.type === 'flip' && body.length > 0) body[fault.at % body.length]! ^= 1
    const length = { 'content-length': reply.length ?? body.length }
    response.writeHead(reply.status ?? 200, { ...length, ...reply.headers })
    if (fault?.type !== 'cut') return void response.end(body)
    response.write(body.subarray(0, fault.after), () => setTimeout(() => response.destroy(), 5))
  }

  interface Reply {
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>>
    readonly length?: number
    readonly body?: string | Buffer
  }

  /** @returns the code of an error, or a reply */
  function answer(
    { method, range }: S3Call,
    { key, query, body }: { readonly key: string; readonly query: URLSearchParams; readonly body: Buffer },
  ): Reply | string {
    const upload = query.get('uploadId')
    if (method === 'GET' && key === '') return list(query)
    if (method === 'POST' && query.has('uploads')) {
      const id = `upload-${fake.calls.length}`
      fake.uploads.set(id, new Map())
      return { body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>` }
    }
    if (upload !== null) {
      const parts = fake.uploads.get(upload)
      if (parts === undefined) return 'NoSuchUpload'
      if (method === 'PUT') {
        parts.set(Number(query.get('partNumber')), body)
        return { headers: { etag: etag(body) } }
      }
      fake.uploads.delete(upload)
      if (method === 'DELETE') return { status: 204 }
      const ordered = [...parts].sort(([a], [b]) => a - b).map(([, part]) => part)
      fake.objects.set(key, Buffer.concat(ordered))
      return { body: '<CompleteMultipartUploadResult></CompleteMultipartUploadResult>' }
    }
    if (method === 'PUT') {
      fake.objects.set(key, body)
      return { headers: { etag: etag(body) } }
    }
    if (method === 'DELETE') {
      fake.objects.delete(key)
      return { status: 204 }
    }
    const object = fake.objects.get(key)
    if (object === undefined) return 'NoSuchKey'
    if (method === 'HEAD') return { length: object.length }
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    if (range === undefined) return { body: object }
    const headers = { 'content-range': `bytes ${from}-${object.length - 1}/${object.length}` }
    return { status: 206, headers, body: object.subarray(from) }
  }

  function list(query: URLSearchParams): Reply {
    const after = query.get('continuation-token') ?? ''
    const keys = [...fake.objects.keys()].filter(key => key.startsWith(query.get('prefix') ?? '') && key > after).sort()
    const page = keys.slice(0, pageLength)
    const rows = page.map(
      key => `<Contents><Key>${key}</Key><Size>${fake.objects.get(key)?.length ?? 0}</Size></Contents>`,
    )
    const isTruncated = keys.length > page.length
    const next = isTruncated ? `<NextContinuationToken>${page.at(-1) ?? ''}</NextContinuationToken>` : ''
    return {
      body: `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated>${next}${rows.join('')}</ListBucketResult>`,
    }
  }
  return fake
}

const etag = (body: Buffer): string => `"${createHash('md5').update(body).digest('hex')}"`

const sendError = (response: ServerResponse, status: number, code: string): void => {
  response
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<Error><Code>${code}</Code><Message>This is ${code}.</Message></Error>`)
}
