import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { onTestFinished } from 'vitest'
import { openStore } from '../../../../cache/open.js'
import type { TokenScope } from '../../../../cache/store.js'
import { Catalogue } from '../../../../src/service/catalogue.js'
import { ChangeFeed } from '../../../../src/service/change-feed.js'
import { StoreProbe } from '../../../../src/service/health.js'
import { createApp } from '../../../../src/service/http/app.js'
import { JobSeconds } from '../../../../src/service/jobs/job-seconds.js'
import { ModelUsage } from '../../../../src/service/jobs/model-usage.js'
import type { Service } from '../../../../src/service/service.js'
import { jobPolicy, serviceSettings } from '../../../../src/service/settings.js'
import { newToken } from '../../../../src/service/tokens.js'
import { called, type Called, type CallOptions } from '../../../support/mcp-call.js'
import { temporaryFolder } from '../../../support/store.js'
import { writeTextTask } from '../../../support/text-task.js'

export interface Scene {
  readonly service: Service
  readonly request: (init: RequestInit) => Promise<Response>
  /** Connects an agent. */
  readonly agent: (token?: string) => Promise<Agent>
  readonly token: (scope: TokenScope) => Promise<string>
}

export interface Agent {
  readonly client: Client
  readonly call: (name: string, args: object, options?: CallOptions) => Promise<Called>
}

/** A service without workers on an empty store, with a task `echoes`. */
export async function scene(flags: Readonly<Record<string, unknown>> = {}): Promise<Scene> {
  const folder = await temporaryFolder()
  await writeTextTask(join(folder, 'tasks'), 6)
  const store = await openStore(join(folder, 'store'))
  onTestFinished(() => store.close())
  const includePaths = [join(folder, 'tasks')]
  const settings = serviceSettings({ includePath: includePaths, ...flags }, { hasTokens: true })
  const service: Service = {
    store,
    settings,
    changes: new ChangeFeed(store),
    catalogue: new Catalogue({ ...settings, workFolder: store.workFolder, env: {} }),
    env: {},
    policy: jobPolicy({}, {}),
    onJob: () => undefined,
    workers: () => ({ size: 0, busy: 0, deaths: 0 }),
    probe: new StoreProbe(store),
    jobSeconds: new JobSeconds(),
    modelUsage: new ModelUsage(),
    log: () => undefined,
  }
  const app = createApp(service)
  const request = async (init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers)
    if (!headers.has('host')) headers.set('host', '127.0.0.1')
    return app.fetch(new Request(address, { ...init, headers }))
  }
  return {
    service,
    request,
    async agent(token) {
      const client = new Client({ name: 'test', version: '1' })
      const transport = new StreamableHTTPClientTransport(new URL(address), {
        fetch: (_, init = {}) => request(init),
        requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
      })
      onTestFinished(() => client.close())
      await client.connect(transport)
      return { client, call: (name, args, options) => called(client, name, args, options) }
    },
    async token(scope) {
      const { text, stored } = newToken({ name: scope, scope, now: Date.now() })
      await store.tokens.add(stored)
      return text
    },
  }
}

const address = 'http://127.0.0.1/mcp'

/** An evaluation of `echoes` that needs no network. */
export const echo = { model: 'dummy', tasks: ['echoes'], model_args: { mode: 'echo' } }
