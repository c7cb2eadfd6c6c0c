import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface HubCommitSeen {
  readonly path: string
  readonly authorization: string | undefined
  readonly title: string
  /** Contents by path; of large files what was uploaded for their digest. */
  readonly files: Readonly<Record<string, string>>
}

export interface FakeHubWrites {
  readonly url: string
  readonly commits: readonly HubCommitSeen[]
  /** The bodies of requests for new repositories. */
  readonly created: readonly unknown[]
}

/**
 * A fake of the Hub with what commits need: repositories that are made, files within a commit, and large files by LFS.
 *
 * @param known the repositories that are there, such as `datasets/me/results`
 * @param token the only token that may write
 */
export async function fakeHubWrites({
  known = [],
  token = 'hf_right',
}: { readonly known?: readonly string[]; readonly token?: string } = {}): Promise<FakeHubWrites> {
  const repositories = new Set(known)
  const commits: HubCommitSeen[] = []
  const created: unknown[] = []
  const large = new Map<string, string>()
  const server = createServer((request, response) => {
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    void readText(request).then(text => {
      const { pathname, search } = new URL(request.url ?? '/', 'http://hub')
      const { authorization } = request.headers
      if (pathname.startsWith('/upload/')) {
        large.set(pathname.slice('/upload/'.length), text)
        return reply(200, {})
      }
      if (authorization !== `Bearer ${token}`) return reply(401, { error: 'Invalid credentials' })
      if (pathname === '/api/repos/create') {
        const asked = JSON.parse(text) as { name: string; organization?: string; type: string }
        created.push(asked)
        const name = asked.organization === undefined ? asked.name : `${asked.organization}/${asked.name}`
        repositories.add(`${asked.type}s/${name}`)
        return reply(200, { url: `${url}/${asked.type}s/${name}`, id: name })
      }
      const [, repository = '', what] =
        /^\/(?:api\/)?((?:datasets|models)\/[^/]+\/[^/.]+)(?:\.git\/info)?\/(preupload|commit|lfs)/.exec(pathname) ?? []
      if (!repositories.has(repository)) return reply(404, { error: 'Repository not found' })
      if (what === 'preupload') {
        const { files } = JSON.parse(text) as { files: readonly { path: string; size: number }[] }
        return reply(200, {
          files: files.map(({ path, size }) => ({ path, uploadMode: size > 2_000 ? 'lfs' : 'regular' })),
        })
      }
      if (what === 'lfs') {
        const { objects } = JSON.parse(text) as { objects: readonly { oid: string; size: number }[] }
        return reply(200, {
          transfer: 'basic',
          objects: objects.map(one => ({ ...one, actions: { upload: { href: `${url}/upload/${one.oid}` } } })),
        })
      }
      const lines = text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { key: string; value: Record<string, string> })
      const files = lines.flatMap(({ key, value }) => {
        if (key === 'file') return [[value['path'], Buffer.from(value['content'] ?? '', 'base64').toString()]]
        return key === 'lfsFile' ? [[value['path'], large.get(value['oid'] ?? '') ?? '']] : []
      })
      const title = lines.find(({ key }) => key === 'header')?.value['summary'] ?? ''
      commits.push({
        path: `${pathname}${search}`,
        authorization,
        title,
        files: Object.fromEntries(files) as Record<string, string>,
      })
      const oid = createHash('sha1').update(text).digest('hex')
      reply(200, {
        commitOid: oid,
        commitUrl: `${url}/${repository}/commit/${oid}`,
        hookOutput: '',
        ...(search.includes('create_pr') && { pullRequestUrl: `${url}/${repository}/discussions/1` }),
      })
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(
    () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url, commits, created }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
