import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A dataset repository: the files of its branches, by path. */
export interface FakeRepository {
  readonly branches: Readonly<Record<string, Readonly<Record<string, string | Uint8Array>>>>
  /** Files need this token; the listing is public, as on the Hub. */
  readonly gatedFor?: string
  /** Everything needs this token. */
  readonly privateTo?: string
}

export interface SeenDownload {
  readonly path: string
  readonly range: string | undefined
  readonly authorization: string | undefined
}

export interface FakeHub {
  readonly url: string
  /** All requested paths, in order. */
  readonly asked: readonly string[]
  readonly downloads: readonly SeenDownload[]
  /** Stops each of the next downloads after this number of bytes. */
  stallAfter(...bytes: readonly number[]): void
  /** Sends other bytes than it lists, of the same length. */
  damage(isDamaged: boolean): void
  close(): Promise<void>
}

const bytesOf = (content: string | Uint8Array): Buffer => Buffer.from(content)
const sha1 = (...parts: (string | Uint8Array)[]): string =>
  parts.reduce((hash, part) => hash.update(part), createHash('sha1')).digest('hex')

/** The commit of a branch, derived from its files. */
export const commitOf = (files: Readonly<Record<string, string | Uint8Array>>): string =>
  sha1(...Object.entries(files).flatMap(([path, content]) => [path, '\0', bytesOf(content)]))

/** Files of at least this size are listed as large files, with their SHA-256. */
const largeFrom = 1_000

/** A fake of the Hub with what datasets need: revisions, listings in pages of two, downloads with ranges. */
export async function fakeHub(repositories: Readonly<Record<string, FakeRepository>>): Promise<FakeHub> {
  const asked: string[] = []
  const downloads: SeenDownload[] = []
  const stalls: number[] = []
  let isDamaged = false
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://hub')
    asked.push(decodeURIComponent(url.pathname))
    answer(request, response, url)
  })
  const refuse = (response: ServerResponse, status: number, code?: string): void => {
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(code === undefined ? {} : { 'x-error-code': code }),
    })
    response.end(JSON.stringify({ error: code ?? 'no' }))
  }
  function answer(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const match = /^\/(?:api\/)?datasets\/((?:[^/]+\/)?[^/]+)\/(revision|tree|resolve)\/([^/]+)(?:\/(.*))?$/.exec(
      url.pathname,
    )
    const [, name = '', what, revision = '', path = ''] = match ?? []
    const repository = repositories[name]
    const token = request.headers.authorization?.replace('Bearer ', '')
    if (repository === undefined || (repository.privateTo !== undefined && repository.privateTo !== token)) {
      refuse(response, token === undefined ? 401 : 404, 'RepoNotFound')
      return
    }
    const { branches } = repository
    const wanted = decodeURIComponent(revision)
    const files = branches[wanted] ?? Object.values(branches).find(one => commitOf(one) === wanted)
    if (files === undefined) refuse(response, 404, 'RevisionNotFound')
    else if (what === 'revision')
      json(response, {
        _id: 'x',
        id: name,
        sha: commitOf(files),
        private: false,
        gated: false,
        downloads: 0,
        likes: 0,
        lastModified: '2026-01-01T00:00:00Z',
      })
    else if (what === 'tree') list(response, url, files)
    else if (repository.gatedFor !== undefined && repository.gatedFor !== token) refuse(response, 403, 'GatedRepo')
    else send(request, response, { path: decodeURIComponent(path), files })
  }
  function list(response: ServerResponse, url: URL, files: FakeRepository['branches'][string]): void {
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const entries = Object.entries(files).map(([path, content]) => {
      const bytes = bytesOf(content)
      const oid = sha1(`blob ${bytes.length}\0`, bytes)
      const lfs =
        bytes.length < largeFrom
          ? {}
          : { lfs: { oid: createHash('sha256').update(bytes).digest('hex'), size: bytes.length, pointerSize: 130 } }
      return { type: 'file', path, size: bytes.length, oid, ...lfs }
    })
    const folders = [...new Set(entries.flatMap(({ path }) => (path.includes('/') ? [path.split('/')[0]!] : [])))]
    const all = [...folders.map(path => ({ type: 'directory', path, size: 0, oid: '0' })), ...entries]
    if (from + 2 < all.length) {
      const next = new URL(`http://${hostOf(server)}${url.pathname}${url.search}`)
      next.searchParams.set('cursor', String(from + 2))
      response.setHeader('Link', `<${next.href}>; rel="next"`)
    }
    json(response, all.slice(from, from + 2))
  }
  function send(
    request: IncomingMessage,
    response: ServerResponse,
    { path, files }: { readonly path: string; readonly files: FakeRepository['branches'][string] },
  ): void {
    const content = files[path]
    if (content === undefined) {
      refuse(response, 404, 'EntryNotFound')
      return
    }
    const { range, authorization } = request.headers
    downloads.push({ path, range, authorization })
    const bytes = isDamaged ? bytesOf(content).map(byte => byte ^ 1) : bytesOf(content)
    const start = Number(/^bytes=(\d+)-/.exec(range ?? '')?.[1] ?? 0)
    const part = bytes.subarray(start)
    response.writeHead(range === undefined ? 200 : 206, {
      'content-length': part.length,
      ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` }),
    })
    const sent = stalls.shift()
    if (sent === undefined) response.end(part)
    else response.write(part.subarray(0, sent))
  }
  const json = (response: ServerResponse, value: unknown): void => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(value))
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(close)
  return {
    url: `http://${hostOf(server)}`,
    asked,
    downloads,
    stallAfter: (...bytes) => void stalls.push(...bytes),
    damage: value => void (isDamaged = value),
    close,
  }
}

const hostOf = (server: ReturnType<typeof createServer>): string =>
  `127.0.0.1:${(server.address() as AddressInfo).port}`
