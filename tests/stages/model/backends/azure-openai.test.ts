import { expect, onTestFinished, test } from 'vitest'
import { azureOpenai } from '../../../../stages/model/backends/azure-openai.js'
import { parseModelArgs } from '../../../../stages/model/model-args.js'
import { askBackend, contextOf } from '../../../support/backend-client.js'
import { startFakeOpenai, type Fault } from '../../../support/fake-openai.js'

const key = 'azure-very-secret-0123456789'

const identify = async (args: Record<string, unknown>, env: Record<string, string>) =>
  azureOpenai.identify(parseModelArgs(azureOpenai, args) as Parameters<typeof azureOpenai.identify>[0], contextOf(env))

async function connect(args: Record<string, unknown>, { path = '', fault }: { path?: string; fault?: Fault } = {}) {
  const server = await startFakeOpenai({ fault: () => fault })
  onTestFinished(() => server.close())
  const base_url = server.url.replace(/\/v1$/, '') + path
  const client = await askBackend(azureOpenai, { model: 'm-1', api_key: key, base_url, ...args })
  return { ...client, server, sent: () => JSON.parse(server.seen.at(-1)!.text) as unknown }
}

const azurePaths = [
  [{ api_version: '2024-10-21' }, '', '/openai/deployments/m-1/chat/completions?api-version=2024-10-21'],
  [{ api_version: 'v', deployment: 'mine' }, '/openai/', '/openai/deployments/mine/chat/completions?api-version=v'],
  [{ api_version: 'v' }, '/openai/deployments/mine', '/openai/deployments/mine/chat/completions?api-version=v'],
  [{ deployment: 'mine' }, '/openai/v1/', '/openai/v1/chat/completions'],
  [
    {},
    '/openai/deployments/mine/chat/completions?api-version=v',
    '/openai/deployments/mine/chat/completions?api-version=v',
  ],
  [
    { api_version: 'v' },
    '/openai/deployments/mine/chat/completions?tier=a&api-version=v',
    '/openai/deployments/mine/chat/completions?api-version=v&tier=a',
  ],
  [
    {},
    '/models/chat/completions?api-version=2024-05-01-preview',
    '/models/chat/completions?api-version=2024-05-01-preview',
  ],
  [{}, '/openai/v1/?api-version=preview', '/openai/v1/chat/completions?api-version=preview'],
  [{ api_version: 'preview' }, '/openai/v1', '/openai/v1/chat/completions?api-version=preview'],
] as const

test.each(azurePaths)(
  'Azure with %j at …%s is called at %s, with the key in its own header',
  async (args, path, asked) => {
    const { ask, server, sent } = await connect(args, { path })
    await ask()
    expect(server.seen[0]!.path).toBe(asked)
    expect(server.seen[0]!.headers['api-key']).toBe(key)
    expect(server.seen[0]!.headers).not.toHaveProperty('authorization')
    expect(sent()).toMatchObject({ model: asked.startsWith('/openai/v1') && 'deployment' in args ? 'mine' : 'm-1' })
  },
)

test('the identity of an Azure deployment includes resource, deployment and API version', async () => {
  const env = {
    AZURE_OPENAI_API_KEY: key,
    AZURE_OPENAI_ENDPOINT: 'https://One.openai.azure.com/',
    OPENAI_API_VERSION: '2024-10-21',
  }
  expect(await identify({ model: 'gpt-4o', deployment: 'mine' }, env)).toEqual({
    backend: 'openai',
    args: {
      model: 'gpt-4o',
      base_url: 'https://one.openai.azure.com/openai/deployments/mine',
      api_version: '2024-10-21',
    },
  })
})

test('an address copied from the portal has the same keys as separate arguments', async () => {
  const env = { AZURE_OPENAI_API_KEY: key }
  const resource = 'https://one.openai.azure.com'
  const pasted = `${resource}/openai/deployments/mine/chat/completions?api-version=2024-10-21`
  expect(await identify({ model: 'gpt-4o', base_url: pasted }, env)).toEqual(
    await identify({ model: 'gpt-4o', base_url: resource, deployment: 'mine', api_version: '2024-10-21' }, env),
  )
})

test.each([
  [
    { base_url: 'https://r.openai.azure.com/openai/deployments/d?api-version=a', api_version: 'b' },
    { AZURE_OPENAI_API_KEY: key },
    /base_url says api-version=a, and api_version is b\. Leave one of them out/,
  ],
  [
    {},
    { AZURE_OPENAI_API_KEY: key },
    /give base_url=https:\/\/RESOURCE\.openai\.azure\.com, or set AZURE_OPENAI_ENDPOINT/,
  ],
  [{ base_url: 'https://r.openai.azure.com' }, { AZURE_OPENAI_API_KEY: key }, /give api_version=…/],
  [
    { base_url: 'https://r.openai.azure.com', api_version: 'v' },
    {},
    /azure_openai: https:\/\/r\.openai\.azure\.com needs an API key\. Set AZURE_OPENAI_API_KEY\.$/,
  ],
])('names the missing settings of Azure before work starts: %j', async (args, env, message) => {
  await expect(identify({ model: 'm', ...args }, env)).rejects.toThrow(message)
})

test('a prompt blocked by Azure’s filter is refused, and an unknown key is named by its variable', async () => {
  const args = { api_version: 'v' }
  const filtered = { error: { message: 'filtered', code: 'content_filter', innererror: { code: 'X' } } }
  const stopped = await connect(args, { fault: { status: 400, body: filtered } })
  expect(await stopped.failure()).toMatchObject({ class: 'refused', isRetryable: false })
  const unknown = await connect(args, {
    fault: { status: 401, body: { error: { code: '401', message: `bad ${key}` } } },
  })
  expect((await unknown.failure()).message).toBe('401 bad *** (check AZURE_OPENAI_API_KEY or api_key)')
})
