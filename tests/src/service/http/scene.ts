import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import type { Store, TokenScope } from '../../../../cache/store.js'
import { Catalogue } from '../../../../src/service/catalogue.js'
import { ChangeFeed } from '../../../../src/service/change-feed.js'
import { StoreProbe } from '../../../../src/service/health.js'
import { createApp } from '../../../../src/service/http/app.js'
import type { JobPolicy } from '../../../../src/service/policy/job-policy.js'
import { JobSeconds } from '../../../../src/service/jobs/job-seconds.js'
import { ModelUsage } from '../../../../src/service/jobs/model-usage.js'
import type { Service, ServiceSettings } from '../../../../src/service/service.js'
import { Media } from '../../../../src/service/viewer/media/media.js'
import { Sessions } from '../../../../src/service/viewer/session/sessions.js'
import { storePages } from '../../../../src/service/viewer/store-pages.js'
import type { Viewer } from '../../../../src/service/viewer/viewer.js'
import { readViewerFiles } from '../../../../src/service/viewer/viewer-files.js'
import { newToken } from '../../../../src/service/tokens.js'
import { temporaryFolder } from '../../../support/store.js'

export interface AppScene {
  readonly service: Service
  /** Lines of the log. */
  readonly log: readonly string[]
  /** Sends a request as a client on this machine, or at `address`. */
  readonly request: (path: string, init?: RequestInit & { readonly address?: string }) => Promise<Response>
  /** Submits a body as it is: text, bytes or JSON. */
  readonly submit: (body: unknown, headers?: Readonly<Record<string, string>>) => Promise<Response>
  /** Makes a token. @returns the header that sends it */
  readonly token: (scope: TokenScope, days?: number) => Promise<{ readonly id: string; readonly authorization: string }>
}

interface Given {
  readonly settings?: Partial<ServiceSettings>
  readonly policy?: Partial<JobPolicy>
  readonly now?: () => number
  /** Adds the viewer, with pages of a few bytes. */
  readonly viewer?: true
}

/** The service over a store of its own, without a socket and without workers. */
export async function appScene({ settings, policy, now, viewer }: Given = {}): Promise<AppScene> {
  const dir = join(await temporaryFolder(), 'store')
  const store = await openStore(dir)
  onTestFinished(() => store.close())
  const log: string[] = []
  const service: Service = {
    store,
    settings: {
      hosts: ['127.0.0.1', 'localhost', '[::1]'],
      origins: [],
      needsToken: false,
      maxBodyBytes: 1024 * 1024,
      rate: { perSecond: 100_000, burst: 100_000 },
      maxQueue: 10_000,
      keepJobs: 10_000,
      includePaths: [],
      plugins: [],
      ...settings,
    },
    changes: new ChangeFeed(store),
    catalogue: new Catalogue({ includePaths: settings?.includePaths ?? [], plugins: [], workFolder: dir, env: {} }),
    env: {},
    policy: { allowDirs: [], allowUrls: [], secrets: new Map(), allowCommands: false, ...policy },
    onJob: () => undefined,
    workers: () => ({ size: 0, busy: 0, deaths: 0 }),
    probe: new StoreProbe(store),
    jobSeconds: new JobSeconds(),
    modelUsage: new ModelUsage(),
    ...(viewer && { viewer: await smallViewer(store) }),
    log: line => {
      log.push(line)
    },
  }
  const app = createApp(service, now)
  const request: AppScene['request'] = async (path, { address = '127.0.0.1', headers, ...init } = {}) => {
    const sent = new Headers(headers)
    if (!sent.has('host')) sent.set('host', '127.0.0.1:7310')
    const bindings = { incoming: { socket: { remoteAddress: address } } }
    return app.request(`http://127.0.0.1:7310${path}`, { ...init, headers: sent }, bindings)
  }
  return {
    service,
    log,
    request,
    submit: (body, headers = {}) =>
      request('/evaluate', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: body instanceof Uint8Array ? Buffer.from(body) : typeof body === 'string' ? body : JSON.stringify(body),
      }),
    async token(scope, days) {
      const { text, stored } = newToken({ name: 'n', scope, now: Date.now(), ...(days !== undefined && { days }) })
      await store.tokens.add(stored)
      return { id: stored.id, authorization: `Bearer ${text}` }
    },
  }
}

async function smallViewer(store: Store): Promise<Viewer> {
  const folder = join(await temporaryFolder(), 'viewer')
  await mkdir(join(folder, 'assets'), { recursive: true })
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>viewer</title>')
  await writeFile(join(folder, 'assets/index-abcd1234.js'), `export const text = '${'x'.repeat(5000)}'\n`)
  await writeFile(join(folder, 'secret.pem'), 'a file of a type that pages do not have')
  return { sessions: new Sessions(), files: readViewerFiles(folder), pages: storePages(store), media: new Media(store) }
}

/** A job that is accepted. */
export const plainJob = { model: 'dummy', tasks: 'mmlu' } as const
